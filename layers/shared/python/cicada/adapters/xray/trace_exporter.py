"""Sends traces to the X-Ray daemon that Lambda runs beside a traced function.

Source: https://docs.aws.amazon.com/xray/latest/devguide/xray-api-sendingdata.html#xray-api-daemon
"""

from __future__ import annotations

import json
import logging
import socket

from cicada.adapters.xray.segment_document import segment_document
from cicada.tracing import Trace

logger = logging.getLogger(__name__)

_HEADER = b'{"format": "json", "version": 1}\n'


class XRayTraceExporter:
    """`daemon_address`: host and port, as Lambda names them. `service`: whose segments these are.

    One datagram for each trace; one that cannot be sent is dropped.
    """

    def __init__(self, daemon_address: str, service: str) -> None:
        host, _, port = daemon_address.rpartition(":")
        self._address = host, int(port)
        self._service = service

    def export(self, trace: Trace) -> None:
        document = json.dumps(segment_document(trace, self._service), separators=(",", ":"))
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as daemon:
                daemon.setblocking(False)
                daemon.sendto(_HEADER + document.encode(), self._address)
        except OSError as error:
            logger.warning("A trace was not sent", extra={"kind": type(error).__name__})
