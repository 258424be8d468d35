"""Steps on the page that the browser tests share."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.fake_user_pool import PASSWORDS


def sign_in(page: Page, address: str | None, user: str = "ada") -> None:
    """Open the page, unless it is open, and sign in."""
    if address is not None:
        page.goto(address)
    page.get_by_label("Name").fill(user)
    page.get_by_label("Password").fill(PASSWORDS[user])
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#user-name")).to_have_text(user)


def ask(page: Page, message: str) -> None:
    page.get_by_label("Your question").fill(message)
    page.get_by_label("Your question").press("Enter")


def answer(page: Page) -> Locator:
    """The text of the last answer."""
    return page.locator(".answer").last


def whole(text: str) -> str:
    """The text as the page sets it: no stars around bold, each citation by itself and glued to its word."""
    plain = text.replace("**", "").replace("\n\n", "")
    glued = re.sub(r" \[", "\u00a0[", plain)
    return re.sub(r"\[(\d+), (\d+)\]", r"[\1][\2]", glued)
