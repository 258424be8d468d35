"""One connection: what is a sign of life, what is said of a failed handshake, where a token may stand."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import Any, cast

import pytest
from websockets.exceptions import ConnectionClosedOK
from websockets.sync.client import ClientConnection

from cicada_client.connection import Connection, default_place, printable
from cicada_client.timing import Timing
from tests.patience import PATIENCE_SECONDS


class Socket:
    """An open WebSocket that receives what the test puts into it; None closes it."""

    def __init__(self) -> None:
        self.incoming: SimpleQueue[str | None] = SimpleQueue()
        self.sent: list[str] = []

    def recv(self, timeout: float) -> str:
        text = self.incoming.get()
        if text is None:
            raise ConnectionClosedOK(None, None)
        return text

    def send(self, text: str) -> None:
        self.sent.append(text)

    def close(self) -> None:
        self.incoming.put(None)


class Reader:
    """A connection over such a socket, and what it handed on."""

    def __init__(self) -> None:
        self.socket = Socket()
        self.frames: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self.over = threading.Event()
        self.connection = Connection(
            cast("ClientConnection", self.socket),
            Timing(),
            on_frame=lambda connection, frame: self.frames.put(frame),
            on_closed=self.over.set,
        )


def test_any_frame_is_a_sign_of_life_after_a_ping() -> None:
    reader = Reader()
    assert reader.connection.dead_at == float("inf")
    reader.connection.probe()
    assert reader.connection.dead_at < float("inf")
    reader.socket.incoming.put('{"type": "pong"}')
    assert reader.frames.get(timeout=PATIENCE_SECONDS) == {"type": "pong"}
    assert reader.connection.dead_at == float("inf")
    assert reader.socket.sent == ['{"action":"ping"}']
    reader.connection.close()


def test_a_second_ping_does_not_put_off_the_end() -> None:
    reader = Reader()
    reader.connection.probe()
    dead_at = reader.connection.dead_at
    reader.connection.probe()
    assert reader.connection.dead_at == dead_at
    reader.connection.close()


def test_the_end_is_told_once_everything_before_it_was_handed_on() -> None:
    reader = Reader()
    reader.socket.incoming.put('{"type": "pong"}')
    reader.socket.incoming.put(None)
    assert reader.over.wait(PATIENCE_SECONDS)
    assert not reader.frames.empty()
    assert reader.connection.closed


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("ws://127.0.0.1:4566/_aws/execute-api/api/local", "query"),
        ("ws://localhost:1", "query"),
        ("ws://[::1]:1", "query"),
        ("wss://abc.execute-api.eu-west-1.amazonaws.com/prod", "subprotocol"),
        ("ws://127.0.0.1.example.com", "subprotocol"),
    ],
)
def test_a_token_stands_in_the_address_on_this_machine_only(url: str, place: str) -> None:
    assert default_place(url) == place


def test_an_address_is_said_without_what_may_be_secret_in_it() -> None:
    assert printable("wss://user:word@host.example:8443/prod?token=abc#x") == "wss://host.example:8443/prod"
