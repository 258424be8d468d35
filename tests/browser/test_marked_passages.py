"""Passages on the chat page: what of them the answer rests on is marked, and those of a document stand together."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from cicada.conversation.protocol import AnyEventBody, Chunk, Reset, Source, SourcesFound
from tests.browser.contrast import CONTRASTS
from tests.browser.fake_backend import FakeBackend
from tests.browser.pages import ask, sign_in
from tests.browser.plays import DONE, QUESTION, SOURCES
from tests.patience import PATIENCE_MILLISECONDS


def marked(source: Source, *texts: str) -> Source:
    starts = [source.excerpt.index(text) for text in texts]
    return replace(source, spans=tuple((at, at + len(text)) for at, text in zip(starts, texts, strict=True)))


DEAD, TOMORROW = "The queen, my lord, is dead.", "To-morrow, and to-morrow, and to-morrow"
ANSWER = f"He says: “{DEAD}” [1] And then: “{TOMORROW}” [1] She walked in her sleep. [2]"
MARKED = (marked(SOURCES[0], DEAD, TOMORROW), marked(SOURCES[1], "I have seen her rise from her bed"))


def resting(*marked: Source, sources: tuple[Source, ...] = SOURCES, text: str = ANSWER) -> list[AnyEventBody]:
    return [SourcesFound(sources=sources), Chunk(content=text), SourcesFound(sources=marked), DONE]


@pytest.fixture
def answered(page: Page, address: str, backend: FakeBackend) -> Page:
    backend.answer = lambda _message: resting(*MARKED)
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    return page


def test_what_the_answer_rests_on_is_marked(answered: Page) -> None:
    cards = answered.locator(".sources > .cards .card")
    expect(cards.nth(0).locator("mark")).to_have_text([DEAD, TOMORROW])
    expect(cards.nth(1).locator("mark")).to_have_text(["I have seen her rise from her bed"])
    expect(answered.locator(".more-sources mark")).to_have_count(0)


def test_a_folded_passage_begins_with_the_sentence_of_the_first_mark(answered: Page) -> None:
    text = answered.locator(".card blockquote").first
    expect(text).to_contain_text("Seyton", use_inner_text=True)
    expect(text).not_to_contain_text("night-shriek", use_inner_text=True)
    answered.get_by_role("button", name="Read on").first.click()
    expect(text).to_contain_text("night-shriek", use_inner_text=True)
    expect(text).to_contain_text("recorded time.", use_inner_text=True)
    answered.get_by_role("button", name="Less").first.click()
    expect(text).not_to_contain_text("night-shriek", use_inner_text=True)


def test_marks_come_into_a_card_that_the_user_has_opened(page: Page, address: str, backend: FakeBackend) -> None:
    backend.answer = lambda _message: resting(*MARKED)
    backend.hold_before(4)
    sign_in(page, address)
    ask(page, QUESTION)
    page.get_by_role("link", name=re.compile("^Passage 1")).first.click()
    page.get_by_role("button", name="Read on").first.click()
    expect(page.locator("mark")).to_have_count(0)
    backend.go_on()
    expect(page.locator(".card mark")).to_have_count(3)
    expect(page.get_by_role("button", name="Less")).to_be_focused()


def test_marks_leave_the_citation_that_the_user_is_at(page: Page, address: str, backend: FakeBackend) -> None:
    backend.answer = lambda _message: resting(*MARKED)
    backend.hold_before(4)
    sign_in(page, address)
    ask(page, QUESTION)
    citation = page.get_by_role("link", name=re.compile("^Passage 1")).first
    citation.focus()
    backend.go_on()
    expect(page.locator(".card mark")).to_have_count(3)
    expect(citation).to_be_focused()


def test_passages_of_a_document_stand_below_its_title_and_metadata(
    page: Page, address: str, backend: FakeBackend
) -> None:
    fields = {"Status": "retired"}
    play = tuple(replace(each, fields=fields) for each in SOURCES[:4])
    notes = replace(SOURCES[4], n=2, fields=fields)
    sources = (play[0], notes, replace(play[1], n=3), replace(play[2], n=4))
    backend.answer = lambda _message: resting(sources=sources, text="The notes [2], the play. [3] [1]")
    sign_in(page, address)
    ask(page, QUESTION)
    documents = page.locator(".sources > .cards > .document")
    expect(documents.locator("h4")).to_have_text(["Macbeth", "Notes for players"])
    expect(documents.first.locator(".number")).to_have_text(["1", "3"])
    page.get_by_text("1 more passage").click()
    expect(page.locator(".more-sources h4")).to_have_text("Macbeth")
    expect(page.locator(".fields:visible")).to_have_count(2)
    page.get_by_role("link", name=re.compile("^Passage 3: Macbeth, 5.1")).click()
    expect(page.locator(".card", has_text="5.1 Dunsinane")).to_be_focused()


ODD = "Ann: 🦗 sings.\nBob: It’s 🌙 late; go home."


@pytest.mark.parametrize(
    ("spans", "shown"),
    [
        (((5, 13),), ["🦗 sings."]),
        (((0, 3), (19, 30)), ["Ann", "It’s 🌙 late"[:11]]),
        (((5, 20),), ["🦗 sings.", "Bob", " I"]),
        (((5, 8), (6, 9), (30, 90), (-1, 2), (4, 4)), ["🦗 s"]),
    ],
)
def test_spans_count_characters_and_bad_ones_mark_nothing(
    page: Page, address: str, backend: FakeBackend, spans: tuple[tuple[int, int], ...], shown: list[str]
) -> None:
    source = replace(SOURCES[0], excerpt=ODD, locator=replace(SOURCES[0].locator, speakers=("Ann", "Bob")))
    backend.answer = lambda _message: resting(replace(source, spans=spans), sources=(source,))
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator("mark").first).to_be_attached()
    assert page.locator("mark").all_text_contents() == shown
    assert page.locator("blockquote").text_content() == "Ann 🦗 sings.Bob It’s 🌙 late; go home."


def test_a_passage_without_text_is_its_place_alone(page: Page, address: str, backend: FakeBackend) -> None:
    source = replace(SOURCES[0], excerpt=" \n")
    backend.answer = lambda _message: resting(source, sources=(source,))
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".card")).to_contain_text("5.5 Dunsinane")
    expect(page.locator("blockquote")).to_have_count(0)


def test_an_answer_that_begins_again_keeps_no_marks(page: Page, address: str, backend: FakeBackend) -> None:
    again: list[AnyEventBody] = [Reset(reason="again"), SourcesFound(sources=SOURCES), Chunk(content="Now [1]."), DONE]
    backend.answer = lambda _message: [*resting(*MARKED)[:-1], *again]
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".how")).to_be_visible()
    expect(page.locator(".card").first).to_contain_text(DEAD)
    expect(page.locator("mark")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_have_the_contrast_of_text_and_a_line_below(
    chromium: Browser, address: str, backend: FakeBackend, scheme: str
) -> None:
    backend.answer = lambda _message: resting(*MARKED)
    context = chromium.new_context(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    page = context.new_page()
    sign_in(page, address)
    ask(page, QUESTION)
    expect(page.locator(".card mark")).to_have_count(3)
    page.locator(".card").first.hover()
    low = page.locator(".sources").evaluate(CONTRASTS)
    line = page.locator("mark").first.evaluate("mark => getComputedStyle(mark).textDecorationLine")
    context.close()
    assert (low, line) == ([], "underline")
