"""Listed documents as a table, their pages and counts, and how an answer came about."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect

from cicada.conversation.protocol import ListedDocument, Listing, ListingPage, ListMore, Reset, Without
from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import answer, ask, sign_in
from tests.browser.plays import DONE, QUESTION, answered
from tests.browser.store import LIST, PAGE, PLAN, TOTAL, asked_back, document, listed

SCRIPT = "<img src=x onerror=\"document.title='broken in'\">"


def rows(command: ListMore) -> ListingPage:
    """The next page of the store's list."""
    end = min(command.offset + PAGE, TOTAL)
    documents = tuple(document(number) for number in range(command.offset + 1, end + 1))
    columns = ("Status", "Owner", "Effective")
    return ListingPage(TOTAL, documents, command.offset, end if end < TOTAL else None, columns, "store")


@pytest.fixture
def store(backend: FakeBackend) -> FakeBackend:
    """A backend that lists documents."""
    backend.answer = listed
    return backend


def test_a_listing_is_a_table_with_heads_and_a_caption(page: Page, address: str, store: FakeBackend) -> None:
    sign_in(page, address)
    ask(page, LIST)
    expect(answer(page)).to_have_text("57 documents match (Type: sop; Status: approved; Department: QA).")
    table = page.get_by_role("table").last
    expect(table.locator("caption")).to_contain_text("1–20 of 57")
    expect(table.get_by_role("columnheader")).to_have_text(["Title", "Status", "Owner", "Effective"])
    expect(table.get_by_role("rowheader")).to_have_count(PAGE)
    assert table.locator("th:not([scope])").count() == 0
    expect(table.get_by_role("row").nth(1)).to_have_text(
        "SOP-001 Cleaning and release of vessel 1approvedAnn Lee2026-03-02"
    )


def test_a_listed_document_is_not_ranked_and_that_is_not_zero(page: Page, address: str, store: FakeBackend) -> None:
    sign_in(page, address)
    ask(page, LIST)
    listing = page.locator(".listing")
    expect(listing.locator("caption").last).to_contain_text("not ranked")
    expect(listing.get_by_role("img")).to_have_count(0)
    expect(listing).not_to_contain_text("%")


def test_a_document_about_a_subject_has_what_matched_below_it(page: Page, address: str, backend: FakeBackend) -> None:
    found = replace(document(1), relevance=0.4, excerpt="Rinse the vessel twice.", reason="“rinse” in “2 Method”")
    backend.answer = lambda _message: [Listing(total=1, documents=(found,), columns=("Status",)), DONE]
    sign_in(page, address)
    ask(page, LIST)
    table = page.get_by_role("table").last
    expect(table.locator("caption")).to_have_text("1 of 1")
    expect(table.locator(".why")).to_have_text("“rinse” in “2 Method”Rinse the vessel twice.")
    expect(table.locator(".why td")).to_have_attribute("colspan", "2")


def test_counts_by_value_are_a_table_of_their_own(page: Page, address: str, store: FakeBackend) -> None:
    sign_in(page, address)
    ask(page, LIST)
    counts = page.get_by_role("table", name="By Owner")
    expect(counts.get_by_role("columnheader")).to_have_text(["Owner", "Count", "Pages, sum"])
    expect(counts.get_by_role("row").nth(1)).to_have_text("Ann Lee311,234.5")
    expect(counts.get_by_role("row").nth(3)).to_have_text("–1–")


def test_numbers_stand_before_groups_and_groups_before_documents(page: Page, address: str, store: FakeBackend) -> None:
    sign_in(page, address)
    ask(page, LIST)
    captions = page.locator(".listing caption")
    expect(captions).to_have_text(["Numbers", "By Owner", f"1–20 of {TOTAL} not ranked"])
    numbers = page.get_by_role("table", name="Numbers")
    expect(numbers.locator("tbody tr")).to_have_text(["Pages, sum1,246.5"])


def test_show_more_brings_the_next_rows_into_the_same_list(page: Page, address: str, store: FakeBackend) -> None:
    sign_in(page, address)
    ask(page, LIST)
    more = page.get_by_role("button", name="Show more")
    more.click()
    expect(page.locator(".listing [role=status]")).to_have_text("The index does not answer.")
    store.more = rows
    more.click()
    caption = page.get_by_role("table").last.locator("caption")
    expect(caption).to_contain_text(f"1–40 of {TOTAL}")
    more.press("Enter")
    expect(caption).to_contain_text(f"1–{TOTAL} of {TOTAL}")
    expect(more).to_have_count(0)
    # The keyboard goes on with the first row that has come.
    expect(page.locator(":focus")).to_have_text(document(41).title)
    expect(page.locator(".question")).to_have_count(1)
    [question] = store.questions()
    asked = [each for each in store.commands if isinstance(each, ListMore)]
    assert [(each.answer, each.offset) for each in asked] == [(question.request_id, at) for at in (20, 20, 40)]


