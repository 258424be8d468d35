"""Several tabs of one user: one sign-in, the same list, and an answer that is shown in all of them."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import answer, ask, sign_in, whole
from tests.browser.plays import ANSWER, QUESTION

OTHER = "What does Hamlet say to the players?"
OFFLINE = """Object.defineProperty(navigator, "onLine", { get: () => false });
  window.dispatchEvent(new Event("offline"));"""


def another_tab(context: BrowserContext, address: str) -> Page:
    """It is signed in with the first."""
    tab = context.new_page()
    tab.goto(address)
    expect(tab.locator("#user-name")).to_have_text("ada")
    return tab


def test_what_one_tab_asks_the_others_show_live(
    page: Page, address: str, backend: FakeBackend, context: BrowserContext
) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    other = another_tab(context, page.url)
    expect(answer(other)).to_have_text(whole(ANSWER))
    # Nothing comes from the server itself.
    other.evaluate(OFFLINE)
    backend.hold_before(12)
    ask(page, OTHER)
    expect(other.locator(".question p")).to_have_text([QUESTION, OTHER])
    expect(answer(other)).to_contain_text("Seyton brings Macbeth")
    expect(other.get_by_role("button", name="Stop the answer")).to_be_visible()
    backend.go_on()
    for tab in (other, page):
        expect(answer(tab)).to_have_text(whole(ANSWER))
        expect(tab.get_by_role("button", name="Stop the answer")).to_be_hidden()


def test_all_tabs_have_the_same_list(page: Page, address: str, context: BrowserContext) -> None:
    sign_in(page, address)
    other = another_tab(context, address)
    other.get_by_label("Your question").fill("A draft")
    ask(page, QUESTION)
    expect(other.locator(".sessions .title")).to_have_text([QUESTION])
    other.locator(".open-session").click()
    expect(answer(other)).to_have_text(whole(ANSWER))
    page.get_by_role("button", name="More for").click()
    page.get_by_role("button", name="Rename").click()
    page.get_by_label("Title", exact=True).fill("Of the queen")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(other.locator(".sessions .title")).to_have_text(["Of the queen"])
    expect(other).to_have_title("Of the queen · Cicada")
    page.get_by_role("button", name="More for").click()
    for _ in range(2):
        page.get_by_role("button", name="Delete", exact=True).click()
    expect(other.get_by_role("heading", name="There is no such conversation")).to_be_visible()
    expect(other.locator(".open-session")).to_have_count(0)
    expect(other.get_by_label("Your question")).to_have_value("A draft")


def test_signing_out_of_one_tab_signs_out_of_all(page: Page, address: str, context: BrowserContext) -> None:
    sign_in(page, address)
    other = another_tab(context, address)
    page.get_by_role("button", name="Sign out").click()
    expect(other.get_by_text("You have signed out in another tab.")).to_be_visible()
    assert other.evaluate("sessionStorage.length") == 0
    sign_in(other, None)
    expect(page.locator("#user-name")).to_have_text("ada")
