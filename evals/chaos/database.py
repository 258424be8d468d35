"""DynamoDB as the disturbed stage sees it: the emulator's, behind a server that refuses calls when it is told to."""

from __future__ import annotations

import json
import random
import re
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

# As DynamoDB says it: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/CommonErrors.html
_REFUSAL = json.dumps(
    {
        "__type": "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
        "message": "The level of configured provisioned throughput for the table was exceeded.",
    }
).encode()
# A row of a request: its partition key ends with the request's id.
_REQUEST = re.compile(rb'"pk": ?{"S": ?"[^"]*#([0-9a-f-]{36})"}')
_PASSED_ON = ("content-type", "x-amzn-requestid", "x-amz-crc32")


class Database:
    """Passes every call on to `emulator_url`; throttles a share of them while a storm lasts. For several threads."""

    def __init__(self, emulator_url: str, port: int, seed: int = 1) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.emulator = urlsplit(emulator_url).netloc
        self._chance = random.Random(f"{seed}/throttling")  # noqa: S311 - not for secrets
        self._lock = threading.Lock()
        self._until = 0.0
        self._share = 0.0
        self._throttled = 0
        self._about: dict[int, tuple[float, str]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", port), type("Handler", (_Handler,), {"database": self}))
        self._server.daemon_threads = True

    @contextmanager
    def serving(self) -> Iterator[Database]:
        """Until the end of the block."""
        thread = threading.Thread(target=self._server.serve_forever, name="database", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()

    def storm(self, seconds: float, share: float) -> None:
        """From now on for so long, refuse this share of the calls; a storm that goes on is not cut short."""
        with self._lock:
            self._until = max(self._until, time.monotonic() + seconds)
            self._share = share

    @property
    def throttled(self) -> int:
        """Calls refused so far."""
        with self._lock:
            return self._throttled

    def note(self, port: int, body: bytes) -> None:
        """A call has come from this port; it may be about a request."""
        if found := _REQUEST.search(body):
            with self._lock:
                self._about[port] = (time.monotonic(), found[1].decode())

    def request_of(self, ports: Collection[int]) -> str:
        """The request that the last call from these ports was about, empty if none was."""
        with self._lock:
            return max((self._about[port] for port in ports if port in self._about), default=(0.0, ""))[1]

    def refuses(self) -> bool:
        """Whether the next call is refused."""
        with self._lock:
            refused = time.monotonic() < self._until and self._chance.random() < self._share
            self._throttled += refused
            return refused


class _Handler(BaseHTTPRequestHandler):
    """One client's connection, with one to the emulator behind it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    database: Database

    def setup(self) -> None:
        super().setup()
        self._emulator = HTTPConnection(self.database.emulator, timeout=30)

    def handle(self) -> None:
        # Killed functions leave their connections behind.
        with suppress(ConnectionError):
            super().handle()

    def finish(self) -> None:
        super().finish()
        self._emulator.close()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.database.note(self.client_address[1], body)
        if self.database.refuses():
            self._reply(400, {"Content-Type": "application/x-amz-json-1.0"}, _REFUSAL)
            return
        self._emulator.request("POST", "/", body, dict(self.headers.items()))
        reply = self._emulator.getresponse()
        passed_on = {name: value for name, value in reply.getheaders() if name.lower() in _PASSED_ON}
        self._reply(reply.status, passed_on, reply.read())

    def _reply(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """A line for every call would drown the run's own."""
