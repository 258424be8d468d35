"""The page's side of the promise: the answer arrives whole, whatever happens to the connection and to the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from cicada.conversation.protocol import Resume, SendMessage
from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import answer, ask, sign_in, whole
from tests.browser.plays import ANSWER, QUESTION


def test_an_answer_goes_on_after_the_page_was_offline(
    page: Page, context: BrowserContext, address: str, backend: FakeBackend
) -> None:
    backend.hold_before(12)
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_contain_text("Seyton brings Macbeth")
    context.set_offline(True)
    backend.cut_connections()
    expect(page.locator("#connection")).to_have_text("Offline — the answer goes on when you are back.")
    backend.go_on()
    context.set_offline(False)
    expect(answer(page)).to_have_text(whole(ANSWER))
    expect(page.locator("#connection")).to_have_text("")
    expect(page.get_by_text("5.1 Dunsinane. Ante-room in the castle.")).to_be_visible()


def test_a_question_asked_offline_is_sent_when_the_network_is_back(
    page: Page, context: BrowserContext, address: str, backend: FakeBackend
) -> None:
    sign_in(page, address)
    context.set_offline(True)
    ask(page, QUESTION)
    expect(page.locator(".status")).to_have_text("Sending…")
    context.set_offline(False)
    expect(answer(page)).to_have_text(whole(ANSWER))
    assert len(backend.requests) == 1


@pytest.mark.parametrize("seq", [1, 2, 4, 5, 40, 71])
def test_an_answer_is_whole_wherever_the_connection_breaks(
    page: Page, address: str, backend: FakeBackend, seq: int
) -> None:
    backend.hold_before(seq)
    sign_in(page, address)
    ask(page, QUESTION)
    backend.wait_for_event(seq - 1)
    backend.cut_connections()
    backend.go_on()
    expect(answer(page)).to_have_text(whole(ANSWER))
    expect(page.locator(".how")).to_be_visible()
    assert len(backend.requests) == 1


def test_a_reload_in_the_middle_of_an_answer_loses_nothing(page: Page, address: str, backend: FakeBackend) -> None:
    backend.hold_before(12)
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_contain_text("Seyton brings Macbeth")
    page.reload()
    expect(page.locator(".question p")).to_have_text(QUESTION)
    expect(page.get_by_role("button", name="Stop the answer")).to_be_visible()
    backend.go_on()
    expect(answer(page)).to_have_text(whole(ANSWER))
    expect(page.locator(".turn")).to_have_count(1)
    assert len(backend.requests) == 1
    assert any(isinstance(command, Resume) for command in backend.commands)


def test_a_reload_before_the_question_was_accepted_asks_it_again(
    page: Page, address: str, backend: FakeBackend
) -> None:
    backend.hold_before(1)
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".status")).to_have_text("Sending…")
    backend.wait_for_event(0)
    page.reload()
    backend.go_on()
    expect(answer(page)).to_have_text(whole(ANSWER))
    sent = [command.request_id for command in backend.commands if isinstance(command, SendMessage)]
    assert len(sent) >= 2
    assert len(set(sent)) == 1


def test_a_reload_in_a_longer_conversation_shows_all_of_it_once(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_have_count(1)
    backend.hold_before(12)
    ask(page, "And what does Macbeth answer?")
    expect(answer(page)).to_contain_text("Seyton brings Macbeth")
    page.reload()
    expect(page.locator(".question p")).to_have_text([QUESTION, "And what does Macbeth answer?"])
    backend.go_on()
    expect(answer(page)).to_have_text(whole(ANSWER))


def test_an_expired_token_is_renewed_without_a_word(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, address)
    backend.pool.expire_tokens()
    ask(page, QUESTION)
    expect(answer(page)).to_have_text(whole(ANSWER))
    assert backend.pool.sign_ins == ["USER_SRP_AUTH", "refresh"]
    assert len(backend.requests) == 1


def test_when_the_session_is_over_one_signs_in_again_and_the_answer_goes_on(
    page: Page, address: str, backend: FakeBackend
) -> None:
    backend.hold_before(12)
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_contain_text("Seyton brings Macbeth")
    backend.pool.end_sessions()
    backend.cut_connections()
    expect(page.get_by_role("alert")).to_contain_text("Your session has ended.")
    backend.go_on()
    sign_in(page, None)
    expect(answer(page)).to_have_text(whole(ANSWER))


def test_a_connection_is_replaced_before_its_token_expires_and_nobody_sees_it(
    page: Page, address: str, backend: FakeBackend
) -> None:
    """A token that is valid for 61 seconds is replaced after one."""
    backend.pool.valid_seconds = 61
    backend.hold_before(4)
    sign_in(page, address)
    chat = page.locator("#chat-view")
    expect(chat).to_have_attribute("data-connection", "open")
    chat.evaluate(
        """chat => new MutationObserver(() => {
            if (chat.dataset.connection !== "open") document.body.append("The connection was seen to be lost.");
        }).observe(chat, { attributeFilter: ["data-connection"] })"""
    )
    ask(page, QUESTION)
    backend.wait_for_event(3)
    backend.wait_for_connections(2)
    backend.go_on()
    expect(answer(page)).to_have_text(whole(ANSWER))
    expect(page.get_by_text("The connection was seen to be lost.")).to_have_count(0)


def test_a_refused_handshake_says_so_and_offers_to_sign_in_again(
    page: Page, address: str, backend: FakeBackend
) -> None:
    backend.lets_nobody_in = True
    sign_in(page, address)
    connection = page.locator("#connection")
    expect(connection).to_contain_text("The service refused the connection, or does not answer.")
    connection.get_by_role("button", name="Sign in again").click()
    expect(page.get_by_label("Name")).to_be_visible()
    backend.lets_nobody_in = False
    sign_in(page, None)
    expect(page.locator("#chat-view")).to_have_attribute("data-connection", "open")
    expect(connection).to_be_empty()


def test_a_refused_handshake_is_tried_again_when_the_user_asks_for_it(
    page: Page, address: str, backend: FakeBackend
) -> None:
    backend.lets_nobody_in = True
    sign_in(page, address)
    now = page.get_by_role("button", name="Try now")
    expect(now).to_be_visible()
    backend.lets_nobody_in = False
    now.click()
    expect(page.locator("#chat-view")).to_have_attribute("data-connection", "open")
    expect(page.locator("#connection")).to_be_empty()
