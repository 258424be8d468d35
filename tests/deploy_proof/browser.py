"""A question at the page, in a browser."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tests.deploy_proof.report import ProofError, SkippedError

_PATIENCE_MILLISECONDS = 120_000


def ask_page(url: str, knowledge_base: str, user: str, password: str, question: str) -> str:
    """Sign in, ask, and return the whole answer's text."""
    # Run in a separate thread: Playwright does not start in a thread with an event loop, and the caller may have one.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_asked, url, knowledge_base, user, password, question).result()


def _asked(url: str, knowledge_base: str, user: str, password: str, question: str) -> str:
    # Imported late: a stage can be proved by the other steps on a machine without a browser.
    from playwright.sync_api import Error, expect, sync_playwright

    from tests.chromium import launch

    with sync_playwright() as playwright:
        try:
            browser = launch(playwright)
        except Error as error:
            raise SkippedError("there is no Chromium on this machine: `playwright install chromium`") from error
        try:
            page = browser.new_page()
            page.set_default_timeout(_PATIENCE_MILLISECONDS)
            page.goto(f"{url}/?knowledgeBase={knowledge_base}")
            page.get_by_label("Name").fill(user)
            page.get_by_label("Password").fill(password)
            page.get_by_role("button", name="Sign in").click()
            page.get_by_label("Your question").fill(question)
            page.get_by_label("Your question").press("Enter")
            ended = page.get_by_text("How this was answered")
            expect(ended).to_be_visible(timeout=_PATIENCE_MILLISECONDS)
            return page.locator(".answer").last.inner_text()
        except (AssertionError, Error) as error:
            raise ProofError(f"The page at {url} did not answer: {str(error).splitlines()[0]}") from error
        finally:
            browser.close()
