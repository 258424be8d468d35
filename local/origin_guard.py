"""Refuses what foreign web pages send to the servers of the local stage.

These servers ask nobody for a secret: the emulator takes any signature and lets any origin read its replies. A browser
would carry a request of any page that the developer looks at to them. What tells such a request:

- `Host` is not a name of this machine: a foreign page whose name was pointed at 127.0.0.1 (DNS rebinding).
- `Origin` is not the chat page's.
- `Sec-Fetch-Site` says that a page caused the request, and there is no `Origin`: an image, a form by GET, a link
  (https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header).

One such request is let through: a page of this machine opens a signed address of a document's file, to save it.
Programs send neither `Origin` nor `Sec-Fetch-Site`. Only the standard library is imported, because the emulator has a
virtual environment of its own.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Message, _Receive, _Send], Awaitable[None]]

_FILE = re.compile(r"/[a-z0-9.-]+/documents/.+", re.DOTALL)
_OF_A_FILE = frozenset({"response-content-disposition", "response-content-type", "versionId"})
_THIS_MACHINE = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d+)?")
FOREIGN_HOST = "This server of a local stage answers to 127.0.0.1 and localhost only."
FOREIGN_PAGE = "This server of a local stage takes no requests of other web pages."


class OriginGuard:
    """Wraps an ASGI application, for HTTP and WebSocket upgrades alike.

    `origins`: whose pages may call it. `serves_page`: it is the chat page's server, whose page loads its own files, and
    may be opened by a link from anywhere.
    """

    def __init__(self, app: _App, origins: Collection[str] = (), *, serves_page: bool = False) -> None:
        self._app = app
        self._origins = frozenset(origins)
        self._serves_page = serves_page

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        reason = ""
        if scope["type"] in ("http", "websocket"):
            reason = refusal(scope["headers"], self._origins, serves_page=self._serves_page)
            if reason == FOREIGN_PAGE and _saves_file(scope):
                reason = ""
        if reason:
            await _refuse(scope["type"], reason, receive, send)
        else:
            await self._app(scope, receive, send)


def page_origins(port: int) -> list[str]:
    """The origins that the chat page has on this machine."""
    return [f"http://{name}:{port}" for name in ("127.0.0.1", "localhost")]


def refusal(headers: Iterable[tuple[bytes, bytes]], origins: Collection[str], *, serves_page: bool = False) -> str:
    """Why the request is refused, in a sentence; empty if it is not. `headers` as in ASGI: names in lower case."""
    found = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
    hosts, sent = _values(found, "host"), _values(found, "origin")
    if len(hosts) != 1 or not _THIS_MACHINE.fullmatch(hosts[0]):
        return FOREIGN_HOST
    if sent:
        own = {f"http://{hosts[0]}"} if serves_page else set()
        return "" if set(sent) <= own.union(origins) else FOREIGN_PAGE
    return "" if _without_page(found) or (serves_page and _of_own_page(found)) else FOREIGN_PAGE


def _without_page(headers: list[tuple[str, str]]) -> bool:
    """A program sends no such header; `none` is an address that the user typed."""
    return set(_values(headers, "sec-fetch-site")) <= {"none"}


def _of_own_page(headers: list[tuple[str, str]]) -> bool:
    """A file for the page itself, or a link that opens it as a page of its own."""
    opened = _values(headers, "sec-fetch-mode") == ["navigate"] and _values(headers, "sec-fetch-dest") == ["document"]
    return opened or _values(headers, "sec-fetch-site") == ["same-origin"]


def _saves_file(scope: _Message) -> bool:
    """Whether a page of this machine opens a signed address of a document's file, which a browser saves.

    Parameters that the address does not have may mean a call of another service, and are refused.
    """
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
    opened = [_values(headers, f"sec-fetch-{name}") for name in ("site", "mode", "dest")]
    if scope.get("method") != "GET" or opened != [["same-site"], ["navigate"], ["document"]]:
        return False
    names = {name for name, _ in parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)}
    signed = {name for name in names if name.startswith("X-Amz-")}
    return "X-Amz-Signature" in signed and names - signed <= _OF_A_FILE and bool(_FILE.fullmatch(scope["path"]))


def _values(headers: list[tuple[str, str]], name: str) -> list[str]:
    return [value for each, value in headers if each == name]


async def _refuse(kind: str, reason: str, receive: _Receive, send: _Send) -> None:
    """HTTP status 403; a WebSocket that is closed before it was accepted gets the same."""
    if kind == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": reason})
        return
    content_type = (b"content-type", b"text/plain; charset=utf-8")
    await send({"type": "http.response.start", "status": 403, "headers": [content_type]})
    await send({"type": "http.response.body", "body": f"{reason}\n".encode()})
