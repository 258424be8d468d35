"""Any passages give a card within its bounds, whose sections hold all passages in order."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cicada.documents.catalogue import Card
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, ScriptLocator, SectionLocator
from cicada.ingest.cards.make import compile_card, outline_of
from cicada.ingest.cards.terms import BaseStatistics, TermExtractor

DOCUMENT = DocumentKey(KnowledgeBaseKey("t", "kb"), "a.md")
_WORDS = st.sampled_from(
    """valve valves pump pumping station the of Annex B-12 SOP-QA-001 how do I ask? 品質管理 サンプル 退货 반품은 die
    Richtlinie l'azienda city's . ! ? | - 1. ÄÖÜ x 2024 Ωmega 🦉""".split()  # noqa: SIM905 - as a list it would fill a page
)
_TEXTS = st.one_of(st.text(max_size=80), st.lists(_WORDS, max_size=30).map(" ".join))
_HEADINGS = st.one_of(st.lists(_WORDS, min_size=1, max_size=4).map(" ".join), st.text(min_size=1, max_size=200))
_PATHS = st.lists(_HEADINGS, max_size=3).map(tuple)


@st.composite
def documents(draw: st.DrawFn) -> tuple[Passage, ...]:
    """Prose or a script; passages repeated to make a long one."""
    title, language = draw(_TEXTS), draw(st.sampled_from(["en", "de", "ja", "xx"]))
    is_script, times = draw(st.booleans()), draw(st.sampled_from([1, 1, 40]))
    parts = draw(st.lists(st.tuples(_PATHS, _TEXTS), min_size=1, max_size=8))
    many = [(path + ((f"{number}",) if times > 1 else ()), text) for number in range(times) for path, text in parts]
    return tuple(
        Passage(
            f"a.md#{number:06d}",
            DOCUMENT,
            "v1",
            title,
            text,
            "",
            ScriptLocator("e", title, " ".join(path)[:20], " ".join(path), 0, 1, path)
            if is_script
            else SectionLocator(path),
            language,
        )
        for number, (path, text) in enumerate(many)
    )


def in_bounds(card: Card) -> bool:
    return (
        len(card.title) <= 200
        and len(card.overview) <= 300
        and len(card.topic_tags) <= 12
        and len(card.question_hints) <= 8
        and len(card.sections) <= 200
        and all(len(section.keywords) <= 6 and len(section.heading) <= 100 for section in card.sections)
    )


def size_of(card: Card) -> int:
    """The bytes of the card as JSON, without the edges."""
    sections = sum(
        len(each.heading.encode()) + 20 + sum(len(word.encode()) + 3 for word in each.keywords)
        for each in card.sections
    )
    texts = (card.title, card.overview, *card.topic_tags, *card.question_hints)
    return sections + sum(len(text.encode("utf-8", "replace")) for text in texts)


@settings(max_examples=60)
@given(documents())
def test_a_card_is_bounded_and_the_same_for_the_same_passages(passages: tuple[Passage, ...]) -> None:
    card = compile_card(outline_of(passages), BaseStatistics())
    assert in_bounds(card)
    assert size_of(card) <= 8_000
    assert compile_card(outline_of(passages), BaseStatistics()) == card


@settings(max_examples=60)
@given(documents())
def test_the_sections_hold_all_passages_in_order(passages: tuple[Passage, ...]) -> None:
    card = compile_card(outline_of(passages), BaseStatistics())
    held = [number for section in card.sections for number in range(section.first, section.last + 1)]
    assert held == list(range(len(passages)))


@settings(max_examples=60)
@given(documents())
def test_a_keyword_leads_back_to_a_section_that_has_it(passages: tuple[Passage, ...]) -> None:
    outline = outline_of(passages)
    card = compile_card(outline, BaseStatistics())
    extractor = TermExtractor(card.language)
    for keyword, places in card.topic_paths.items():
        for place in places:
            section = card.sections[place]
            texts = [section.heading, *(each.text for each in passages[section.first : section.last + 1])]
            assert extractor.folded(keyword) in {
                extractor.folded(term) for text in texts for term in extractor.terms(text)
            }
