"""The settings: how the page looks, and what is kept of the user."""

from __future__ import annotations

import json

from playwright.sync_api import Page, expect

from cicada.conversation.protocol import Failed
from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import ask, sign_in

BODY = "getComputedStyle(document.body).backgroundColor"
NIGHT, DAY = "rgb(18, 25, 27)", "rgb(246, 242, 232)"


def test_theme_and_size_are_kept_or_the_page_says_that_they_are_not(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 320, "height": 700})
    sign_in(page, address)
    page.get_by_role("button", name="Conversations").click()
    page.get_by_role("button", name="ada · Settings").click()
    page.get_by_label("Dark").check()
    page.get_by_label("Largest").check()
    assert page.evaluate(BODY) == NIGHT
    assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "21.6px"
    assert page.get_by_role("dialog").evaluate("dialog => dialog.scrollWidth - dialog.clientWidth") == 0
    page.reload()
    assert page.evaluate(BODY) == NIGHT
    page.add_init_script("Storage.prototype.setItem = () => { throw new DOMException('No', 'QuotaExceededError'); }")
    page.reload()
    page.get_by_role("button", name="Conversations").click()
    page.locator("#account").click()
    expect(page.get_by_label("Dark")).to_be_checked()
    page.get_by_label("Light").check()
    expect(page.get_by_role("dialog").get_by_text("This browser keeps nothing of the page")).to_be_visible()
    assert page.evaluate(BODY) == DAY


def test_everything_is_saved_and_deleted_after_the_word(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, address)
    for number, message in enumerate(("Who?", "When?"), 1):
        page.get_by_role("button", name="New conversation").click()
        ask(page, message)
        expect(page.locator(".how")).to_have_count(1)
        expect(page.locator(".sessions .title")).to_have_count(number)
    page.locator("#account").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save all as JSON").click()
    saved = json.loads(download.value.path().read_text("utf-8"))
    assert [[turn["message"] for turn in each["turns"]] for each in saved["conversations"]] == [["When?"], ["Who?"]]
    page.get_by_role("button", name="Delete everything of mine").click()
    page.get_by_label("Type “delete” to go on").fill("all")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_text("Nothing was deleted")).to_be_visible()
    page.get_by_label("Type “delete” to go on").fill("Delete")
    backend.refusal = Failed(error="Too fast.", code="rate_limited", retryable=True, retry_after_seconds=1)
    page.get_by_role("button", name="Delete everything", exact=True).click()
    expect(page.get_by_role("button", name="Keep it")).to_be_disabled()
    backend.refusal = None
    expect(page.get_by_role("dialog")).to_contain_text("Deleted: 2 conversations with 2 questions. Your account stays")
    assert backend.requests == {}
    expect(page.locator(".sessions .title")).to_have_count(0)
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()


def test_the_language_is_chosen_in_the_settings_and_what_was_typed_stays(page: Page, address: str) -> None:
    sign_in(page, address)
    page.get_by_label("Your question").fill("Who is Hecate")
    page.locator("#account").click()
    page.get_by_label("Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_label("Ihre Frage")).to_have_value("Who is Hecate")
    page.reload()
    page.get_by_role("button", name="Einstellungen").click()
    page.get_by_label("Wie der Browser").click()
    expect(page.get_by_label("Your question")).to_have_value("Who is Hecate")
