"""Asking on the chat page: text, passages, stopping, failures, keyboard."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from cicada.conversation.protocol import Chunk, Failed, Reset, SendMessage, Source, SourceLocator, SourcesFound
from cicada.conversation.titles import title_of
from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import answer, ask, sign_in, whole
from tests.browser.plays import ANSWER, DONE, QUESTION, SOURCES, answered

SCRIPT = '<img src=x onerror="document.title=\'broken in\'"><script>document.title="broken in"</script>'


def test_a_question_is_answered_with_its_passages_beside_it(page: Page, address: str) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_have_text(whole(ANSWER))
    cards = page.locator(".sources > .cards .card")
    expect(cards).to_have_count(3)
    expect(cards.nth(0)).to_contain_text("5.5 Dunsinane. Within the castle.")
    expect(cards.nth(0)).to_contain_text("Messages 624–630 · Macbeth, Seyton")
    expect(cards.nth(0)).to_contain_text("The queen, my lord, is dead.")
    text_box, card_box = answer(page).bounding_box(), cards.nth(0).bounding_box()
    assert text_box is not None
    assert card_box is not None
    assert card_box["x"] >= text_box["x"] + text_box["width"]


def test_the_address_names_the_knowledge_base_that_is_asked(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, f"{address}?knowledgeBase=shop")
    expect(page.locator(".example")).to_have_count(0)
    ask(page, QUESTION)
    expect(answer(page)).to_have_text(whole(ANSWER))
    (sent,) = backend.questions()
    assert sent.knowledge_base == "shop"


def test_a_passage_shows_the_metadata_of_its_document(page: Page, address: str) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    documents = page.locator(".sources > .cards > .document")
    expect(documents).to_have_count(2)
    expect(documents.last.locator("dt")).to_have_text(["Status", "Owner"])
    expect(documents.last.locator("dd")).to_have_text(["retired", "Ann Lee"])
    expect(documents.first.locator(".fields")).to_have_count(0)


def test_relevance_is_a_bar_and_null_is_not_zero(page: Page, address: str) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.get_by_role("img", name="Relevance 91 %")).to_be_visible()
    unranked = page.locator(".document", has_text="Notes for players")
    expect(unranked).to_contain_text("not ranked")
    expect(unranked.get_by_role("img")).to_have_count(0)


def test_passages_that_the_answer_does_not_cite_are_a_click_away(page: Page, address: str) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.get_by_text("2 more passages")).to_be_visible()
    uncited = page.locator(".card", has_text="Another part of the field")
    expect(uncited).to_be_hidden()
    page.get_by_text("2 more passages").click()
    expect(uncited).to_be_visible()


def test_a_citation_leads_to_its_passage_and_back(page: Page, address: str) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    citation = page.get_by_role("link", name=re.compile("^Passage 2: Macbeth, 5.1"))
    citation.click()
    card = page.locator(".card", has_text="5.1 Dunsinane")
    expect(card).to_be_focused()
    card.get_by_role("button", name="Passage 2, back to the text").click()
    expect(citation).to_be_focused()
    expect(card).to_have_class(re.compile(r"\blit\b"))


def test_a_number_without_a_passage_stays_text(page: Page, address: str, backend: FakeBackend) -> None:
    backend.answer = lambda _message: answered("As [1] says, and [9] does not, in [1, 9].", SOURCES[:1])
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_have_text("As\u00a0[1] says, and\u00a0[9] does not, in\u00a0[1, 9].")
    expect(page.locator(".citation")).to_have_count(1)


def test_the_text_is_whole_though_frames_come_mixed_up_twice_or_not_at_all(
    page: Page, address: str, scrambled_backend: FakeBackend
) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_have_text(whole(ANSWER))
    expect(page.locator(".how")).to_be_visible()


def test_while_it_searches_the_page_says_so(page: Page, address: str, backend: FakeBackend) -> None:
    backend.hold_before(3)
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".status")).to_have_text("Searching…")
    backend.hold_before(5)
    expect(page.locator(".status")).to_have_text("Answering…")
    expect(answer(page)).to_have_attribute("aria-busy", "true")
    backend.go_on()
    expect(page.locator(".status")).to_be_hidden()
    expect(answer(page)).to_have_attribute("aria-busy", "false")


def test_the_stop_button_stops_the_answer(page: Page, address: str, backend: FakeBackend) -> None:
    backend.hold_before(10)
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_contain_text("Seyton brings")
    page.get_by_role("button", name="Stop the answer").click()
    expect(page.locator(".note")).to_have_text("Stopped.")
    expect(answer(page)).to_contain_text("Seyton brings")
    expect(page.get_by_role("button", name="Stop the answer")).to_be_hidden()
    expect(page.get_by_label("Your question")).to_be_focused()


def test_escape_stops_the_answer_too(page: Page, address: str, backend: FakeBackend) -> None:
    backend.hold_before(10)
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_contain_text("Seyton brings")
    page.keyboard.press("Escape")
    expect(page.locator(".note")).to_have_text("Stopped.")


def test_enter_asks_and_shift_enter_makes_a_line(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, address)
    question = page.get_by_label("Your question")
    expect(question).to_be_focused()
    page.keyboard.type("Who is there?")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("Nay, answer me.")
    page.keyboard.press("Enter")
    expect(page.locator(".question p")).to_have_text("Who is there?\nNay, answer me.", use_inner_text=True)
    expect(question).to_have_value("")
    expect(question).to_be_focused()


def test_a_second_question_belongs_to_the_same_session(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_have_count(1)
    ask(page, "And what does Macbeth answer?")
    expect(page.locator(".how")).to_have_count(2)
    first, second = backend.questions()
    assert first.session_id is None
    assert second.session_id == backend.requests[first.request_id].session_id


def test_text_that_is_discarded_leaves_nothing_behind(page: Page, address: str, backend: FakeBackend) -> None:
    backend.answer = lambda _message: [
        SourcesFound(sources=SOURCES[:2]),
        Chunk(content="Half an ans"),
        Reset(reason="The model's stream broke off; the answer is being generated again."),
        Chunk(content="A whole answer."),
        DONE,
    ]
    sign_in(page, address)
    ask(page, QUESTION)
    expect(answer(page)).to_have_text("A whole answer.")
    expect(page.locator(".sources")).to_be_hidden()


def test_a_failed_answer_says_why_and_can_be_asked_again(page: Page, address: str, backend: FakeBackend) -> None:
    busy = Failed(error="The model is busy; try again in a moment.", code="dependency_throttled", retryable=True)
    backend.answer = lambda _message: [busy]
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.get_by_role("alert")).to_contain_text("The model is busy; try again in a moment.")
    backend.answer = lambda _message: answered()
    page.get_by_role("button", name="Try again").click()
    expect(answer(page)).to_have_text(whole(ANSWER))
    expect(page.locator(".turn")).to_have_count(1)


def test_a_refused_question_is_sent_again_under_its_id(page: Page, address: str, backend: FakeBackend) -> None:
    sign_in(page, address)
    expect(page.locator(".sessions")).to_have_text("Your conversations will be listed here.")
    backend.refusal = Failed(error="Too many questions; wait a moment.", code="rate_limited", retryable=True)
    ask(page, QUESTION)
    expect(page.get_by_role("alert")).to_contain_text("Too many questions; wait a moment.")
    backend.refusal = None
    page.get_by_role("button", name="Try again").click()
    expect(answer(page)).to_have_text(whole(ANSWER))
    sent = [each.request_id for each in backend.commands if isinstance(each, SendMessage)]
    assert len(sent) >= 2
    assert len(set(sent)) == 1


def test_a_failure_that_stays_offers_no_retry(page: Page, address: str, backend: FakeBackend) -> None:
    backend.answer = lambda _message: [
        Failed(error="The service is not set up.", code="misconfigured", retryable=False)
    ]
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.get_by_role("alert")).to_contain_text("The service is not set up.")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)


def test_markup_from_the_server_is_shown_as_text(page: Page, address: str, backend: FakeBackend) -> None:
    hostile = Source(
        n=1,
        document_id="x",
        title=SCRIPT,
        locator=SourceLocator(episode=SCRIPT, chapter=SCRIPT, speakers=(SCRIPT,), section=(SCRIPT,)),
        excerpt=f"{SCRIPT}: {SCRIPT}",
        relevance=0.5,
    )
    backend.answer = lambda _message: answered(f"{SCRIPT} **{SCRIPT}** *{SCRIPT}* [1]\n\n- {SCRIPT}", (hostile,))
    sign_in(page, address)
    ask(page, SCRIPT)
    expect(page.locator(".how")).to_be_visible()
    expect(answer(page)).to_contain_text(SCRIPT)
    expect(page.locator(".card")).to_contain_text(SCRIPT)
    expect(page.locator(".question p")).to_have_text(SCRIPT)
    expect(page.locator(".sessions .title")).to_have_text(title_of(SCRIPT))
    expect(page.locator(".turn script, .turn img, .sessions img")).to_have_count(0)
    expect(page).to_have_title(re.compile("· Cicada$"))


def test_lists_bold_and_italics_are_set_and_the_rest_stays_as_it_is(
    page: Page, address: str, backend: FakeBackend
) -> None:
    backend.answer = lambda _message: answered(
        "Two *lines*:\n\n- **one**\n- 2 * 3 * 4\n\n2. b\n3. c\n\n[x](javascript:y)", ()
    )
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    expect(page.locator(".answer em")).to_have_text("lines")
    expect(page.locator(".answer ul > li")).to_have_text(["one", "2 * 3 * 4"])
    expect(page.locator(".answer strong")).to_have_text("one")
    expect(page.locator(".answer ol")).to_have_attribute("start", "2")
    expect(page.locator(".answer > p").last).to_have_text("[x](javascript:y)")
    expect(page.locator(".answer a")).to_have_count(0)
