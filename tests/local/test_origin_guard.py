"""Requests of programs, of the chat page and of foreign pages, as browsers send them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from local.origin_guard import FOREIGN_HOST, FOREIGN_PAGE, OriginGuard, page_origins, refusal

PAGE = page_origins(4568)
HOST = "127.0.0.1:4566"


def run(guarded: Coroutine[Any, Any, None]) -> None:
    """Runs in a separate thread: the browser of other tests has an event loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, guarded).result()


def refused(headers: Mapping[str, str], *, serves_page: bool = False) -> str:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return refusal(raw, () if serves_page else PAGE, serves_page=serves_page)


@pytest.mark.parametrize("host", [HOST, "127.0.0.1", "localhost:4566", "localhost", "[::1]:4566"])
def test_a_program_on_this_machine_is_let_through(host: str) -> None:
    assert refused({"host": host}) == ""


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:4566",
        "evil.example",
        "127.0.0.1.evil.example:4566",
        "localhost.evil.example",
        "127.0.0.1:4566@evil.example",
        "evil.example:4566, 127.0.0.1:4566",
        "",
        "0.0.0.0:4566",
    ],
)
def test_a_name_that_was_pointed_at_this_machine_is_refused(host: str) -> None:
    assert refused({"host": host}) == FOREIGN_HOST
    assert refused({"host": host, "origin": PAGE[0]}) == FOREIGN_HOST
    assert refused({"host": host}, serves_page=True) == FOREIGN_HOST


def test_a_request_without_a_host_or_with_two_is_refused() -> None:
    own = (b"host", HOST.encode())
    assert refusal([], PAGE) == refusal([own, (b"host", b"evil.example")], PAGE) == FOREIGN_HOST
    assert refusal([own, own], PAGE) == FOREIGN_HOST


@pytest.mark.parametrize("origin", PAGE)
@pytest.mark.parametrize("site", ["same-site", "cross-site"])
def test_the_chat_page_is_let_through(origin: str, site: str) -> None:
    """Another port is another origin of the same site; 127.0.0.1 and localhost are two sites."""
    assert refused({"host": HOST, "origin": origin, "sec-fetch-site": site, "sec-fetch-mode": "cors"}) == ""
    assert refused({"host": HOST, "origin": origin, "upgrade": "websocket"}) == ""


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://evil.example:4568",
        "http://127.0.0.1:4569",
        "http://127.0.0.1",
        "https://127.0.0.1:4568",
        "http://127.0.0.1:4568.evil.example",
        "chrome-extension://abcdefgh",
        "null",
        "",
    ],
)
@pytest.mark.parametrize("serves_page", [True, False])
def test_a_foreign_origin_is_refused(origin: str, *, serves_page: bool) -> None:
    assert refused({"host": HOST, "origin": origin}, serves_page=serves_page) == FOREIGN_PAGE


@pytest.mark.parametrize("site", ["cross-site", "same-site", "same-origin", "anything-new"])
@pytest.mark.parametrize(
    ("mode", "destination"), [("no-cors", "image"), ("navigate", "document"), ("navigate", "iframe")]
)
def test_what_a_page_causes_without_an_origin_is_refused(site: str, mode: str, destination: str) -> None:
    """An image, a link and a frame by GET, which for some of AWS's services is enough to change something."""
    headers = {"host": HOST, "sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": destination}
    assert refused(headers) == FOREIGN_PAGE


def test_an_address_that_the_user_typed_is_let_through() -> None:
    headers = {"host": HOST, "sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert refused(headers) == refused(headers, serves_page=True) == ""


def test_the_page_loads_its_scripts_with_an_origin_and_the_emulator_has_no_page() -> None:
    """Browsers send the origin with every module, also with one of the page's own server."""
    headers = {"host": HOST, "origin": f"http://{HOST}", "sec-fetch-site": "same-origin", "sec-fetch-dest": "script"}
    assert refused(headers, serves_page=True) == ""
    assert refused(headers) == FOREIGN_PAGE


def test_the_page_is_opened_by_links_and_loads_its_own_files_and_nobody_elses_page_reads_them() -> None:
    def of(site: str, mode: str, destination: str) -> str:
        headers = {"host": HOST, "sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": destination}
        return refused(headers, serves_page=True)

    assert of("cross-site", "navigate", "document") == of("same-origin", "cors", "empty") == ""
    assert of("cross-site", "no-cors", "script") == of("cross-site", "navigate", "iframe") == FOREIGN_PAGE
    assert of("same-site", "no-cors", "script") == FOREIGN_PAGE


FILE = "/cicada-local-documents/documents/default/store/policy-qa-006.md"
SIGNED = b"response-content-disposition=attachment&X-Amz-Signature=6f"


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, 200),
        ({"query_string": b"X-Amz-Signature=6f"}, 200),
        ({"query_string": b"response-content-disposition=attachment"}, 403),
        ({"query_string": SIGNED + b"&Action=DeleteQueue"}, 403),
        ({"path": "/"}, 403),
        ({"method": "POST"}, 403),
        ({"site": "cross-site"}, 403),
        ({"dest": "iframe"}, 403),
    ],
)
def test_a_page_of_this_machine_may_save_a_file_by_its_signed_address(changes: dict[str, Any], status: int) -> None:
    sent: list[MutableMapping[str, Any]] = []

    async def application(_: MutableMapping[str, Any], __: object, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    fetch = {"sec-fetch-site": "same-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    fetch |= {f"sec-fetch-{name}": changes[name] for name in ("site", "dest") if name in changes}
    headers = [(name.encode(), value.encode()) for name, value in {"host": HOST, **fetch}.items()]
    scope = {"type": "http", "method": "GET", "path": FILE, "query_string": SIGNED, "headers": headers} | changes
    run(OriginGuard(application, PAGE)(scope, asyncio.Queue[Any]().get, send))
    assert sent[0]["status"] == status


@pytest.mark.parametrize(("origin", "reached"), [("http://evil.example", False), (PAGE[0], True)])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_refused_request_does_not_reach_the_application(kind: str, origin: str, *, reached: bool) -> None:
    seen: list[str] = []
    sent: list[MutableMapping[str, Any]] = []

    async def application(scope: MutableMapping[str, Any], *_: object) -> None:
        seen.append(scope["type"])

    async def receive() -> MutableMapping[str, Any]:
        return {"type": f"{kind}.connect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    headers = [(b"host", HOST.encode()), (b"origin", origin.encode())]
    guarded = OriginGuard(application, PAGE)({"type": kind, "headers": headers}, receive, send)
    run(guarded)
    assert seen == [kind] * reached
    if not reached:
        assert sent[0].get("status", sent[0]["type"]) in (403, "websocket.close")
