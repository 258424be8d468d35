"""The list of conversations: by day, searched, and what can be done with one of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from cicada.conversation.protocol import Failed, SendMessage
from tests.browser.fake_backend import SEARCHED, FakeBackend, Stored
from tests.browser.pages import ask, sign_in

HOSTILE = "<img src=x onerror=alert(1)>\u202e [31m"


def asked(backend: FakeBackend, message: str, days_ago: int = 0, session_id: str = "") -> None:
    """A conversation of one question, so many days old, or one more question of it."""
    request_id = f"7e57d004-2b97-4e7a-b45f-{len(backend.requests):012}"
    moment = datetime.now(UTC) - timedelta(days=days_ago)
    stored = Stored("ada", SendMessage(request_id, message), session_id or request_id, None, moment.isoformat())
    stored.events.extend(backend.answer(message))
    backend.requests[request_id] = stored


def row(page: Page, title: str) -> Locator:
    return page.locator(".sessions li").filter(has_text=title)


def titles(page: Page) -> Locator:
    return page.locator(".sessions .title")


@pytest.fixture
def listed(page: Page, address: str, backend: FakeBackend) -> Page:
    for message, days_ago in (("The oldest", 30), ("Of this week", 4), ("Of yesterday", 1), ("Of today", 0)):
        asked(backend, message, days_ago)
    sign_in(page, address)
    expect(titles(page)).to_have_count(4)
    return page


def test_conversations_are_grouped_by_day(listed: Page) -> None:
    expect(listed.locator(".sessions h2")).to_have_text(["Today", "Yesterday", "Last 7 days", "Older"])
    expect(titles(listed)).to_have_text(["Of today", "Of yesterday", "Of this week", "The oldest"])


def test_a_conversation_is_pinned_renamed_and_found_by_the_keyboard(listed: Page, backend: FakeBackend) -> None:
    row(listed, "The oldest").get_by_role("button", name="More for").focus()
    listed.keyboard.press("Enter")
    expect(listed.get_by_role("button", name="Rename")).to_be_focused()
    listed.keyboard.press("Tab")
    listed.keyboard.press("Enter")
    expect(listed.locator(".sessions h2").first).to_have_text("Pinned")
    expect(titles(listed).first).to_have_text("The oldest")
    expect(row(listed, "The oldest").get_by_role("button", name="More for")).to_be_focused()
    listed.keyboard.press("Enter")
    listed.keyboard.press("Enter")
    listed.get_by_label("Title", exact=True).fill(HOSTILE)
    listed.keyboard.press("Enter")
    expect(titles(listed).first).to_have_text(HOSTILE)
    listed.reload()
    expect(titles(listed).first).to_have_text(HOSTILE)
    listed.get_by_role("searchbox").fill("YESTER of")
    expect(titles(listed)).to_have_text(["Of yesterday"])
    asked(backend, f"And the porter? {HOSTILE}", 0, next(iter(backend.requests)))
    listed.get_by_role("searchbox").fill("PORTER")
    expect(listed.locator(".asked-there a")).to_have_text([f"And the porter? {HOSTILE}"])
    expect(listed.locator(".asked-there mark")).to_have_text(["porter"])
    line = listed.locator("mark").evaluate("mark => getComputedStyle(mark).textDecorationLine")
    assert line == "underline", "A mark is seen by more than its colour."
    expect(titles(listed)).to_have_text([HOSTILE])
    listed.get_by_role("searchbox").fill("nothing of the kind")
    expect(listed.locator(".sessions")).to_have_text("No title and no question has these words.")


def test_an_old_question_is_found_and_its_link_comes_to_that_turn(
    page: Page, address: str, backend: FakeBackend
) -> None:
    for number in range(8):
        asked(backend, f"Newer {number}", 1)
    for number in range(40):
        message = "What does the porter\nsay?" if number == 3 else f"Old {number}"
        asked(backend, message, 40 - number, "the-old-one")
    sign_in(page, address)
    expect(titles(page)).to_have_count(9)
    page.get_by_role("searchbox").fill("porter")
    link = page.locator(".asked-there").get_by_role("link")
    expect(link).to_have_text("What does the porter say?")
    expect(titles(page)).to_have_text(["Old 0"])
    link.click()
    turn = page.locator(".turn").filter(has_text="What does the porter")
    expect(turn).to_be_focused()
    expect(turn).to_be_in_viewport()
    expect(page.locator(".turn")).to_have_count(40)
    with page.context.expect_page() as opened:
        link.click(modifiers=["ControlOrMeta"])
    expect(opened.value.locator(".turn").filter(has_text="What does the porter")).to_be_focused()


def test_a_search_that_is_refused_goes_on_where_it_stopped(page: Page, address: str, backend: FakeBackend) -> None:
    for number in range(12):
        asked(backend, f"Question {number}", number)
    sign_in(page, address)
    expect(titles(page)).to_have_count(12)
    backend.refuses_search_from = SEARCHED
    page.get_by_role("searchbox").fill("question")
    expect(titles(page)).to_have_count(SEARCHED)
    expect(page.locator(".sessions").get_by_role("alert")).to_contain_text("too fast")
    backend.refuses_search_from = None
    page.get_by_role("button", name="Try again").click()
    expect(titles(page)).to_have_count(12)


def test_escape_leaves_a_menu_and_gives_the_focus_back(listed: Page) -> None:
    more = row(listed, "Of today").get_by_role("button", name="More for")
    more.click()
    expect(more).to_have_attribute("aria-expanded", "true")
    listed.get_by_role("button", name="Rename").click()
    listed.keyboard.press("Escape")
    expect(more).to_be_focused()
    expect(listed.get_by_label("Title", exact=True)).to_have_count(0)


def test_deleting_asks_once_and_leaves_the_open_conversation(listed: Page, backend: FakeBackend) -> None:
    listed.get_by_role("link", name="Of today").click()
    expect(listed.locator(".turn")).to_have_count(1)
    row(listed, "Of today").get_by_role("button", name="More for").click()
    listed.get_by_role("button", name="Delete").click()
    expect(listed.get_by_role("button", name="Keep")).to_be_focused()
    listed.get_by_role("group", name="Delete").get_by_role("button", name="Delete").click()
    expect(titles(listed)).to_have_text(["Of yesterday", "Of this week", "The oldest"])
    expect(listed.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    assert len(backend.requests) == 3


def test_what_was_deleted_elsewhere_goes_from_the_list_and_a_refusal_is_said(
    listed: Page, backend: FakeBackend
) -> None:
    busy = Failed(error="An answer of this conversation is under way.", code="session_busy", retryable=False)
    backend.refusal = busy
    for _ in range(2):
        row(listed, "Of today").get_by_role("button", name="More for").click()
        listed.get_by_role("button", name="Delete").click()
        listed.get_by_role("group", name="Delete").get_by_role("button", name="Delete").click()
        if backend.refusal:
            expect(row(listed, "Of today").get_by_role("alert")).to_have_text(busy.error)
            listed.get_by_role("button", name="OK").click()
            expect(row(listed, "Of today").get_by_role("button", name="More for")).to_be_focused()
            backend.refusal = None
            backend.requests = {
                name: each for name, each in backend.requests.items() if each.command.message != "Of today"
            }
    expect(titles(listed)).to_have_text(["Of yesterday", "Of this week", "The oldest"])


def test_a_new_conversation_is_of_today_below_what_is_pinned(listed: Page) -> None:
    row(listed, "Of yesterday").get_by_role("button", name="More for").click()
    listed.get_by_role("button", name="Pin").click()
    expect(titles(listed).first).to_have_text("Of yesterday")
    ask(listed, "A new\n\n one")
    expect(titles(listed)).to_have_text(["Of yesterday", "A new one", "Of today", "Of this week", "The oldest"])


def test_a_conversation_has_an_address_with_a_way_back_and_its_title(listed: Page, backend: FakeBackend) -> None:
    start = listed.url
    question = listed.locator(".question p")
    listed.get_by_role("link", name="Of today").click()
    expect(question).to_have_text("Of today")
    expect(listed).to_have_title("Of today · Cicada")
    address = listed.url
    assert address != start
    listed.get_by_role("link", name="The oldest").click()
    expect(question).to_have_text("The oldest")
    listed.go_back()
    expect(question).to_have_text("Of today")
    assert listed.url == address
    listed.go_back()
    expect(listed.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    listed.go_forward()
    expect(question).to_have_text("Of today")
    listed.reload()
    expect(question).to_have_text("Of today")
    with listed.context.expect_page() as opened:
        listed.get_by_role("link", name="The oldest").click(modifiers=["ControlOrMeta"])
    other = opened.value
    expect(other.locator(".question p")).to_have_text("The oldest")
    expect(question).to_have_text("Of today")


def test_a_new_conversation_gets_an_address_when_it_is_accepted(listed: Page, backend: FakeBackend) -> None:
    ask(listed, "A new one")
    expect(listed).to_have_title("A new one · Cicada")
    new = next(each for each in backend.requests.values() if each.command.message == "A new one")
    assert listed.url.endswith(f"?conversation={new.session_id}")
    listed.get_by_role("button", name="Sign out").click()
    expect(listed.get_by_role("button", name="Sign in")).to_be_visible()
    assert "conversation" not in listed.url


def test_a_link_to_a_deleted_conversation_says_so_and_a_question_there_begins_another(
    page: Page, address: str, backend: FakeBackend
) -> None:
    sign_in(page, f"{address}?conversation=gone")
    expect(page.get_by_role("heading", name="There is no such conversation")).to_be_visible()
    ask(page, "Who?")
    expect(page.locator(".how")).to_be_visible()
    expect(page.get_by_role("heading", name="There is no such conversation")).to_have_count(0)
    [stored] = backend.requests.values()
    assert stored.session_id == stored.command.request_id
    assert page.url.endswith(f"?conversation={stored.session_id}")
