"""Signing out, here and everywhere: nothing of the session stays in the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import answer, ask, sign_in, whole
from tests.browser.plays import ANSWER, QUESTION
from tests.patience import PATIENCE_MILLISECONDS

# What the page keeps timers and sockets by is replaced before it is loaded, so that those left over can be counted.
COUNTED = """
  window.left = { timers: new Map(), sockets: new Set() };
  const [set, clear] = [window.setTimeout.bind(window), window.clearTimeout.bind(window)];
  window.setTimeout = (action, delay) => {
    const timer = set(() => (left.timers.delete(timer), action()), delay);
    left.timers.set(timer, delay);
    return timer;
  };
  window.clearTimeout = (timer) => (left.timers.delete(timer), clear(timer));
  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    constructor(...given) {
      super(...given);
      left.sockets.add(this);
    }
  };
"""
LEFT = """() => ({
  storage: Object.entries(sessionStorage).concat(Object.entries(localStorage)),
  cookies: document.cookie,
  text: document.body.textContent,
  fields: [...document.querySelectorAll("input, textarea")]
    .map(({ type, value, checked }) => type === "checkbox" ? checked : value).filter(Boolean),
  timers: left.timers.size,
  sockets: [...left.sockets].filter(({ readyState }) => readyState < 2).length,
})"""
# While the page forgets a sign-in that was kept, it has a timer of this delay (`PATIENCE_MS` in kept-sign-in.js).
FORGOTTEN = """async () => {
  while ([...left.timers.values()].includes(2000)) await new Promise(requestAnimationFrame);
}"""
DRAFT = "A question that was never sent"


@pytest.fixture
def watched(page: Page) -> Page:
    page.add_init_script(COUNTED)
    return page


def talk(page: Page, address: str) -> None:
    """Every place where a session leaves something: turns, passages, the list, the field, the account's dialog."""
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_have_text(whole(ANSWER))
    expect(page.get_by_role("navigation").get_by_text(QUESTION[:20])).to_be_visible()
    page.get_by_label("Your question").fill(DRAFT)


def expect_nothing_left(page: Page) -> None:
    expect(page.get_by_label("Name")).to_be_visible()
    page.evaluate(FORGOTTEN)
    left = page.evaluate(LEFT)
    for shown in (QUESTION, ANSWER[:20], DRAFT):
        assert shown not in left["text"]
    # The sample users' names are on the sign-in form.
    assert page.locator("#user-name").text_content() == ""
    assert page.locator("#conversation, #sessions").all_text_contents() == ["", ""]
    del left["text"]
    assert left == {"storage": [], "cookies": "", "fields": [], "timers": 0, "sockets": 0}


def test_nothing_of_the_session_stays_after_signing_out(watched: Page, address: str, backend: FakeBackend) -> None:
    talk(watched, address)
    watched.get_by_role("button", name="Sign out").click()
    expect_nothing_left(watched)
    assert len(backend.pool.revoked) == 1
    watched.reload()
    expect(watched.get_by_label("Name")).to_be_visible()


def test_signing_out_in_the_middle_of_an_answer_leaves_nothing_either(
    watched: Page, address: str, backend: FakeBackend
) -> None:
    backend.hold_before(4)
    sign_in(watched, address)
    ask(watched, QUESTION)
    backend.wait_for_event(3)
    watched.get_by_role("button", name="Sign out").click()
    backend.go_on()
    expect_nothing_left(watched)


def test_signing_out_everywhere_ends_the_other_devices_too(watched: Page, address: str, chromium: Browser) -> None:
    device = chromium.new_context()
    device.set_default_timeout(PATIENCE_MILLISECONDS)
    elsewhere = device.new_page()
    sign_in(elsewhere, address)
    talk(watched, address)
    watched.locator("#account").click()
    watched.get_by_role("button", name="Sign out everywhere").click()
    expect(watched.get_by_text("You were signed out.")).to_be_visible()
    expect_nothing_left(watched)
    expect(elsewhere.get_by_text("You were signed out.")).to_be_visible()
    assert elsewhere.evaluate("sessionStorage.length") == 0
    device.close()


def test_without_a_connection_signing_out_everywhere_says_that_it_did_not_happen(
    page: Page, address: str, backend: FakeBackend
) -> None:
    sign_in(page, address)
    expect(page.locator("#chat-view")).to_have_attribute("data-connection", "open")
    backend.lets_nobody_in = True
    backend.cut_connections()
    page.locator("#account").click()
    page.get_by_role("button", name="Sign out everywhere").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("There is no connection.")
    expect(page.locator("#user-name")).to_have_text("ada")


def test_a_device_keeps_a_sign_in_if_it_is_asked_to_and_until_signing_out(
    page: Page, address: str, context: BrowserContext
) -> None:
    """A closed tab leaves what a closed browser does: no storage of a session, and the databases."""
    page.goto(address)
    page.get_by_label("Keep me signed in on this device").check()
    sign_in(page, None)
    page.close()
    page = context.new_page()
    page.goto(address)
    expect(page.locator("#user-name")).to_have_text("ada")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Keep me signed in on this device")).not_to_be_checked()
    page.close()
    page = context.new_page()
    page.add_init_script("IDBFactory.prototype.open = () => { throw new DOMException('No.', 'SecurityError'); }")
    page.goto(address)
    box = page.get_by_label("Keep me signed in on this device")
    box.click()
    expect(page.get_by_text("This browser does not let the page keep a sign-in.")).to_be_visible()
    expect(box).not_to_be_checked()
    sign_in(page, None)


def test_signing_out_ends_a_duplicate_of_the_tab(page: Page, address: str, context: BrowserContext) -> None:
    """A duplicated tab begins with a copy of the tab's storage."""
    sign_in(page, address)
    kept = page.evaluate("Object.entries(sessionStorage)")
    duplicate = context.new_page()
    duplicate.add_init_script(
        f"if (!sessionStorage.length) for (const [key, value] of {kept!r}) sessionStorage.setItem(key, value)"
    )
    duplicate.goto(address)
    expect(duplicate.locator("#user-name")).to_have_text("ada")
    page.get_by_role("button", name="Sign out").click()
    expect(duplicate.get_by_text("You have signed out in another tab.")).to_be_visible()
    assert duplicate.evaluate("sessionStorage.length") == 0
