"""The first sign-in of an account that an operator has made: its user chooses a password."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.contrast import CONTRASTS
from tests.browser.fake_backend import FakeBackend
from tests.browser.fake_user_pool import FIRST_PASSWORDS

OWN = "Kemal-of-the-tests-1"


def open_first_sign_in(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("Name").fill("cem")
    page.get_by_label("Password").fill(FIRST_PASSWORDS["cem"])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="A new password")).to_be_visible()


def choose(page: Page, password: str, repeated: str | None = None) -> None:
    page.get_by_label("New password").fill(password)
    page.get_by_label("Repeat it").fill(password if repeated is None else repeated)
    page.get_by_role("button", name="Save and sign in").click()


def test_a_new_user_chooses_a_password_and_is_signed_in(page: Page, address: str, backend: FakeBackend) -> None:
    open_first_sign_in(page, address)
    expect(page.get_by_label("New password")).to_be_focused()
    expect(page.get_by_text("You signed in with an initial password. Choose the one")).to_be_visible()
    choose(page, OWN)
    expect(page.locator("#user-name")).to_have_text("cem")
    assert backend.pool.chosen == {"cem": OWN}
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Name").fill("cem")
    page.get_by_label("Password").fill(OWN)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#user-name")).to_have_text("cem")


def test_a_password_that_is_refused_or_mistyped_gets_a_sentence(page: Page, address: str, backend: FakeBackend) -> None:
    open_first_sign_in(page, address)
    choose(page, OWN, "Kemal-of-the-tests-2")
    expect(page.get_by_role("alert")).to_have_text("The two passwords differ. Type the same one twice.")
    expect(page.get_by_label("Repeat it")).to_be_focused()
    choose(page, "short")
    expect(page.get_by_role("alert")).to_contain_text("does not meet the rule below it")
    expect(page.get_by_text("At least 12 characters")).to_be_visible()
    assert backend.pool.chosen == {}
    choose(page, OWN)
    expect(page.locator("#user-name")).to_have_text("cem")


def test_a_sign_in_that_took_too_long_begins_anew(page: Page, address: str, backend: FakeBackend) -> None:
    open_first_sign_in(page, address)
    backend.pool.challenges.clear()
    choose(page, OWN)
    expect(page.get_by_role("alert")).to_contain_text("Signing in took too long. Begin again with your password.")
    expect(page.get_by_label("New password")).to_have_count(0)
    expect(page.get_by_label("Name")).to_be_focused()
    assert backend.pool.chosen == {}


def test_one_can_go_back_to_another_account(page: Page, address: str) -> None:
    open_first_sign_in(page, address)
    page.get_by_role("button", name="Back to sign-in").click()
    expect(page.get_by_label("New password")).to_have_count(0)
    page.get_by_role("button", name="bob").click()
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#user-name")).to_have_text("bob")


def test_the_form_fits_a_narrow_screen_and_can_be_read(page: Page, address: str) -> None:
    open_first_sign_in(page, address)
    choose(page, "short")
    expect(page.get_by_role("alert")).to_be_visible()
    assert page.locator("body").evaluate(CONTRASTS) == []
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.locator("html").evaluate("element => element.scrollWidth - element.clientWidth") == 0
