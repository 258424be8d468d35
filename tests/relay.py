"""A proxy between the functions and the emulator: forwards calls, and may record or refuse them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import urlsplit

# Headers of one connection, not of the call that it carries.
_NOT_PASSED_ON = ("connection", "content-length", "date", "keep-alive", "server", "transfer-encoding")


@dataclass(frozen=True, slots=True)
class Call:
    """An HTTP request. `headers` by names in lower case; `port`: the caller's."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    port: int


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes


def unnoted(_: Call) -> None:
    """Record nothing."""


class Relay:
    """Forwards every call to `target_url` after passing it to `noted`. Thread-safe."""

    def __init__(self, target_url: str, port: int, noted: Callable[[Call], None] = unnoted) -> None:
        self._noted = noted
        self.url = f"http://127.0.0.1:{port}"
        self.target = urlsplit(target_url).netloc
        self._server = ThreadingHTTPServer(("127.0.0.1", port), type("Handler", (_Handler,), {"relay": self}))
        self._server.daemon_threads = True

    @contextmanager
    def serving(self) -> Iterator[Self]:
        """Until the end of the block."""
        thread = threading.Thread(target=self._server.serve_forever, name="relay", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()

    def before(self, call: Call) -> Reply | None:
        """A reply instead of forwarding the call; None forwards it."""
        self._noted(call)
        return None


class _Handler(BaseHTTPRequestHandler):
    """One client's connection, with one to the target behind it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    relay: Relay

    def setup(self) -> None:
        super().setup()
        self._target = HTTPConnection(self.relay.target, timeout=30)

    def handle(self) -> None:
        # Killed functions leave their connections behind.
        with suppress(ConnectionError):
            super().handle()

    def finish(self) -> None:
        super().finish()
        self._target.close()

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        call = Call(self.command, self.path, headers, body, self.client_address[1])
        self._answer(self.relay.before(call) or self._asked(call))

    do_DELETE = do_GET = do_HEAD = do_POST = do_PUT = _pass_on  # noqa: N815 - the base class looks for these

    def _asked(self, call: Call) -> Reply:
        # Without a body there must be no Content-Length: some signatures include it.
        self._target.request(call.method, call.path, call.body or None, dict(call.headers))
        reply = self._target.getresponse()
        headers = {name: value for name, value in reply.getheaders() if name.lower() not in _NOT_PASSED_ON}
        return Reply(reply.status, headers, reply.read())

    def _answer(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.status != 204:
            self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Silent: a line for every call would drown the run's own output."""
