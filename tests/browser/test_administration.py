"""The screen of administrators: who does not see it, and what is done there in one visit."""

from __future__ import annotations

import re
import time

from playwright.sync_api import Locator, Page, expect

from cicada.conversation.model import AnswerFeedback, AnswerRecord, NewRequest, Question, RequestKey, Status
from cicada.identity import Principal
from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import sign_in
from tests.browser.test_documents import faults
from tests.fakes.accounts import INITIAL_PASSWORD

HOSTILE = "<img/src=x/onerror=alert(1)>"


def row(page: Page, name: str) -> Locator:
    return page.locator(".document-row").filter(has_text=name)


def note(backend: FakeBackend) -> None:
    """A bad rating with a hostile comment, and a failed request."""
    now = time.time()
    rated, failed = (RequestKey(Principal("default", "bob"), name) for name in ("rated-1", "failed-1"))
    for key in (rated, failed):
        asked = NewRequest(key, Question("Who is the porter?", key.request_id, "scripts"), "c", now, now + 900)
        backend.log.create(asked, "{}")
    backend.log.rate(rated, AnswerFeedback("bad", now, ("wrong",), HOSTILE))
    lease = backend.log.take_lease(failed, now, now + 15)
    assert lease
    backend.log.advance(lease, 2, now + 15, Status.FAILED, AnswerRecord(code="dependency_unavailable"))


def test_whoever_is_no_administrator_sees_nothing_of_it(page: Page, address: str) -> None:
    sign_in(page, f"{address}?administration=")
    expect(page.get_by_label("Your question")).to_be_visible()
    expect(page.get_by_role("link", name="Administration")).to_have_count(0)


def test_an_administrator_adds_changes_and_disables_users(page: Page, address: str, backend: FakeBackend) -> None:
    backend.pool.groups["ada"] = ["administrators"]
    backend.accounts.put("ada", "administrators")
    backend.accounts.put("bob", "hr")
    backend.accounts.put("eve", "tenant:beta")
    backend.tokens_per_day = 5000
    note(backend)
    sign_in(page, address)
    page.get_by_role("link", name="Administration").click()
    expect(page.get_by_role("heading", name="Administration")).to_be_focused()
    # What is left of the column's height is the list's.
    heights = [page.locator(each).bounding_box()["height"] for each in (".search", "#sessions")]  # type: ignore[index]
    assert heights[0] < 50 < heights[1]
    expect(page.locator(".document-row h3")).to_have_text(["ada", "bob"])
    expect(page.get_by_role("button", name="Disable ada")).to_have_count(0)
    expect(page.get_by_role("region", name="Use").locator("tr")).to_have_count(8)
    expect(page.get_by_role("region", name="Latest ratings")).to_contain_text(HOSTILE)
    expect(page.get_by_role("region", name="Latest failed requests")).to_contain_text("dependency_unavailable")

    adding = page.get_by_role("form", name="Add a user")
    adding.get_by_label("Name").fill(HOSTILE)
    adding.get_by_label("Groups, with blanks between them").fill("hr sales")
    adding.get_by_role("button", name="Add").click()
    expect(adding).to_contain_text("There is no group “sales” yet.")
    adding.get_by_label("Make groups").check()
    adding.get_by_role("button", name="Add").click()
    expect(page.locator(".added code")).to_have_text(INITIAL_PASSWORD)
    expect(row(page, HOSTILE)).to_contain_text("has not chosen a password yet · groups: hr, sales")

    page.get_by_role("button", name="Groups of bob").click()
    page.get_by_role("form", name="Groups of bob").get_by_label("Groups, with blanks between them").fill(
        "administrators"
    )
    page.set_viewport_size({"width": 320, "height": 700})
    assert faults(page) == []
    page.get_by_role("button", name="Save").click()
    expect(row(page, "bob")).to_contain_text("groups: administrators")
    page.get_by_role("button", name="Disable bob").click()
    assert faults(page) == []
    page.get_by_role("button", name="Disable", exact=True).click()
    expect(row(page, "bob")).to_contain_text(re.compile("disabled.*0 open connections were closed"))
    page.get_by_role("button", name="Enable bob").click()
    expect(row(page, "bob")).to_contain_text("active")

    page.reload()
    expect(row(page, HOSTILE)).to_be_visible()
    expect(page.locator(".added code")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_label("Your question")).to_be_visible()
    assert "administration" not in page.url
