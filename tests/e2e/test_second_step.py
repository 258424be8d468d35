"""The second step of sign-in on the deployed stage: the code of an authenticator app, on the page and in the terminal.

The emulator checks codes. It asks nobody to add an app (`MFA_SETUP`), so the stage cannot show `-c mfa=required`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from cli.user.challenges import Challenges, Passwords
from local.stage.aws import aws_client
from tests.browser.fake_user_pool import code_of
from tests.chaos.target import Target
from tests.e2e.test_page import ask, finished_text, opened, sign_in
from tests.e2e.wire import connected

__all__ = ["opened"]

NAME, PASSWORD = "tessa", "Tessa-of-two-steps-1"


@dataclass(frozen=True, slots=True)
class WithApp(Passwords):
    """A person at a terminal, with an authenticator app."""

    key: str = ""

    def code(self, user: str) -> str:
        return code_of(self.key)


@dataclass(frozen=True, slots=True)
class Directory:
    """The stage's accounts, as an administrator sees them."""

    client: Any
    pool_id: str

    def second_steps(self) -> list[str]:
        found: list[str] = self.client.admin_get_user(UserPoolId=self.pool_id, Username=NAME).get(
            "UserMFASettingList", []
        )
        return found


@pytest.fixture
def directory(stage: Target) -> Iterator[Directory]:
    client, pool = aws_client(stage.config, "cognito-idp"), stage.info["userPoolId"]
    client.admin_create_user(UserPoolId=pool, Username=NAME, MessageAction="SUPPRESS")
    client.admin_set_user_password(UserPoolId=pool, Username=NAME, Password=PASSWORD, Permanent=True)
    yield Directory(client, pool)
    client.admin_delete_user(UserPoolId=pool, Username=NAME)


def add_app(page: Page) -> str:
    """The key that the page shows, once the app is added."""
    page.locator("#account").click()
    page.get_by_role("button", name="Add an authenticator app").click()
    key = page.locator(".key").inner_text().replace(" ", "")
    page.get_by_label("Code that the app shows").fill(code_of(key))
    page.get_by_role("button", name="Turn it on").click()
    expect(page.get_by_text("On: you sign in with your password and a code")).to_be_visible()
    page.get_by_role("button", name="Close").click()
    return key


def wrong_code(key: str) -> str:
    """None that is good now, or in the steps before and after."""
    near = {code_of(key, steps) for steps in range(-3, 4)}
    return next(code for code in ("000000", "111111", "222222", "333333") if code not in near)


def test_a_user_adds_an_app_and_signs_in_with_its_code_from_then_on(
    opened: Page, stage: Target, directory: Directory
) -> None:
    sign_in(opened, NAME, PASSWORD)
    expect(opened.locator("#user-name")).to_have_text(NAME)
    key = add_app(opened)
    assert directory.second_steps() == ["SOFTWARE_TOKEN_MFA"]
    opened.get_by_role("button", name="Sign out").click()
    sign_in(opened, NAME, PASSWORD)
    # The password alone opens nothing.
    expect(opened.get_by_label("Code")).to_be_focused()
    assert opened.evaluate("sessionStorage.length") == 0
    opened.get_by_label("Code").fill(wrong_code(key))
    opened.get_by_role("button", name="Sign in").click()
    expect(opened.get_by_role("alert")).to_have_text("This code is wrong. Enter the one that your app shows now.")
    opened.get_by_label("Code").fill(code_of(key))
    opened.get_by_role("button", name="Sign in").click()
    ask(opened, "Who tells Macbeth that the queen is dead?")
    assert "The queen, my lord, is dead." in finished_text(opened)
    with connected(stage.url, terminal_token(stage, directory, key)) as wire:
        wire.send(action="ping")
        assert wire.receive()["type"] == "pong"


def terminal_token(stage: Target, directory: Directory, key: str) -> str:
    """A token as `cicada token` gets it."""
    passwords = WithApp(PASSWORD, "the local stage", "", key)
    challenges = Challenges(directory.client, directory.pool_id, stage.info["clientId"], NAME, passwords)
    return str(challenges.tokens()["AccessToken"])


def test_an_administrator_takes_the_second_step_away_from_who_has_lost_the_app(
    opened: Page, stage: Target, directory: Directory
) -> None:
    sign_in(opened, NAME, PASSWORD)
    add_app(opened)
    opened.get_by_role("button", name="Sign out").click()
    # The way that docs/operations/users.md gives.
    directory.client.admin_set_user_mfa_preference(
        UserPoolId=directory.pool_id, Username=NAME, SoftwareTokenMfaSettings={"Enabled": False}
    )
    sign_in(opened, NAME, PASSWORD)
    expect(opened.locator("#user-name")).to_have_text(NAME)
    assert directory.second_steps() == []
