"""Asking a question of the conversation once more, as it was or otherwise, and what is typed meanwhile."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from cicada.conversation.protocol import Failed
from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import answer, ask, sign_in, whole
from tests.browser.plays import ANSWER, QUESTION, answered

OTHER = "And what does Macbeth answer?"


def test_a_question_is_asked_again_as_a_new_turn(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_have_count(1)
    page.get_by_label("Your question").fill(OTHER)
    page.get_by_role("button", name=f"Ask again: {QUESTION}").press("Enter")
    expect(page.locator(".how")).to_have_count(2)
    expect(page.locator(".question p")).to_have_text([QUESTION, QUESTION])
    expect(page.get_by_label("Your question")).to_have_value(OTHER)
    expect(page.get_by_label("Your question")).to_be_focused()
    first, second = backend.questions()
    assert second.session_id == backend.requests[first.request_id].session_id


@pytest.mark.parametrize("retryable", [True, False])
def test_a_question_is_asked_again_after_an_error(
    page: Page, address: str, backend: FakeBackend, retryable: bool
) -> None:
    backend.answer = lambda _message: [Failed(error="The model is busy.", code="busy", retryable=retryable)]
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.get_by_role("alert")).to_contain_text("The model is busy.")
    backend.answer = lambda _message: answered()
    page.get_by_role("button", name=f"Ask again: {QUESTION}").click()
    expect(answer(page)).to_have_text(whole(ANSWER))
    expect(page.get_by_role("alert")).to_contain_text("The model is busy.")


def test_a_stopped_question_is_edited(page: Page, address: str, backend: FakeBackend) -> None:
    backend.hold_before(10)
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_contain_text("Seyton brings")
    page.keyboard.press("Escape")
    backend.go_on()
    page.get_by_role("button", name=f"Edit: {QUESTION}").press("Enter")
    expect(page.get_by_label("Your question")).to_have_value(QUESTION)
    page.keyboard.type(" And when?")
    page.keyboard.press("Enter")
    expect(page.locator(".question p")).to_have_text([QUESTION, f"{QUESTION} And when?"])


def test_editing_keeps_what_is_typed(page: Page, address: str) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    page.get_by_label("Your question").fill(OTHER)
    for _ in range(2):
        page.get_by_role("button", name=f"Edit: {QUESTION}").click()
    expect(page.get_by_label("Your question")).to_have_value(f"{OTHER}\n{QUESTION}")


def test_what_is_asked_during_an_answer_waits_for_its_end_and_is_asked_once(
    page: Page, address: str, backend: FakeBackend
) -> None:
    sign_in(page, address)
    backend.hold_before(10)
    ask(page, QUESTION)
    expect(answer(page)).to_contain_text("Seyton brings")
    ask(page, "Who is Hecate?")
    expect(page.locator("#waiting")).to_contain_text("Asked when this answer ends: Who is Hecate?")
    page.get_by_label("Your question").fill("Typed besides")
    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_label("Your question")).to_have_value("Who is Hecate?\nTyped besides")
    ask(page, OTHER)
    ask(page, "One more")
    expect(page.locator("#connection")).to_contain_text("Not sent: one question waits already.")
    expect(page.get_by_label("Your question")).to_have_value("One more")
    page.get_by_label("Your question").fill("")
    # A reload asks nothing: what waited is in the field again.
    page.reload()
    expect(answer(page)).to_contain_text("Seyton brings")
    expect(page.get_by_label("Your question")).to_have_value(OTHER)
    page.get_by_label("Your question").press("Enter")
    expect(page.locator("#waiting")).to_contain_text(OTHER)
    backend.go_on()
    expect(page.locator(".question p")).to_have_text([QUESTION, OTHER])
    expect(page.locator(".how")).to_have_count(2)
    expect(page.locator("#waiting")).to_be_hidden()
    assert [each.message for each in backend.questions()] == [QUESTION, OTHER]


def test_what_waits_stays_with_its_conversation(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, address)
    backend.hold_before(10)
    ask(page, QUESTION)
    expect(answer(page)).to_contain_text("Seyton brings")
    ask(page, OTHER)
    page.get_by_role("button", name="New conversation").first.click()
    expect(page.locator("#waiting")).to_be_hidden()
    expect(page.get_by_label("Your question")).to_have_value("")
    backend.go_on()
    page.locator(".open-session").click()
    expect(page.get_by_label("Your question")).to_have_value(OTHER)
    assert [each.message for each in backend.questions()] == [QUESTION]
