"""Which knowledge base is asked, as the chat page says it."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import answer, ask, sign_in, whole
from tests.browser.plays import ANSWER, QUESTION


def test_the_page_says_which_base_is_asked(page: Page, address: str) -> None:
    asked = page.locator("#asked")
    sign_in(page, address)
    expect(asked).to_have_text("Knowledge base: scripts")
    page.goto(f"{address}?knowledgeBase=store")
    expect(asked).to_have_text("Knowledge base: store")
    page.get_by_role("button", name="Sign out").click()
    expect(asked).to_have_text("")


def test_a_conversation_says_which_base_it_asks(page: Page, address: str, backend: FakeBackend) -> None:
    """It goes on with the base that it began with, whatever the page's address names."""
    asked = page.locator("#asked")
    sign_in(page, f"{address}?knowledgeBase=store")
    ask(page, QUESTION)
    expect(answer(page)).to_have_text(whole(ANSWER))
    expect(page.locator(".open-session .when")).to_contain_text(" · store")
    session = next(iter(backend.requests.values())).session_id
    page.goto(f"{address}?conversation={session}")
    expect(answer(page)).to_have_text(whole(ANSWER))
    expect(asked).to_have_text("Knowledge base: store")
    page.get_by_role("button", name="New conversation").first.click()
    expect(asked).to_have_text("Knowledge base: scripts")


def test_a_name_that_no_base_can_have_is_told_at_once(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, f"{address}?knowledgeBase=my shop")
    expect(page.get_by_role("alert")).to_contain_text("There is no knowledge base “my shop”")
    assert backend.questions() == []
