"""A conversation as a file and on paper: the page and the terminal make the same of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from playwright.sync_api import Page, expect

from cicada.conversation.protocol import AnyEventBody, Failed
from cicada_client.client import Client
from cli.screen import open_screen
from cli.user.export import exported, markdown_of
from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import ask, sign_in
from tests.browser.plays import QUESTION, SOURCES, answered
from tests.browser.store import LIST, listed

HOSTILE = "# *Who*\n[x](javascript:alert(1)) <b>?"


def answering(events: Sequence[AnyEventBody], _message: str) -> Sequence[AnyEventBody]:
    return events


def saved(page: Page, label: str) -> str:
    """The file that the first conversation of the list is saved as."""
    page.locator(".sessions li").first.get_by_role("button", name="More for").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=label).click()
    path: Path = download.value.path()
    return path.read_text("utf-8")


def test_the_page_saves_what_the_terminal_prints(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, address)
    hostile = answered(sources=tuple(replace(each, title=HOSTILE) for each in SOURCES))
    for number, (question, events) in enumerate([(HOSTILE, hostile), (LIST, listed()), (QUESTION, answered())], 1):
        backend.answer = partial(answering, events)
        ask(page, question)
        expect(page.locator(".how")).to_have_count(number)
    session_id = next(iter(backend.requests.values())).session_id
    url = page.evaluate("fetch('config.json').then((reply) => reply.json())")["websocketUrl"]
    token = page.evaluate("JSON.parse(sessionStorage.getItem('cicada.signIn')).accessToken")
    with Client(url, lambda: token) as client:
        printed = exported(client, session_id, open_screen())
    assert [turn["message"] for turn in printed["turns"]] == [HOSTILE, LIST, QUESTION]
    assert printed["turns"][0]["sources"]
    assert printed["turns"][1]["documents"]
    assert json.loads(saved(page, "Save as JSON")) == printed
    text = markdown_of(printed)
    assert saved(page, "Save as Markdown") == text
    assert text.startswith("# \\# \\*Who\\* \\[x\\](javascript:alert(1)) \\<b\\>?\n")
    assert "\n> # *Who*\n> [x]" in text
    assert "\n[1] \\# \\*Who\\* \\[x\\](javascript:alert(1)) \\<b\\>?\n" in text


def test_a_conversation_that_cannot_be_read_whole_is_not_saved(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    backend.refusal = Failed(error="It cannot be read now.", code="dependency_unavailable", retryable=True)
    page.locator(".sessions li").first.get_by_role("button", name="More for").click()
    page.get_by_role("button", name="Save as JSON").click()
    expect(page.locator(".sessions").get_by_role("alert")).to_have_text("It cannot be read now.")


def test_a_print_has_the_whole_conversation_and_nothing_around_it(page: Page, address: str) -> None:
    sign_in(page, address)
    for number in (1, 2, 3, 4):
        ask(page, QUESTION)
        expect(page.locator(".how")).to_have_count(number)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("body").evaluate("body => getComputedStyle(body).color") == "rgb(37, 35, 29)"
    expect(page.locator("#rail")).to_be_hidden()
    expect(page.locator("#composer")).to_be_hidden()
    height = page.evaluate("document.documentElement.scrollHeight")
    last = page.locator(".turn").last.bounding_box()
    assert last
    assert last["y"] + last["height"] <= height + 1
    assert height > page.viewport_size["height"]  # type: ignore[index]
