"""Signing in and out, the list of conversations, and opening one again."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from cicada.conversation.protocol import Failed
from tests.browser.fake_backend import FakeBackend
from tests.browser.fake_user_pool import PASSWORDS
from tests.browser.pages import answer, ask, sign_in, whole
from tests.browser.plays import ANSWER, QUESTION, answered

OTHER = "What does Hamlet say to the players?"


def test_a_wrong_password_gets_a_sentence(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_have_text("This name and password do not match.")
    expect(page.get_by_label("Password")).to_be_focused()


def test_a_sample_user_fills_the_form(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="bob").click()
    expect(page.get_by_label("Name")).to_have_value("bob")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#user-name")).to_have_text("bob")


def test_the_token_can_be_a_subprotocol(subprotocol_backend: FakeBackend, page: Page, address: str) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_have_text(whole(ANSWER))


def test_an_example_can_be_asked_with_a_click(page: Page, address: str) -> None:
    sign_in(page, address)
    page.get_by_role("button", name=QUESTION).click()
    expect(answer(page)).to_have_text(whole(ANSWER))


def test_a_new_conversation_is_another_session_and_both_are_listed(
    page: Page, address: str, backend: FakeBackend
) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    page.get_by_role("button", name="New conversation").first.click()
    expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    expect(page.get_by_label("Your question")).to_be_focused()
    ask(page, OTHER)
    expect(page.locator(".sessions .title")).to_have_text([OTHER, QUESTION])
    expect(page.locator(".sessions [aria-current]")).to_contain_text(OTHER)
    assert len({stored.session_id for stored in backend.requests.values()}) == 2


def test_an_earlier_conversation_opens_with_its_turns_and_passages(
    page: Page, address: str, backend: FakeBackend
) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_have_count(1)
    ask(page, OTHER)
    expect(page.locator(".how")).to_have_count(2)
    page.reload()
    page.get_by_role("button", name="New conversation").first.click()
    page.locator(".sessions").get_by_role("link", name=re.compile("^Who tells")).click()
    expect(page.locator(".question p")).to_have_text([QUESTION, OTHER])
    expect(answer(page)).to_have_text(whole(ANSWER))
    # The last turn brings its passages; those of an earlier one are asked for.
    expect(page.locator(".sources:visible")).to_have_count(1)
    page.get_by_role("button", name="Show the details").click()
    expect(page.locator(".sources:visible")).to_have_count(2)
    expect(page.locator(".answer")).to_have_text([whole(ANSWER), whole(ANSWER)])


@pytest.mark.parametrize(
    ("documents", "sentence"),
    [
        (0, None),
        (1, "A document of this answer was removed, or you may not read it any more."),
        (2, "2 documents of this answer were removed, or you may not read them any more."),
    ],
)
def test_an_earlier_answer_says_how_many_of_its_documents_are_withheld(
    page: Page, address: str, backend: FakeBackend, documents: int, sentence: str | None
) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_have_count(1)
    ask(page, OTHER)
    expect(page.locator(".how")).to_have_count(2)
    first = next(iter(backend.requests.values()))
    first.withheld = documents
    page.reload()
    expect(page.locator(".question p")).to_have_text([QUESTION, OTHER])
    turns = page.locator(".turn")
    expect(turns.first.locator(".note")).to_have_text([sentence] if sentence else [])
    expect(turns.last.locator(".note")).to_have_count(0)
    # It stays when the details are there.
    turns.first.get_by_role("button", name="Show the details").click()
    expect(page.locator(".sources:visible")).to_have_count(2)
    expect(turns.first.locator(".note")).to_have_text([sentence] if sentence else [])


def test_a_long_conversation_is_opened_page_by_page(page: Page, address: str, backend: FakeBackend) -> None:
    backend.answer = lambda message: answered(f"An answer to {message}", ())
    sign_in(page, address)
    for number in range(1, 13):
        ask(page, f"Question {number}")
        expect(page.locator(".how")).to_have_count(number)
    page.reload()
    expect(page.locator(".turn")).to_have_count(10)
    page.get_by_role("button", name="Earlier turns").click()
    expect(page.locator(".question p")).to_have_text([f"Question {number}" for number in range(1, 13)])
    expect(page.get_by_role("button", name="Earlier turns")).to_have_count(0)


def test_an_answer_under_way_is_met_again_in_its_session(page: Page, address: str, backend: FakeBackend) -> None:
    backend.hold_before(12)
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_contain_text("Seyton brings Macbeth")
    page.get_by_role("button", name="New conversation").first.click()
    expect(page.get_by_role("button", name="Stop the answer")).to_be_hidden()
    page.locator(".sessions").get_by_role("link", name=re.compile("^Who tells")).click()
    expect(page.get_by_role("button", name="Stop the answer")).to_be_visible()
    backend.go_on()
    expect(answer(page)).to_have_text(whole(ANSWER))


def test_a_list_that_cannot_be_read_is_a_failure_not_an_empty_list(
    page: Page, address: str, backend: FakeBackend
) -> None:
    backend.refusal = Failed(error="The list cannot be read now.", code="dependency_unavailable", retryable=True)
    sign_in(page, address)
    expect(page.locator(".sessions")).to_contain_text("The list cannot be read now.")
    backend.refusal = None
    page.locator(".sessions").get_by_role("button", name="Try again").click()
    expect(page.locator(".sessions")).to_have_text("Your conversations will be listed here.")


def test_signing_out_leaves_nothing_for_the_next_user(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    sign_in(page, None, "bob")
    expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    expect(page.locator(".sessions")).to_have_text("Your conversations will be listed here.")
    ask(page, OTHER)
    expect(page.locator(".turn")).to_have_count(1)
    expect(answer(page)).to_have_text(whole(ANSWER))


def test_a_page_whose_rest_does_not_load_says_so_and_goes_on_when_asked_again(page: Page, address: str) -> None:
    page.route("**/chat-view-*.js", lambda route: route.abort())
    page.goto(address)
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORDS["ada"])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_have_text(
        "The rest of the page could not be loaded. Check your connection and try again."
    )
    page.unroute("**/chat-view-*.js")
    sign_in(page, None)
    expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
