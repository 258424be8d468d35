"""A server that follows the protocol, over an unreliable network."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.server import Server, ServerConnection, serve

from tests.published.validation import fault_in_command

Body = dict[str, Any]
TOKEN = "good-token"
WORDS = ("The ", "Queen, ", "my ", "lord, ", "is ", "dead. ", "[1]\n", "死んだ。")
SOURCE = {
    "n": 1,
    "documentId": "macbeth-5-5",
    "title": "Macbeth",
    "locator": {"episode": "Act 5", "chapter": "Scene 5", "messages": [12, 18], "speakers": ["MACBETH", "SEYTON"]},
    "excerpt": "SEYTON: The Queen, my lord, is dead.",
    "relevance": 0.91,
    "fields": {"Status": "retired"},
}
COMPLETE = {
    "type": "complete",
    "usage": {"inputTokens": 10, "outputTokens": 5},
    "timings": {"firstTokenMs": 20},
    "path": ["direct"],
    "confidence": 0.8,
}


def answer(words: Iterable[str] = WORDS) -> list[Body]:
    """The events of a whole answer, without requestId and seq."""
    return [
        {"type": "accepted", "sessionId": "session-1"},
        {"type": "status", "stage": "searching"},
        {"type": "sources", "sources": [SOURCE]},
        *({"type": "chunk", "content": word} for word in words),
        COMPLETE,
    ]


class Drop(Exception):
    """Yielded by a network: the connection breaks here."""


@dataclass
class Delivery:
    """What the server wants to send for one command: frames, the command, and which connection it is (1, 2, …)."""

    frames: list[Body]
    command: Body
    connection: int


Network = Callable[[Delivery], Iterable[Body | str | bytes | Drop]]


def undisturbed(delivery: Delivery) -> Iterable[Body]:
    """Everything arrives, once and in order."""
    return delivery.frames


@dataclass
class DisturbingServer:
    """`refuse` says for the n-th handshake, 1, 2, …, and its token which HTTP status refuses it, if any.

    `open`: how many connections are open now.
    """

    script: list[Body] = field(default_factory=answer)
    network: Network = undisturbed
    refuse: Callable[[int, str | None], int | None] = lambda number, token: None if token == TOKEN else 403
    url: str = ""
    commands: list[Body] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)
    offered_subprotocols: list[str | None] = field(default_factory=list)
    connections: int = 0
    open: int = 0
    on_command: Callable[[Body], list[Body] | None] = lambda command: None
    _questions: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def sent(self, action: str) -> list[Body]:
        """The commands of this action that arrived."""
        return [command for command in self.commands if command.get("action") == action]

    def questions(self) -> list[Body]:
        """The questions that arrived, each once: on a slow machine a client may send one again."""
        return list({command["requestId"]: command for command in self.sent("sendMessage")}.values())

    def admit(self, connection: ServerConnection, request: Request) -> Response | None:
        offered = request.headers.get("Sec-WebSocket-Protocol")
        token = next(iter(parse_qs(urlsplit(request.path).query).get("token", [])), None)
        if token is None and offered:
            token = offered.split(",")[-1].strip()
        with self._lock:
            self.tokens.append(token)
            self.offered_subprotocols.append(offered)
            status = self.refuse(len(self.tokens), token)
        return connection.respond(status, "no\n") if status else None

    def handle(self, connection: ServerConnection) -> None:
        with self._lock:
            self.connections += 1
            self.open += 1
            number = self.connections
        try:
            for text in connection:
                self._serve(connection, number, json.loads(text))
        except ConnectionClosed:
            return
        except Drop:
            connection.socket.shutdown(socket.SHUT_RDWR)
        finally:
            with self._lock:
                self.open -= 1

    def _serve(self, connection: ServerConnection, number: int, command: Body) -> None:
        with self._lock:
            self.commands.append(command)
        replies = self.on_command(command)
        frames = self._replies(command) if replies is None else replies
        for item in self.network(Delivery(frames, command, number)):
            if isinstance(item, Drop):
                raise item
            connection.send(json.dumps(item) if isinstance(item, dict) else item)

    def _replies(self, command: Body) -> list[Body]:
        match command:
            case {"action": "ping"}:
                return [{"type": "pong"}]
            case {"action": "sendMessage", "requestId": request_id}:
                self._questions.add(request_id)
                return self.numbered(request_id)
            case {"action": "resume", "requestId": request_id, "afterSeq": after} if request_id in self._questions:
                return self.numbered(request_id)[after:]
            case {"action": "resume", "requestId": request_id}:
                return [refused(request_id, "request_not_found", "There is no such request.")]
        return []

    def numbered(self, request_id: str) -> list[Body]:
        """The script's frames for a request."""
        return [{"requestId": request_id, "seq": seq} | body for seq, body in enumerate(self.script, start=1)]


def refused(request_id: str | None, code: str, sentence: str, **more: object) -> Body:
    """An error frame without seq."""
    head = {} if request_id is None else {"requestId": request_id}
    return head | {"type": "error", "error": sentence, "code": code, "retryable": False} | more


@contextmanager
def running(server: DisturbingServer) -> Iterator[DisturbingServer]:
    """Serve on a free port of this machine until the block ends."""
    with _listening(server) as listener:
        port = listener.socket.getsockname()[1]
        server.url = f"ws://127.0.0.1:{port}/local"
        thread = threading.Thread(target=listener.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            listener.shutdown()
            thread.join()
        assert [fault for fault in map(fault_in_command, server.commands) if fault] == []


def _listening(server: DisturbingServer) -> Server:
    return serve(
        server.handle,
        "127.0.0.1",
        0,
        process_request=server.admit,
        select_subprotocol=lambda connection, offered: offered[0] if offered else None,
        ping_interval=None,
        close_timeout=0.2,
        max_size=(128 * 1024, 32 * 1024),  # API Gateway: a message and a frame
    )
