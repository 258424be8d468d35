"""One WebSocket connection: opened with a token, read by a thread of its own, kept alive."""

from __future__ import annotations

import json
import logging
import math
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal
from urllib.parse import quote, urlsplit, urlunsplit

from websockets.exceptions import (
    ConnectionClosed,
    InvalidStatus,
    WebSocketException,
)
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from cicada_client.errors import CicadaClientError, ConnectionLostError, UnauthorizedError
from cicada_client.timing import Timing

SUBPROTOCOL = "cicada.v1"
TokenPlace = Literal["query", "subprotocol"]

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
# RFC 6455 §4.1: a subprotocol is an HTTP token.
_HTTP_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
# API Gateway takes frames of 32 KB and messages of 128 KB; 8,000 characters are at most 32,000 bytes.
_PIECE_CHARACTERS = 8000
# The debug log of the library contains the handshake, and with it the token: it is switched off for every program.
_SILENT = logging.Logger("cicada_client", level=logging.CRITICAL + 1)


class Connection:
    """An open connection. `on_frame` gets each JSON object received and `on_closed` the end, both in its thread.

    `token`: the access token that it was opened with. `renew_at`: when to replace it by one with a newer token, in
    seconds of the clock.
    """

    def __init__(
        self,
        socket: ClientConnection,
        timing: Timing,
        on_frame: Callable[[Connection, dict[str, Any]], None],
        on_closed: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
        token: str = "",
        renew_at: float = math.inf,
    ) -> None:
        self.token = token
        self.renew_at = renew_at
        self._socket = socket
        self._timing = timing
        self._on_frame = on_frame
        self._on_closed = on_closed
        self._clock = clock
        self._send_lock = threading.Lock()
        self._probed_at: float | None = None
        self._closed = threading.Event()
        threading.Thread(target=self._read, name="cicada-connection", daemon=True).start()

    @property
    def closed(self) -> bool:
        """Whether nothing can be sent or received any more."""
        return self._closed.is_set()

    @property
    def dead_at(self) -> float:
        """When the connection counts as dead unless a frame arrives before; infinite while no ping is out."""
        probed_at = self._probed_at
        return math.inf if probed_at is None else probed_at + self._timing.reply_seconds

    def send(self, command: dict[str, Any]) -> None:
        """Send a command. On a closed connection nothing happens: `on_closed` reports that."""
        text = json.dumps(command, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace").decode()
        pieces = [text[start : start + _PIECE_CHARACTERS] for start in range(0, len(text), _PIECE_CHARACTERS)]
        with self._send_lock:
            try:
                self._socket.send(text if len(pieces) == 1 else pieces)
            except ConnectionClosed:
                self._closed.set()

    def probe(self) -> None:
        """Send a ping; see `dead_at`."""
        if self._probed_at is None:
            self._probed_at = self._clock()
        self.send({"action": "ping"})

    def close(self) -> None:
        """Close it; the timing limits how long the other side may take."""
        self._closed.set()
        self._socket.close()

    def _read(self) -> None:
        try:
            while not self.closed:
                self._read_one()
        except ConnectionClosed:
            pass
        finally:
            self._closed.set()
            self._on_closed()

    def _read_one(self) -> None:
        try:
            text = self._socket.recv(timeout=self._timing.keep_alive_seconds)
        except TimeoutError:
            self.probe()
            return
        self._probed_at = None
        frame = _decode(text)
        if frame is not None:
            self._on_frame(self, frame)


def open_connection(
    url: str,
    token: str,
    place: TokenPlace | None,
    timing: Timing,
    on_frame: Callable[[Connection, dict[str, Any]], None],
    on_closed: Callable[[], None],
    clock: Callable[[], float] = time.monotonic,
    renew_at: float = math.inf,
) -> Connection:
    """Connect. Raises `UnauthorizedError` if the token is refused, `ConnectionLostError` for any other failure."""
    place = place or default_place(url)
    if place == "subprotocol" and not _HTTP_TOKEN.fullmatch(token):
        raise UnauthorizedError("The access token holds characters that no access token has; sign in again.")
    with _translated(url):
        socket = connect(
            _with_token(url, token) if place == "query" else url,
            subprotocols=[Subprotocol(SUBPROTOCOL), Subprotocol(token)] if place == "subprotocol" else None,
            open_timeout=timing.open_seconds,
            close_timeout=timing.close_seconds,
            # API Gateway promises no answer to protocol pings; the protocol's own ping is used instead.
            ping_interval=None,
            proxy=None if urlsplit(url).hostname in _LOOPBACK else True,
            logger=_SILENT,
        )
    return Connection(socket, timing, on_frame, on_closed, clock, token, renew_at)


def default_place(url: str) -> TokenPlace:
    """Where the token is sent: in the query on this machine, otherwise in a header, which proxies do not log."""
    return "query" if urlsplit(url).hostname in _LOOPBACK else "subprotocol"


def printable(url: str) -> str:
    """The address without user name, password and query, which may be secret."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"


def check_address(url: str) -> None:
    """Raises ValueError, with a sentence, for an address that is not a WebSocket's."""
    parts = urlsplit(url)
    if parts.scheme not in ("ws", "wss") or not parts.hostname:
        raise ValueError("The address must begin with ws:// or wss:// and name a host.")
    if parts.port == 0:
        raise ValueError("The address must name a port from 1 to 65535.")


def _with_token(url: str, token: str) -> str:
    parts = urlsplit(url)
    query = "&".join(filter(None, [parts.query, f"token={quote(token, safe='')}"]))
    return urlunsplit((parts.scheme, parts.netloc, parts.path or "/", query, ""))


def _decode(text: str | bytes) -> dict[str, Any] | None:
    """The JSON object in a frame; None for anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


@contextmanager
def _translated(url: str) -> Iterator[None]:
    where = printable(url)
    try:
        yield
    except InvalidStatus as error:
        raise _refused_handshake(error.response.status_code, where) from error
    except ConnectionRefusedError as error:
        raise ConnectionLostError(f"Nothing answers at {where}.") from error
    except TimeoutError as error:
        raise ConnectionLostError(f"{where} did not answer in time.") from error
    except (WebSocketException, EOFError) as error:
        raise ConnectionLostError(f"What answers at {where} is no WebSocket server.") from error
    except UnicodeError as error:
        raise ConnectionLostError(f"{where} is not the name of a host.") from error
    except OSError as error:
        raise ConnectionLostError(f"{where} cannot be reached: {error.strerror or type(error).__name__}.") from error


def _refused_handshake(status: int, where: str) -> CicadaClientError:
    if status in (401, 403):
        return UnauthorizedError(
            f"{where} refused the access token (HTTP {status}): sign in again, or check the address. If it is refused"
            " again, ask your operator whether your account is enabled and has exactly one tenant."
        )
    return ConnectionLostError(f"{where} answered HTTP {status} instead of opening a connection.")
