"""One Chromium for all tests that look at the page: the browser driver can be started once in a process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Playwright, expect, sync_playwright

from tests.patience import PATIENCE_MILLISECONDS

# The shell without a window needs less of the processor.
_PATHS = (
    "/usr/bin/chromium-headless-shell",
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
)
_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A foreign name that its owner has pointed at this machine.
    "--host-resolver-rules=MAP *.example 127.0.0.1",
]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The system's Chromium, or the one that `playwright install chromium` has fetched."""
    expect.set_options(timeout=PATIENCE_MILLISECONDS)
    with sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


def launch(playwright: Playwright) -> Browser:
    """The system's browser, or Playwright's own. Raises Playwright's `Error` where there is neither."""
    found = next((path for path in _PATHS if Path(path).exists()), None)
    return playwright.chromium.launch(executable_path=found, args=_OPTIONS, timeout=PATIENCE_MILLISECONDS)


def launched(playwright: Playwright) -> Browser:
    """A browser for a test, which fails without one."""
    try:
        return launch(playwright)
    except Error as error:
        pytest.fail(
            "The browser tests need Chromium: install your system's package `chromium`, "
            f"or run `playwright install chromium`. ({error.message.splitlines()[0]})"
        )
