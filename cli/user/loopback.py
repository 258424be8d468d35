"""Awaits a user who comes back from a browser, on an address of this machine (RFC 8252, section 7.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cli.errors import CommandError

_BACK = "You can close this tab and go back to the terminal."
_FOREIGN = "This sign-in was not begun by the command that waits in the terminal."
# Seconds after which a connection that sends nothing is closed, as browsers open some ahead.
_SILENT_SECONDS = 2
# How soon the server notices that it is to end.
_POLL_SECONDS = 0.05


class _Server(ThreadingHTTPServer):
    """Each connection has a thread: one that sends slowly, on purpose or not, keeps nobody waiting.

    `state`: of the return that is awaited. `found`: gets its query.
    """

    state: str
    found: SimpleQueue[dict[str, str]]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Silent: whatever another program sends is no matter of the terminal's."""


class Return:
    """`address`: the one that is listened on, on the interface `host`."""

    def __init__(self, server: _Server, address: str) -> None:
        self._server = server
        self.address = address
        self.host = server.server_address[0]

    def query(self, state: str, seconds: float) -> dict[str, str]:
        """The query of the first return with this state; others are refused. Raises `CommandError`."""
        self._server.state = state
        self._server.found = SimpleQueue()
        serving = Thread(target=self._server.serve_forever, args=(_POLL_SECONDS,), daemon=True)
        serving.start()
        try:
            return self._server.found.get(timeout=seconds)
        except Empty:
            raise CommandError("Nobody came back from the browser; begin again.") from None
        finally:
            self._server.shutdown()
            serving.join()


@contextmanager
def listening(addresses: Sequence[str]) -> Iterator[Return]:
    """A server on the first of the addresses, as `http://127.0.0.1:17845/`, that no other program uses."""
    for address in addresses:
        try:
            server = _Server(("127.0.0.1", urlsplit(address).port or 80), _Handler)
        except OSError:
            continue
        with server:
            yield Return(server, address)
        return
    raise CommandError(f"Other programs use the ports of {', '.join(addresses)}: end one of them.")


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _SILENT_SECONDS

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path != "/" or not {"code", "error"} & set(query):
            self._say(404, "There is nothing here.")
        elif query.get("state") != self.server.state:
            self._say(400, _FOREIGN)
        else:
            self._welcome(query)

    def _welcome(self, query: dict[str, str]) -> None:
        """Says it first, because the command may end at once; a browser that has gone is no failure."""
        try:
            self._say(200, _BACK)
        finally:
            self.server.found.put(query)

    def log_message(self, format: str, *arguments: object) -> None:
        """Silent: the address has the code."""

    def _say(self, status: int, sentence: str) -> None:
        content = sentence.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(content)
