"""The chat page in a real browser, on the deployed stage."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from local.page import headers
from local.stage.aws import aws_client
from tests.chaos.target import Target
from tests.e2e.faults import stall_next_answer
from tests.e2e.store import BASE, Store
from tests.e2e.traffic import Traffic
from tests.e2e.wire import Wire, connected
from tests.e2e.wire import ask as ask_on_wire
from tests.patience import PATIENCE_MILLISECONDS

QUESTION = "What does Macbeth say about tomorrow and tomorrow?"


@pytest.fixture
def opened(stage: Target, chromium: Browser, traffic: Traffic) -> Iterator[Page]:
    """The sign-in form. Whatever the page's content security policy blocks fails the test."""
    context = chromium.new_context()
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    page = context.new_page()
    blocked: list[str] = []
    page.on("console", lambda said: blocked.append(said.text) if "Content Security Policy" in said.text else None)
    traffic.of_page(page)
    page.goto(stage.info["pageUrl"])
    yield page
    context.close()
    assert blocked == []


@pytest.fixture
def page(stage: Target, opened: Page) -> Page:
    """Signed in as the first sample user."""
    user = stage.info["users"][0]
    sign_in(opened, user["name"], user["password"])
    expect(opened.locator("#user-name")).to_have_text(user["name"])
    return opened


def sign_in(page: Page, name: str, password: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


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


def test_everything_that_the_page_loads_has_the_headers(opened: Page, stage: Target) -> None:
    """The headers are those that CloudFront sends: tests/infra/test_page.py."""
    expected = headers(opened.request.get(f"{stage.info['pageUrl']}/config.json").json())
    own: list[Response] = []
    opened.on("response", lambda each: own.append(each) if each.url.startswith(stage.info["pageUrl"]) else None)
    opened.reload()
    expect(opened.get_by_label("Name")).to_be_visible()
    assert {urlsplit(each.url).path.rpartition("/")[2] for each in own} >= {"", "config.json", "page.js", "style.css"}
    for response in own:
        found = response.all_headers()
        assert {name: found.get(name.lower()) for name in expected} == expected, response.url
        assert found["cache-control"].endswith("immutable" if "/assets/" in response.url else "no-cache")


def test_a_list_of_documents_is_a_table(page: Page, stage: Target, store: Store) -> None:
    page.goto(f"{stage.info['pageUrl']}/?knowledgeBase={BASE}")
    ask(page, "List the contracts that expire in 2026")
    finished_text(page)
    expect(page.locator(".listing table tbody tr").first).to_be_visible()
    page.get_by_text("How this was answered").click()
    expect(page.locator(".how[open]")).to_be_visible()


def test_a_user_whom_an_operator_made_chooses_a_password_and_asks(opened: Page, stage: Target) -> None:
    client, pool = aws_client(stage.config, "cognito-idp"), stage.info["userPoolId"]
    first = "First-of-dora-1"
    client.admin_create_user(UserPoolId=pool, Username="dora", TemporaryPassword=first, MessageAction="SUPPRESS")
    try:
        sign_in(opened, "dora", first)
        opened.get_by_label("New password").fill("Dora-of-the-tests-1")
        opened.get_by_label("Repeat it").fill("Dora-of-the-tests-1")
        opened.get_by_role("button", name="Save and sign in").click()
        ask(opened, "Who tells Macbeth that the queen is dead?")
        assert "The queen, my lord, is dead." in finished_text(opened)
        assert client.admin_get_user(UserPoolId=pool, Username="dora")["UserStatus"] == "CONFIRMED"
    finally:
        client.admin_delete_user(UserPoolId=pool, Username="dora")


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


def test_the_page_saves_the_file_itself(page: Page, stage: Target) -> None:
    page.goto(f"{stage.info['pageUrl']}/?knowledgeBase=scripts#document=macbeth.json&in=scripts")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Original").click()
    assert saved.value.suggested_filename == "macbeth.json"
    assert Path(saved.value.path()).read_bytes() == Path("samples/macbeth.json").read_bytes()