def test_what_a_search_has_found_besides_is_asked_for_below_the_last_answer(
    page: Page, address: str, backend: FakeBackend
) -> None:
    found = replace(document(1), relevance=0.4, excerpt="Rinse the vessel twice.", reason="“rinse” in “2 Method”")
    backend.answer = lambda _message: [Listing(total=30, documents=(found,), next_offset=20), DONE]
    sign_in(page, address)
    ask(page, LIST)
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".question p")).to_have_text([LIST, "next page"])
    expect(page.get_by_role("button", name="Show more")).to_have_count(1)


def test_a_condition_is_left_out_by_its_chip(page: Page, address: str, store: FakeBackend) -> None:
    sign_in(page, address)
    ask(page, LIST)
    chips = page.get_by_role("list", name="Conditions").get_by_role("listitem")
    expect(chips).to_have_text(["Type: sop", "Status: approved×", "Department: QA×"])
    page.get_by_role("button", name="Leave out the condition Status: approved").press("Enter")
    expect(page.locator(".question p").last).to_have_text(f"{LIST} – without “Status: approved”")
    expect(page.locator(".how")).to_have_count(2)
    page.get_by_role("button", name=f"Ask again: {LIST} –").click()
    expect(page.locator(".how")).to_have_count(3)
    first, *again = store.questions()
    assert [each.without for each in again] == [Without(first.request_id, 1)] * 2
    assert [each.session_id for each in again] == [first.request_id] * 2


def test_how_it_was_answered_is_folded_away(page: Page, address: str, store: FakeBackend) -> None:
    sign_in(page, address)
    ask(page, LIST)
    how = page.locator(".how")
    expect(how.locator("dl")).to_be_hidden()
    how.get_by_text("How this was answered").click()
    names, values = how.locator("dt").all_inner_texts(), how.locator("dd").all_inner_texts()
    assert dict(zip(names, values, strict=True)) == {
        "Strategy": "Metadata only",
        "Knowledge base": "store",
        "Query": PLAN.query,
        "Planned by": "rules, 91 % sure",
        "Filters": "Type: sop; Status: approved; Department: QA",
        "Documents": "57",
        "Withheld": "3",
        "First words": "after 0.1 s",
        "Whole": "after 0.2 s",
        "Path": "script query → plan:rules → list → documents:57",
    }
    expect(page.locator(".foot .note")).to_have_text("Knowledge base: store")


def test_the_default_base_is_not_named_beside_an_answer(page: Page, address: str, backend: FakeBackend) -> None:
    plan = replace(PLAN, knowledge_base="scripts")
    backend.answer = lambda _message: [*answered()[:-1], replace(DONE, plan=plan)]
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    expect(page.locator(".foot .note")).to_have_count(0)


def test_a_listing_is_whole_though_frames_come_mixed_up_twice_or_not_at_all(
    page: Page, address: str, scrambled_backend: FakeBackend
) -> None:
    scrambled_backend.answer = listed
    sign_in(page, address)
    ask(page, LIST)
    expect(page.locator(".how")).to_be_visible()
    expect(page.get_by_role("table").last.get_by_role("rowheader")).to_have_count(PAGE)


def test_a_listing_that_was_discarded_is_not_shown(page: Page, address: str, backend: FakeBackend) -> None:
    backend.answer = lambda _message: [*listed()[:3], Reset(reason="again"), *answered()]
    sign_in(page, address)
    ask(page, LIST)
    expect(page.locator(".how")).to_be_visible()
    expect(page.get_by_role("table")).to_have_count(0)


def test_markup_in_a_listing_is_shown_as_text(page: Page, address: str, backend: FakeBackend) -> None:
    hostile = ListedDocument(document_id="x", title=SCRIPT, fields={SCRIPT: SCRIPT})
    backend.answer = lambda _message: [
        Listing(total=1, documents=(hostile,)),
        *answered(),
    ]
    sign_in(page, address)
    ask(page, LIST)
    expect(page.get_by_role("rowheader")).to_have_text(SCRIPT)
    expect(page.locator(".turn img")).to_have_count(0)
    expect(page).to_have_title(f"{LIST} · Cicada")


def test_documents_that_are_asked_about_are_chosen_with_a_button(
    page: Page, address: str, backend: FakeBackend
) -> None:
    """The reply is the number, which stands for a document of the last answer only."""
    backend.answer = lambda message: listed() if message == "2" else asked_back()
    sign_in(page, address)
    ask(page, QUESTION)
    choices = page.get_by_role("group", name=f"Which one: {QUESTION}").get_by_role("button")
    expect(choices).to_have_text([f"{each}. {document(each).title}" for each in (1, 2)])
    page.reload()
    choices.last.click()
    expect(page.locator(".how")).to_have_count(2)
    expect(page.locator(".question p")).to_have_text([QUESTION, "2"])
    expect(choices).to_have_count(0)
    first, second = backend.questions()
    assert second.session_id == backend.requests[first.request_id].session_id
