"""A conversation that one user shares and another reads."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from cicada.conversation.protocol import Failed, SendMessage
from tests.browser.fake_backend import FakeBackend, Stored
from tests.browser.pages import answer, ask, sign_in, whole
from tests.browser.plays import ANSWER, QUESTION
from tests.browser.store import PAGE, listed
from tests.browser.test_access import clipboard, schemed, violations
from tests.browser.test_reading import library

__all__ = ["clipboard", "library", "schemed"]
SESSION = "7e57d004-2b97-4e7a-b45f-000000000000"
LINK = f"#shared=shared-{SESSION}"
MISSING = "There is no such shared conversation."


@pytest.fixture
def shared(library: FakeBackend) -> FakeBackend:
    """A conversation of twelve turns. The tenth answer is a list, and the eleventh is not shown to others."""
    for number in range(12):
        message = QUESTION if number == 11 else f"Question {number}"
        request_id = f"7e57d004-2b97-4e7a-b45f-{number:012}"
        moment = datetime.now(UTC) - timedelta(minutes=60 - number)
        stored = Stored("ada", SendMessage(request_id, message), SESSION, None, moment.isoformat())
        stored.events.extend(listed() if number == 9 else library.answer(message))
        stored.withheld = int(number == 10)
        library.requests[request_id] = stored
    library.changes[SESSION] = {"shared": True}
    return library


def row(page: Page) -> Locator:
    return page.locator(".sessions li")


@pytest.mark.usefixtures("clipboard")
def test_a_conversation_is_shared_by_a_link_until_that_ends(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    backend.refusal = Failed(error="An answer is under way.", code="session_busy", retryable=False)
    more = row(page).get_by_role("button", name="More for")
    more.click()
    row(page).get_by_role("button", name="Share").click()
    expect(row(page).get_by_role("alert")).to_have_text("An answer is under way.")
    backend.refusal = None
    row(page).get_by_role("button", name="OK").click()
    page.keyboard.press("Enter")
    row(page).get_by_role("button", name="Share").press("Enter")
    field = row(page).get_by_label("Link for others")
    expect(field).to_be_focused()
    expect(field).to_have_accessible_description(re.compile("People of your organisation .*only what they may read"))
    expect(row(page).get_by_role("status")).to_have_text("Copied")
    [session] = backend.changes
    link = f"{address}#shared=shared-{session}"
    assert (page.evaluate("navigator.clipboard.readText()"), field.input_value()) == (link, link)
    page.keyboard.press("Escape")
    expect(row(page).get_by_role("link")).to_have_accessible_name(re.compile("Shared$"))
    more.click()
    row(page).get_by_role("button", name="Stop sharing").click()
    expect(more).to_be_focused()
    expect(row(page).get_by_text("Shared")).to_have_count(0)
    assert backend.changes == {session: {"shared": None}}


def test_another_user_reads_what_is_shared_and_its_sources_and_asks_elsewhere(
    page: Page, address: str, shared: FakeBackend
) -> None:
    sign_in(page, address + LINK, user="bob")
    expect(page.get_by_role("heading", level=1)).to_have_text("Question 0")
    expect(page.locator(".turn")).to_have_count(10)
    expect(answer(page)).to_have_text(whole(ANSWER))
    expect(page.locator(".turn .speaker").first).to_have_text("ada")
    expect(page.locator(".turn").nth(8).locator(".note")).to_contain_text("may rest on documents")
    expect(page.locator(".turn").nth(7).locator("caption")).to_have_text(f"1–{PAGE} of {PAGE}")
    expect(page.locator(".composer")).to_contain_text("ada shares this conversation.")
    expect(page.get_by_label("Your question")).to_be_hidden()
    expect(page.get_by_role("button", name=re.compile("Ask again|Good answer"))).to_have_count(0)
    page.get_by_role("button", name="Earlier turns").click()
    expect(page.locator(".turn")).to_have_count(12)
    page.locator(".turn").last.get_by_role("link", name="Open Macbeth at passage 1").click()
    expect(page.locator("#reading mark").first).to_be_visible()
    page.reload()
    expect(page.locator("#reading mark").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#reading")).to_be_hidden()
    assert page.url == address + LINK
    page.get_by_role("button", name="Ask something of your own").click()
    ask(page, "Who?")
    expect(page.locator(".turn")).to_have_count(1)
    expect(page).to_have_title("Who? · Cicada")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Question 0")
    page.go_forward()
    expect(page.locator(".question p")).to_have_text("Who?")
    expect(page.get_by_label("Your question")).to_be_visible()


@pytest.mark.parametrize("wrong", ["#shared=nothing", f"#shared={'a' * 5000}"])
def test_a_wrong_link_says_so_and_leads_to_ones_own(page: Page, address: str, shared: FakeBackend, wrong: str) -> None:
    sign_in(page, address + wrong, user="bob")
    expect(page.get_by_role("heading", name="Nothing is shared here")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_text(MISSING)
    page.get_by_role("button", name="Ask something of your own").click()
    expect(page.get_by_label("Your question")).to_be_focused()
    assert page.url == address


def test_what_is_not_shared_any_more_goes_from_the_screen_with_the_next_page(
    page: Page, address: str, shared: FakeBackend
) -> None:
    sign_in(page, address + LINK, user="bob")
    expect(page.locator(".turn")).to_have_count(10)
    shared.changes.clear()
    page.get_by_role("button", name="Earlier turns").click()
    expect(page.get_by_role("alert")).to_have_text(MISSING)
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.locator(".composer")).not_to_contain_text("ada")


def test_axe_finds_nothing_where_something_is_shared(schemed: Page, address: str, shared: FakeBackend) -> None:
    page = schemed
    sign_in(page, address + LINK)
    expect(page.locator(".turn")).to_have_count(10)
    row(page).get_by_role("button", name="More for").click()
    row(page).get_by_role("button", name="Link for others").click()
    expect(row(page).get_by_label("Link for others")).to_be_focused()
    found = violations(page)
    page.evaluate("localStorage.setItem('cicada.language', 'ar')")
    page.goto(f"{address}?#shared=nothing")
    expect(page.locator("html[lang=ar][dir=rtl] .welcome h1")).to_be_visible()
    assert found + violations(page) == []
