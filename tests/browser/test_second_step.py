"""Signing in with a second step: the code of an authenticator app."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.contrast import CONTRASTS
from tests.browser.fake_backend import FakeBackend
from tests.browser.fake_user_pool import FIRST_PASSWORDS, PASSWORDS, code_of
from tests.browser.pages import sign_in

KEY = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def prove(page: Page, address: str, user: str, password: str) -> None:
    page.goto(address)
    page.get_by_label("Name").fill(user)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def shown_key(page: Page) -> str:
    return page.locator(".key").inner_text().replace(" ", "")


def fits_and_can_be_read(page: Page) -> None:
    assert page.locator("body").evaluate(CONTRASTS) == []
    for width in (320, 375, 1280):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.locator("html").evaluate("element => element.scrollWidth - element.clientWidth") == 0


def test_a_user_with_an_app_enters_its_code(page: Page, address: str, backend: FakeBackend) -> None:
    backend.pool.keys["ada"] = KEY
    prove(page, address, "ada", PASSWORDS["ada"])
    expect(page.get_by_label("Code")).to_be_focused()
    wrong = "000000" if code_of(KEY) != "000000" else "000001"
    page.get_by_label("Code").fill(wrong)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_have_text("This code is wrong. Enter the one that your app shows now.")
    fits_and_can_be_read(page)
    page.get_by_label("Code").fill(code_of(KEY))
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#user-name")).to_have_text("ada")


def test_where_it_is_required_the_app_is_added_at_the_first_sign_in(
    page: Page, address: str, backend: FakeBackend
) -> None:
    backend.pool.mfa_required = True
    prove(page, address, "cem", FIRST_PASSWORDS["cem"])
    page.get_by_label("New password").fill("Kemal-of-the-tests-1")
    page.get_by_label("Repeat it").fill("Kemal-of-the-tests-1")
    page.get_by_role("button", name="Save and sign in").click()
    expect(page.get_by_role("heading", name="Two-step sign-in")).to_be_visible()
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    expect(page.get_by_role("link", name="Open your app")).to_have_attribute(
        "href", f"otpauth://totp/Cicada:cem?secret={shown_key(page)}&issuer=Cicada"
    )
    fits_and_can_be_read(page)
    page.get_by_label("Code that the app shows").fill(code_of(shown_key(page)))
    page.get_by_role("button", name="Save and sign in").click()
    expect(page.locator("#user-name")).to_have_text("cem")


def test_a_user_turns_the_second_step_on_and_off(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, address)
    page.locator("#account").click()
    expect(page.get_by_text("Off: your password alone signs you in.")).to_be_visible()
    page.get_by_role("button", name="Add an authenticator app").click()
    key = shown_key(page)
    fits_and_can_be_read(page)
    page.get_by_label("Code that the app shows").fill(code_of(key))
    page.get_by_role("button", name="Turn it on").click()
    expect(page.get_by_text("On: you sign in with your password and a code")).to_be_visible()
    assert backend.pool.keys == {"ada": key}
    fits_and_can_be_read(page)
    page.get_by_role("button", name="Turn it off").click()
    expect(page.get_by_text("Off: your password alone signs you in.")).to_be_visible()
    assert backend.pool.keys == {}
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_password_never_leaves_the_page(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, address)
    assert backend.pool.seen
    assert PASSWORDS["ada"] not in "".join(backend.pool.seen)
