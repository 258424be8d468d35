"""A bare WebSocket to the stage, without the client library: frames as they are."""

from __future__ import annotations

import json
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from websockets.sync.client import connect
from websockets.sync.connection import Connection

from tests.e2e.traffic import refused_on_purpose
from tests.patience import PATIENCE_SECONDS

Frame = dict[str, Any]
FINAL = ("complete", "cancelled", "error")


class Wire:
    """One connection."""

    def __init__(self, connection: Connection) -> None:
        self._socket = connection

    def send(self, **fields: object) -> None:
        self._socket.send(json.dumps(fields))

    def send_refused(self, text: str) -> None:
        """What is no good command."""
        with refused_on_purpose():
            self._socket.send(text)

    def receive(self) -> Frame:
        frame = self._socket.recv(timeout=PATIENCE_SECONDS)
        assert len(frame) <= 32 * 1024
        fields: Frame = json.loads(frame)
        return fields

    def receive_within(self, seconds: float) -> Frame | None:
        """None if nothing comes in that time."""
        try:
            frame: Frame = json.loads(self._socket.recv(timeout=seconds))
        except TimeoutError:
            return None
        return frame

    def drop(self) -> None:
        """Drop the connection without a close frame, like a lost network."""
        self._socket.socket.shutdown(socket.SHUT_RDWR)


@contextmanager
def connected(url: str, token: str) -> Iterator[Wire]:
    address = f"{url}?token={token}"
    with connect(address, open_timeout=PATIENCE_SECONDS, ping_interval=None, close_timeout=1) as connection:
        yield Wire(connection)


def ask(wire: Wire, message: str, **fields: object) -> str:
    request_id = str(uuid.uuid4())
    wire.send(action="sendMessage", requestId=request_id, message=message, **fields)
    return request_id


class Events:
    """A request's events, each once, however they arrived."""

    def __init__(self) -> None:
        self.by_seq: dict[int, Frame] = {}

    def take(self, frame: Frame) -> None:
        if "seq" in frame:
            assert self.by_seq.setdefault(frame["seq"], frame) == frame, "two events with one seq"

    @property
    def whole(self) -> bool:
        """No gap up to a final event."""
        last = max(self.by_seq, default=0)
        return len(self.by_seq) == last and last > 0 and self.by_seq[last]["type"] in FINAL

    @property
    def first_gap(self) -> int:
        """The last seq before the first that is missing."""
        seq = 0
        while seq + 1 in self.by_seq:
            seq += 1
        return seq

    @property
    def text(self) -> str:
        parts: list[str] = []
        for seq in sorted(self.by_seq):
            event = self.by_seq[seq]
            if event["type"] == "chunk":
                parts.append(event["content"])
            elif event["type"] == "reset":
                parts.clear()
        return "".join(parts)

    @property
    def types(self) -> list[str]:
        return [self.by_seq[seq]["type"] for seq in sorted(self.by_seq)]


def receive_all(wire: Wire, events: Events) -> Events:
    while not events.whole:
        events.take(wire.receive())
    return events
