"""Signing in with an identity provider, through a fake of Cognito's authorization server on another origin."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from local.page import app
from tests.browser.conftest import page_config
from tests.browser.fake_authorization_server import PROVIDER, USER
from tests.browser.fake_backend import FakeBackend
from tests.browser.fake_user_pool import PASSWORDS
from tests.browser.pages import answer, ask, whole
from tests.browser.plays import ANSWER, QUESTION
from tests.browser.serving import serving
from tests.browser.test_second_step import fits_and_can_be_read
from tests.browser.test_signing_out import expect_nothing_left, watched

__all__ = ["watched"]


@pytest.fixture
def address(backend: FakeBackend) -> Iterator[str]:
    """The address of a page that knows the provider."""
    with serving(backend.app()) as backend_address:
        known = {"identityProvider": PROVIDER, "signInUrl": f"http://{backend_address}"}
        with serving(app(page_config(backend, backend_address) | known)) as page_address:
            backend.authorization.page = f"http://{page_address}/"
            yield backend.authorization.page


def go_to_provider(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Sign in with Okta").click()
    expect(page.get_by_role("heading", name="Okta")).to_be_visible()


def sign_in_there(page: Page, address: str) -> None:
    go_to_provider(page, address)
    page.get_by_role("link", name="Continue as Ann").click()
    expect(page.locator("#user-name")).to_have_text(USER)


def refusal(page: Page) -> str:
    expect(page.get_by_role("alert")).to_be_visible()
    return page.get_by_role("alert").inner_text()


def test_a_user_signs_in_with_the_provider_and_asks(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in_there(page, address)
    assert page.url == address
    ask(page, QUESTION)
    expect(answer(page)).to_have_text(whole(ANSWER))
    [asked], [exchanged] = backend.authorization.asked, backend.authorization.exchanged
    assert (asked["scope"], asked["prompt"]) == ("openid email", "login")
    assert exchanged["code_verifier"] not in asked.values()
    # Neither the code nor the provider's page is a step back: it would be refused, or lead away.
    assert "code=" not in page.evaluate("location.href + document.referrer")


def test_the_button_fits_and_can_be_read(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_role("button", name="Sign in with Okta")).to_be_visible()
    fits_and_can_be_read(page)


def test_a_password_is_good_beside_the_provider(page: Page, address: str, backend: FakeBackend) -> None:
    page.goto(address)
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORDS["ada"])
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator("#user-name")).to_have_text("ada")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Name")).to_be_visible()
    assert (backend.authorization.asked, backend.authorization.ended) == ([], 0)


def test_what_the_address_names_is_there_again(page: Page, address: str) -> None:
    named = f"{address}?knowledgeBase=shop#shared=nothing"
    go_to_provider(page, named)
    page.get_by_role("link", name="Continue as Ann").click()
    expect(page.locator("#user-name")).to_have_text(USER)
    assert page.url == named


def test_a_code_of_somebody_elses_sign_in_is_refused(page: Page, address: str, backend: FakeBackend) -> None:
    """Whoever opens a stranger's link must not write questions into the stranger's account."""
    backend.authorization.codes["stolen"] = {}
    for begun in (False, True):
        if begun:
            go_to_provider(page, address)
        page.goto(f"{address}?{urlencode({'code': 'stolen', 'state': 'theirs'})}")
        assert refusal(page) == "That sign-in was not begun in this tab. Begin again here."
        assert page.url == address
    assert backend.authorization.exchanged == []
    assert page.evaluate("sessionStorage.length") == 0


def test_a_code_that_was_used_is_good_for_nothing(page: Page, address: str, backend: FakeBackend) -> None:
    returned: list[str] = []
    page.on("request", lambda request: returned.append(request.url) if "code=" in request.url else None)
    sign_in_there(page, address)
    with page.expect_event("load"):
        page.get_by_role("button", name="Sign out").click()
    page.goto(returned[0])
    assert "was not begun in this tab" in refusal(page)
    assert len(backend.authorization.exchanged) == 1


def test_an_exchange_that_the_server_refuses_is_a_sentence(page: Page, address: str, backend: FakeBackend) -> None:
    backend.authorization.forgets_codes = True
    go_to_provider(page, address)
    page.get_by_role("link", name="Continue as Ann").click()
    assert refusal(page) == "Signing in took too long, or its address was used before. Begin again."
    assert (page.url, page.evaluate("sessionStorage.length")) == (address, 0)


def test_whoever_cancels_is_told_so_in_the_pages_own_words(page: Page, address: str) -> None:
    go_to_provider(page, address)
    page.get_by_role("link", name="Cancel").click()
    assert refusal(page) == "You were not signed in there. Try again, or ask those who run this service."
    assert "Call 555" not in page.inner_text("body")
    assert (page.url, page.evaluate("sessionStorage.length")) == (address, 0)


def test_signing_out_ends_the_session_at_the_authorization_server_and_leaves_nothing(
    watched: Page, address: str, backend: FakeBackend
) -> None:
    sign_in_there(watched, address)
    ask(watched, QUESTION)
    expect(answer(watched)).to_have_text(whole(ANSWER))
    with watched.expect_event("load"):
        watched.get_by_role("button", name="Sign out").click()
    expect_nothing_left(watched)
    assert (backend.authorization.ended, len(backend.pool.revoked)) == (1, 1)
    # The next person at the device is asked who they are.
    watched.get_by_role("button", name="Sign in with Okta").click()
    expect(watched.get_by_role("link", name="Continue as Ann")).to_be_visible()


def test_signing_out_everywhere_does_so_too(watched: Page, address: str, backend: FakeBackend) -> None:
    sign_in_there(watched, address)
    watched.locator("#account").click()
    # The second step is the provider's.
    expect(watched.get_by_role("heading", name="All devices")).to_be_visible()
    expect(watched.get_by_role("heading", name="Two-step sign-in")).to_have_count(0)
    with watched.expect_event("load"):
        watched.get_by_role("button", name="Sign out everywhere").click()
    expect_nothing_left(watched)
    assert backend.authorization.ended == 1


def test_a_user_whom_the_service_does_not_know_is_told_whom_to_ask(
    page: Page, address: str, backend: FakeBackend
) -> None:
    backend.lets_nobody_in = True
    go_to_provider(page, address)
    page.get_by_role("link", name="Continue as Ann").click()
    expect(
        page.get_by_text("If this is your first time here, those who run it have to let you in first.")
    ).to_be_visible()
