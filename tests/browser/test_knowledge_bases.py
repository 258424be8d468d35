"""Which knowledge base is asked, as the chat page says it."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from cicada.conversation.protocol import BaseSummary, Failed
from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import answer, ask, sign_in, whole
from tests.browser.plays import ANSWER, QUESTION

HOSTILE = "<img src=x onerror=alert(1)>"


def test_the_page_says_which_base_is_asked(page: Page, address: str) -> None:
    asked = page.locator("#asked")
    sign_in(page, address)
    expect(asked).to_have_text("scripts · 2 documents")
    page.goto(f"{address}?knowledgeBase=store")
    expect(asked).to_have_text("store")
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
    expect(asked).to_have_text("store")
    page.get_by_role("button", name="New conversation").first.click()
    expect(asked).to_have_text("scripts · 2 documents")


def test_a_base_is_chosen_and_asked_by_one_of_its_questions(page: Page, address: str, backend: FakeBackend) -> None:
    shop = BaseSummary(
        "shop", 1250, f"{HOSTILE} What we sell.", (f"What about {HOSTILE}?", "Which documents are there?")
    )
    backend.bases.append(shop)
    sign_in(page, address)
    expect(page.get_by_role("button", name=QUESTION)).to_be_visible()
    page.get_by_role("button", name="Knowledge base: scripts · 2 documents").click()
    dialog = page.get_by_role("dialog", name="Knowledge bases")
    expect(dialog.locator("[aria-current]")).to_contain_text("Scripts of dramas.")
    backend.bases.append(BaseSummary("late", 1))
    page.keyboard.press("Escape")
    expect(page.locator("#bases")).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("link")).to_have_count(3)
    # Closed and opened again before the browser has told that it was closed.
    page.evaluate("document.querySelector('dialog').close(), document.querySelector('#bases').click()")
    expect(page.locator("dialog")).to_have_count(1)
    dialog.get_by_role("link", name="shop · 1,250 documents").click()
    expect(page).to_have_url(f"{address}?knowledgeBase=shop")
    expect(page.locator(".welcome")).to_contain_text(f"{HOSTILE} What we sell.")
    page.get_by_role("button", name=f"What about {HOSTILE}?").click()
    expect(answer(page)).to_have_text(whole(ANSWER))
    assert [each.knowledge_base for each in backend.questions()] == ["shop"]
    page.go_back()
    expect(page.locator("#asked")).to_have_text("scripts · 2 documents")
    expect(page.get_by_role("button", name=QUESTION)).to_be_visible()


def test_a_list_that_does_not_come_says_why_and_keeps_the_rest(page: Page, address: str, backend: FakeBackend) -> None:
    backend.refuses_bases = Failed(error="The index is asleep.", code="dependency_unavailable", retryable=True)
    sign_in(page, address)
    expect(page.locator("#asked")).to_have_text("scripts")
    page.locator("#bases").click()
    expect(page.get_by_role("dialog").get_by_role("status")).to_have_text("The index is asleep.")
    page.keyboard.press("Escape")
    ask(page, QUESTION)
    expect(answer(page)).to_have_text(whole(ANSWER))


def test_a_name_that_no_base_can_have_is_told_at_once(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, f"{address}?knowledgeBase=my shop")
    expect(page.get_by_role("alert")).to_contain_text("There is no knowledge base “my shop”")
    assert backend.questions() == []
