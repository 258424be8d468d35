"""Every frame that the end-to-end tests see or send, held against the published schemas.

Recorded in the WebSocket library and in the browser, so that no test can bypass it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocket
from websockets.sync.client import ClientConnection

from tests.published.validation import fault_in_command, fault_in_frame

_refused_on_purpose = ContextVar("_refused_on_purpose", default=False)


@contextmanager
def refused_on_purpose() -> Iterator[None]:
    """Frames sent inside are deliberately invalid."""
    token = _refused_on_purpose.set(True)
    try:
        yield
    finally:
        _refused_on_purpose.reset(token)


class Traffic:
    """Notes in any thread, for they cost nothing there; `faults` looks at what was noted since the last time."""

    def __init__(self) -> None:
        self._received: list[str] = []
        self._sent: list[str] = []
        self.frames = 0
        self.commands = 0

    def received(self, text: str | bytes) -> None:
        self._received.append(text if isinstance(text, str) else text.decode())

    def sent(self, text: str | bytes) -> None:
        if not _refused_on_purpose.get():
            self._sent.append(text if isinstance(text, str) else text.decode())

    def faults(self) -> list[str]:
        received, self._received = self._received, []
        sent, self._sent = self._sent, []
        self.frames += len(received)
        self.commands += len(sent)
        found = [fault_in_frame(json.loads(text)) for text in received]
        found += [fault_in_command(json.loads(text)) for text in sent]
        return [fault for fault in found if fault]

    def of_library(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Note what passes through any socket of this process."""
        receive, send = ClientConnection.recv, ClientConnection.send

        def noted_recv(connection: ClientConnection, *arguments: Any, **options: Any) -> Any:
            text = receive(connection, *arguments, **options)
            self.received(text)
            return text

        def noted_send(connection: ClientConnection, message: Any, *arguments: Any, **options: Any) -> None:
            # A message in several frames is a list of texts.
            self.sent(message if isinstance(message, (str, bytes)) else "".join(message))
            send(connection, message, *arguments, **options)

        monkeypatch.setattr(ClientConnection, "recv", noted_recv)
        monkeypatch.setattr(ClientConnection, "send", noted_send)

    def of_page(self, page: Page) -> None:
        """Note what passes through the sockets of a page."""

        def listen(socket: WebSocket) -> None:
            socket.on("framereceived", self.received)
            socket.on("framesent", self.sent)

        page.on("websocket", listen)
