"""A Chromium, the page's own server and a fake backend for the browser tests."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from local.page import app
from tests.browser.fake_backend import FakeBackend
from tests.browser.fake_user_pool import CLIENT_ID, PASSWORDS, POOL_ID
from tests.browser.plays import QUESTION, answered
from tests.browser.serving import serving
from tests.patience import PATIENCE_MILLISECONDS


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser and its servers need sockets."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("enable_socket")


@pytest.fixture
def backend() -> Iterator[FakeBackend]:
    backend = FakeBackend(lambda _message: answered())
    yield backend
    backend.go_on()


@pytest.fixture
def scrambled_backend(backend: FakeBackend) -> FakeBackend:
    """Its events arrive out of order, some twice and some not at all."""
    backend.scramble = random.Random(7)
    return backend


@pytest.fixture
def subprotocol_backend(backend: FakeBackend) -> FakeBackend:
    """Takes the token as a subprotocol, as on AWS. To be named before the page."""
    backend.token_in = "subprotocol"
    return backend


@pytest.fixture
def address(backend: FakeBackend) -> Iterator[str]:
    """The page's address; the backend has another origin, as it has on AWS."""
    with (
        serving(backend.app()) as backend_address,
        serving(app(page_config(backend, backend_address))) as page_address,
    ):
        backend.files.url = f"http://{backend_address}/uploads"
        yield f"http://{page_address}/"


def page_config(backend: FakeBackend, address: str) -> dict[str, Any]:
    """`address`: the backend's."""
    return {
        "websocketUrl": f"ws://{address}/socket",
        "tokenIn": backend.token_in,
        "cognitoUrl": f"http://{address}/",
        "clientId": CLIENT_ID,
        "userPoolId": POOL_ID,
        "mfa": "optional",
        "administrators": "administrators",
        "users": [{"name": name, "password": password} for name, password in PASSWORDS.items()],
        "examples": [QUESTION],
    }


@pytest.fixture
def context(chromium: Browser, address: str) -> Iterator[BrowserContext]:
    """Ends before the servers do: they wait for connections that are open."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """An empty page that fails its test when a script fails or the policy blocks something."""
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if "Content Security Policy" in said.text else None)
    yield page
    assert problems == []
