"""The chat page in a real browser, on the deployed stage."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from evals.chaos.target import Target
from tests.e2e.faults import stall_next_answer
from tests.e2e.traffic import Traffic
from tests.e2e.wire import Wire, connected
from tests.e2e.wire import ask as ask_on_wire
from tests.patience import PATIENCE_MILLISECONDS

QUESTION = "What does Macbeth say about tomorrow and tomorrow?"


@pytest.fixture
def page(stage: Target, chromium: Browser, traffic: Traffic) -> Iterator[Page]:
    """Signed in as the first sample user."""
    user = stage.info["users"][0]
    context = chromium.new_context()
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    page = context.new_page()
    traffic.of_page(page)
    page.goto(stage.info["pageUrl"])
    page.get_by_label("Name").fill(user["name"])
    page.get_by_label("Password").fill(user["password"])
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#user-name")).to_have_text(user["name"])
    yield page
    context.close()


def ask(page: Page, message: str) -> None:
    page.get_by_label("Your question").fill(message)
    page.get_by_label("Your question").press("Enter")


def finished_text(page: Page) -> str:
    """The text of the answer once it is whole."""
    expect(page.get_by_text("How this was answered")).to_be_visible()
    return page.locator(".answer").last.inner_text()


def test_the_page_answers_with_sources_beside_the_text(page: Page) -> None:
    ask(page, "Who tells Macbeth that the queen is dead?")
    assert "The queen, my lord, is dead." in finished_text(page)
    expect(page.get_by_text("5.5 Dunsinane. Within the castle.").first).to_be_visible()


def test_the_question_field_stays_in_sight_beside_a_long_list_of_conversations(page: Page, stage: Target) -> None:
    with connected(stage.url, stage.token("alice")) as wire:
        for _ in range(20):
            ask_on_wire(wire, "Hello there!")
        accepted = 0
        while accepted < 20:
            accepted += wire.receive()["type"] == "accepted"
    page.reload()
    last = page.get_by_role("navigation").get_by_role("button").nth(19)
    expect(last).to_be_attached()
    expect(page.get_by_label("Your question")).to_be_in_viewport()


def newest_status(wire: Wire) -> object:
    """What has become of the user's last question."""
    wire.send(action="history")
    session = wire.receive()["sessions"][0]["sessionId"]
    wire.send(action="history", sessionId=session)
    return wire.receive()["turns"][0]["status"]


def test_a_page_that_goes_offline_in_mid_answer_has_the_whole_text_when_it_is_back(page: Page, stage: Target) -> None:
    ask(page, QUESTION)
    undisturbed = finished_text(page)
    page.get_by_role("button", name="New conversation").first.click()
    ask(page, QUESTION)
    expect(page.locator(".answer").last).to_contain_text("Macbeth")
    page.context.set_offline(True)
    with connected(stage.url, stage.token(stage.info["users"][0]["name"])) as wire:
        while newest_status(wire) != "complete":
            time.sleep(0.2)
    page.context.set_offline(False)
    assert finished_text(page) == undisturbed


def test_the_stop_button_ends_the_answer(page: Page, stage: Target) -> None:
    stall_next_answer(stage)
    ask(page, QUESTION)
    expect(page.locator(".answer").last).to_contain_text("Macbeth")
    page.get_by_role("button", name="Stop the answer").click()
    expect(page.get_by_text("Stopped").first).to_be_visible()
