"""Traces for AWS X-Ray: the header, the document of a segment, and the daemon that takes it."""

from __future__ import annotations

import json
import logging
import re
import socket
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from cicada.observability.tracing import Annotation, Origin, Span, Trace

logger = logging.getLogger(__name__)

# The tracing header: `Root=<trace>;Parent=<span>;Sampled=1`.
# https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
_TRACE_ID = re.compile("1-[0-9a-f]{8}-[0-9a-f]{24}")
_SPAN_ID = re.compile("[0-9a-f]{16}")
# https://docs.aws.amazon.com/xray/latest/devguide/xray-sdk-python-segment.html
_LONGEST_ANNOTATION = 1000
_FLAGS = {"error": {"error": True}, "throttle": {"error": True, "throttle": True}, "fault": {"fault": True}}
# What comes before the document in a datagram to the daemon.
_HEADER = b'{"format": "json", "version": 1}\n'


class TraceHeader(Struct, frozen=True):
    """`sampled`: whether the trace is recorded; who began it has decided."""

    origin: Origin
    sampled: bool


def carried_header(record: Mapping[str, Any]) -> str:
    """The header that a message was sent with, empty without one. `record`: of SQS, as Lambda passes it on."""
    return str(record.get("attributes", {}).get("AWSTraceHeader", ""))


def parse_header(text: str, *, remote: bool) -> TraceHeader | None:
    """The trace that a header names; None if it names no trace or no parent. `remote`: it came with a message."""
    fields = dict(part.strip().partition("=")[::2] for part in text.split(";"))
    trace_id, parent_id = fields.get("Root", ""), fields.get("Parent", "")
    if not (_TRACE_ID.fullmatch(trace_id) and _SPAN_ID.fullmatch(parent_id)):
        return None
    return TraceHeader(Origin(trace_id, parent_id, remote, fields.get("Lineage", "")), fields.get("Sampled") == "1")


def header_text(origin: Origin) -> str:
    """The header of a trace that is recorded. Its lineage, by which Lambda detects loops, is passed on."""
    lineage = f";Lineage={origin.baggage}" if origin.baggage else ""
    return f"Root={origin.trace_id};Parent={origin.parent_id};Sampled=1{lineage}"


def segment_document(trace: Trace, service: str) -> dict[str, Any]:
    """What a message brought is a segment of `service`; otherwise a subsegment of Lambda's own segment.

    Lambda writes the segment of an invocation by itself, in the invocation's own trace.
    Source: https://docs.aws.amazon.com/xray/latest/devguide/xray-api-segmentdocuments.html
    """
    fields = _fields(trace.root, trace.root.end)
    if trace.origin.remote:
        fields["name"] = service
    else:
        fields["type"] = "subsegment"
    fields |= {"trace_id": trace.origin.trace_id, "parent_id": trace.origin.parent_id}
    return fields | ({"annotations": _annotations(trace.annotations)} if trace.annotations else {})


def _fields(span: Span, last: float | None) -> dict[str, Any]:
    """`last`: the end of a span that is still open."""
    fields: dict[str, Any] = {
        "name": span.name,
        "id": span.id,
        "start_time": span.start,
        "end_time": last if span.end is None else span.end,
    }
    if span.call:
        fields |= {"namespace": "aws", "aws": dict(span.call)}
    if span.failure:
        exception = {"id": span.failure.id, "type": span.failure.type}
        fields |= {**_FLAGS[span.failure.kind], "cause": {"exceptions": [exception]}}
    if span.children:
        fields["subsegments"] = [_fields(child, last) for child in span.children]
    return fields


def _annotations(annotations: Mapping[str, Annotation]) -> dict[str, Annotation]:
    return {
        name: value[:_LONGEST_ANNOTATION] if isinstance(value, str) else value for name, value in annotations.items()
    }


class XRayTraceExporter:
    """Sends traces to the X-Ray daemon that Lambda runs beside a traced function.

    `daemon_address`: host and port, as Lambda names them. `service`: whose segments these are.

    One datagram for each trace; one that cannot be sent is dropped.
    Source: https://docs.aws.amazon.com/xray/latest/devguide/xray-api-sendingdata.html#xray-api-daemon
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
