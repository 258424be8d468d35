"""What can be checked of the page's looks, and the headers that it is served with."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from cicada.conversation.protocol import ListedDocument, Listing
from tests.browser.contrast import CONTRASTS
from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import answer, ask, sign_in, whole
from tests.browser.plays import ANSWER, QUESTION, SOURCES, answered
from tests.browser.store import LIST, listed
from tests.patience import PATIENCE_MILLISECONDS

LONG_WORD = "Honorificabilitudinitatibus" * 8


def test_nothing_is_wider_than_the_screen(page: Page, address: str, backend: FakeBackend) -> None:
    source = replace(SOURCES[0], excerpt=LONG_WORD, title=LONG_WORD, fields={LONG_WORD: LONG_WORD})
    backend.answer = lambda _message: answered(f"{LONG_WORD} [1]\n\n- {LONG_WORD}", (source,))
    sign_in(page, address)
    ask(page, LONG_WORD)
    expect(page.locator(".how")).to_be_visible()
    for width in (320, 360, 390, 768, 1024, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 740})
        for place in ("html", "#scroll", ".sources", "#rail"):
            wider = page.locator(place).evaluate("element => element.scrollWidth - element.clientWidth")
            assert wider == 0, f"{place} on a screen of {width}"


def test_a_wide_table_scrolls_by_itself(page: Page, address: str, backend: FakeBackend) -> None:
    fields = {f"Field {number} {LONG_WORD}"[:40]: LONG_WORD for number in range(6)}
    document = ListedDocument(document_id="d", title=LONG_WORD, fields=fields)
    backend.answer = lambda _message: [Listing(total=1, documents=(document,)), *listed()]
    sign_in(page, address)
    ask(page, LIST)
    page.get_by_text("How this was answered").click()
    for width in (320, 390, 1024, 1920):
        page.set_viewport_size({"width": width, "height": 740})
        for place in ("html", "#scroll", ".turn", ".listing"):
            wider = page.locator(place).evaluate("element => element.scrollWidth - element.clientWidth")
            assert wider == 0, f"{place} on a screen of {width}"


def test_on_a_narrow_screen_passages_stand_below_and_the_list_is_a_drawer(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_have_text(whole(ANSWER))
    text_box, card_box = answer(page).bounding_box(), page.locator(".card").first.bounding_box()
    assert text_box is not None
    assert card_box is not None
    assert card_box["y"] >= text_box["y"] + text_box["height"]
    new = page.locator("#new-conversation")
    expect(new).to_be_hidden()
    page.get_by_role("button", name="Conversations").click()
    expect(new).to_be_focused()
    page.keyboard.press("Escape")
    expect(new).to_be_hidden()
    expect(page.get_by_role("button", name="Conversations")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_a_contrast_of_four_and_a_half_to_one(
    chromium: Browser, address: str, backend: FakeBackend, scheme: str
) -> None:
    context = chromium.new_context(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    page = context.new_page()
    page.goto(address)
    low = page.locator("body").evaluate(CONTRASTS)
    sign_in(page, None)
    low += page.locator("body").evaluate(CONTRASTS)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    page.locator(".citation").first.hover()
    low += page.locator("body").evaluate(CONTRASTS)
    backend.answer = listed
    ask(page, LIST)
    expect(page.locator(".how")).to_have_count(2)
    page.get_by_text("How this was answered").last.click()
    page.locator(".listing tbody tr").first.hover()
    low += page.locator("body").evaluate(CONTRASTS)
    context.close()
    assert low == []


def test_the_page_may_talk_to_its_own_services_only(page: Page, address: str) -> None:
    headers = page.request.get(f"{address}config.json").headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "*" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("file", ["page.js", "style.css"])
def test_a_file_that_does_not_come_is_named(page: Page, address: str, file: str) -> None:
    page.route(f"**/assets/*/{file}", lambda route: route.abort())
    page.goto(address)
    expect(page.get_by_role("alert").first).to_have_text(
        f"The page could not be loaded: {file} did not come. Reload the page to try again."
    )


def test_the_page_loads_nothing_from_elsewhere(page: Page, address: str) -> None:
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(request.url))
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    own = address.removesuffix("/")
    assert {url for url in hosts if not url.startswith(own) and "/?" not in url and not url.endswith("/")} == set()
