"""What is typed and not asked stays with its conversation, until the user signs out."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import answer, ask, sign_in, whole
from tests.browser.plays import ANSWER, QUESTION

DRAFT, OTHER = "And what does Macbeth", "Who is Hecate"
REFUSED = """for (const name of ["sessionStorage", "localStorage"])
  Object.defineProperty(window, name, { get() { throw new DOMException("", "SecurityError"); } });"""


def field(page: Page) -> Locator:
    return page.get_by_label("Your question")


def begin_two(page: Page, address: str) -> None:
    """A conversation with a draft, and another draft where none has begun."""
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    field(page).fill(DRAFT)
    page.get_by_role("button", name="New conversation").first.click()
    expect(field(page)).to_have_value("")
    field(page).fill(OTHER)


@pytest.mark.parametrize("storage", ["kept", "refused"])
def test_a_draft_stays_with_its_conversation(page: Page, address: str, storage: str) -> None:
    if storage == "refused":
        page.add_init_script(REFUSED)
    begin_two(page, address)
    page.locator(".open-session").click()
    expect(field(page)).to_have_value(DRAFT)
    expect(answer(page)).to_have_text(whole(ANSWER))
    page.go_back()
    expect(field(page)).to_have_value(OTHER)
    page.locator("#scroll").focus()
    page.keyboard.press("?")
    page.get_by_label("Single keys, outside of fields").uncheck()


def test_drafts_survive_a_reload(page: Page, address: str) -> None:
    begin_two(page, address)
    page.reload()
    expect(page.locator(".open-session")).to_be_visible()
    expect(field(page)).to_have_value(OTHER)
    page.locator(".open-session").click()
    expect(field(page)).to_have_value(DRAFT)
    page.reload()
    expect(page.locator(".how")).to_be_visible()
    expect(field(page)).to_have_value(DRAFT)


def test_what_is_typed_before_a_question_is_accepted_belongs_to_its_conversation(
    page: Page, address: str, backend: FakeBackend
) -> None:
    backend.hold_before(1)
    sign_in(page, address)
    ask(page, QUESTION)
    field(page).fill(DRAFT)
    backend.go_on()
    expect(page.locator(".how")).to_be_visible()
    page.get_by_role("button", name="New conversation").first.click()
    expect(field(page)).to_have_value("")
    page.locator(".open-session").click()
    expect(field(page)).to_have_value(DRAFT)
    field(page).press("Enter")
    expect(page.locator(".question p").last).to_have_text(DRAFT)
    page.reload()
    expect(page.locator(".question p")).to_have_text([QUESTION, DRAFT])
    expect(field(page)).to_have_value("")


def test_the_draft_of_a_conversation_that_is_gone_is_not_lost(page: Page, address: str, backend: FakeBackend) -> None:
    begin_two(page, address)
    page.locator(".open-session").click()
    expect(page.locator(".how")).to_be_visible()
    backend.requests.clear()
    page.reload()
    expect(page.get_by_role("heading", name="There is no such conversation")).to_be_visible()
    expect(field(page)).to_have_value(f"{OTHER}\n{DRAFT}")


def test_drafts_are_gone_after_signing_out(page: Page, address: str) -> None:
    begin_two(page, address)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Name")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0
    sign_in(page, None)
    page.locator(".open-session").click()
    expect(page.locator(".how")).to_be_visible()
    expect(field(page)).to_have_value("")
