"""The page as CloudFront serves it, by the template of a production stage: its files, headers and configuration."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.fake_backend import FakeBackend
from tests.browser.fake_user_pool import CLIENT_ID, POOL_ID
from tests.browser.pages import answer, ask, sign_in, whole
from tests.browser.plays import ANSWER, QUESTION
from tests.browser.serving import serving
from tests.browser.store import LIST, listed
from tests.infra.edge import Edge

# What AWS chooses is the logical id here.
CLIENT, POOL = "IdentityUsersChat774A7E2E", "IdentityUsers61009EFD"
API = "wss://ConversationWebSocketApi05C623EF.execute-api.us-east-1.amazonaws.com"
COGNITO = "https://cognito-idp.us-east-1.amazonaws.com"


@pytest.fixture(scope="module")
def edge() -> Edge:
    return Edge("prod")


@pytest.fixture
def address(subprotocol_backend: FakeBackend, edge: Edge) -> Iterator[str]:
    """The page's address; the backend stands for API Gateway and Cognito."""
    with serving(subprotocol_backend.app()) as backend_address:
        there = {
            f"{API}/v1": f"ws://{backend_address}/socket",
            API: f"ws://{backend_address}",
            COGNITO: f"http://{backend_address}",
            CLIENT: CLIENT_ID,
            POOL: POOL_ID,
        }
        with serving(edge.app(there)) as page_address:
            yield f"http://{page_address}/"


def test_signing_in_asking_and_listing_break_no_policy(page: Page, address: str, backend: FakeBackend) -> None:
    """The page's fixture fails for whatever the policy has blocked."""
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_have_text(whole(ANSWER))
    page.get_by_text("How this was answered").click()
    backend.answer = listed
    ask(page, LIST)
    expect(page.locator(".listing table").first).to_be_visible()
    page.get_by_text("How this was answered").last.click()


def test_what_is_injected_is_blocked(context: BrowserContext, address: str) -> None:
    """A script and a style in the markup, a text that becomes markup, and a call to elsewhere."""
    page = context.new_page()
    page.goto(address)
    refused = page.evaluate(
        """() => {
          window.blocked = [];
          document.addEventListener("securitypolicyviolation", (event) => blocked.push(event.effectiveDirective));
          const style = document.createElement("style");
          style.append("body { color: red }");
          document.body.append(style);
          const script = document.createElement("script");
          script.append("window.injected = true");
          document.body.append(script);
          fetch("http://127.0.0.1:1/").catch(() => {});
          try { document.body.innerHTML += "<img src=x>"; } catch (error) { return error.name; }
        }"""
    )
    assert refused == "TypeError"
    for directive in ("style-src-elem", "require-trusted-types-for", "connect-src"):
        page.wait_for_function("directive => blocked.includes(directive)", arg=directive)
    assert page.evaluate("window.injected") is None


def test_a_file_that_is_not_the_pages_is_not_there(edge: Edge, page: Page, address: str) -> None:
    for path in ("package.json", "assets/page.js", "config.js"):
        assert page.request.get(f"{address}{path}").status == 403
