"""Rating answers on the chat page, with the mouse and with the keyboard."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from cicada.conversation.protocol import Feedback
from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import answer, ask, sign_in, whole
from tests.browser.plays import ANSWER, QUESTION


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name="Rate this answer").get_by_role("button", name=name)


def test_an_answer_is_rated_changed_and_taken_back(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_have_text(whole(ANSWER))
    good, bad = button(page, "Good answer"), button(page, "Bad answer")
    expect(good).to_have_attribute("aria-pressed", "false")
    good.click()
    expect(good).to_have_attribute("aria-pressed", "true")
    bad.focus()
    page.keyboard.press("Enter")
    expect(bad).to_have_attribute("aria-pressed", "true")
    expect(good).to_have_attribute("aria-pressed", "false")
    bad.click()
    expect(bad).to_have_attribute("aria-pressed", "false")
    # The button shows what was chosen before the server has it.
    while len(said := [each.rating for each in backend.commands if isinstance(each, Feedback)]) < 3:
        page.wait_for_timeout(10)
    assert said == ["good", "bad", None]


def test_a_rating_is_there_again_after_a_reload(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    button(page, "Bad answer").click()
    page.wait_for_function("() => document.querySelector('.feedback [aria-pressed=true]') !== null")
    [stored] = backend.requests.values()
    while stored.rating is None:
        page.wait_for_timeout(10)
    page.reload()
    expect(button(page, "Bad answer")).to_have_attribute("aria-pressed", "true")
    expect(button(page, "Good answer")).to_have_attribute("aria-pressed", "false")
