"""X-Ray's daemon as Lambda runs it beside a function: a UDP socket on loopback that keeps what it is sent."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import pytest

_LARGEST_BYTES = 65_535


@dataclass(frozen=True)
class XRayDaemon:
    socket: socket.socket

    @property
    def address(self) -> str:
        host, port = self.socket.getsockname()
        return f"{host}:{port}"

    def datagrams(self) -> list[bytes]:
        """All that were sent since the last call; on loopback they arrive before the sender goes on."""
        received = []
        with suppress(BlockingIOError):
            while True:
                received.append(self.socket.recv(_LARGEST_BYTES))
        return received

    def documents(self) -> list[dict[str, Any]]:
        """The segment documents of the datagrams."""
        return [_document(datagram) for datagram in self.datagrams()]

    def next_document(self, patience_seconds: float) -> dict[str, Any]:
        """The next document of another process, which may send it later. Raises `TimeoutError` if none comes."""
        self.socket.settimeout(patience_seconds)
        try:
            return _document(self.socket.recv(_LARGEST_BYTES))
        finally:
            self.socket.setblocking(False)


def _document(datagram: bytes) -> dict[str, Any]:
    header, _, document = datagram.partition(b"\n")
    assert json.loads(header) == {"format": "json", "version": 1}
    found: dict[str, Any] = json.loads(document)
    return found


@contextmanager
def xray_daemon() -> Iterator[XRayDaemon]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.setblocking(False)
        yield XRayDaemon(listening)


@contextmanager
def traced_function(monkeypatch: pytest.MonkeyPatch, function: str, trace_header: str) -> Iterator[XRayDaemon]:
    """The variables that Lambda sets for an invocation of a traced function."""
    with xray_daemon() as daemon:
        monkeypatch.setenv("AWS_XRAY_DAEMON_ADDRESS", daemon.address)
        invoked(monkeypatch, function, trace_header)
        yield daemon


def invoked(monkeypatch: pytest.MonkeyPatch, function: str, trace_header: str) -> None:
    """The next invocation is of this function, in this trace."""
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", function)
    monkeypatch.setenv("_X_AMZN_TRACE_ID", trace_header)
