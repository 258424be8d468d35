"""Compiles the card of a document from its passages, with what a model wrote of it if there is one.

Everything on a card is bounded, because it is a part of the document's row in the catalogue: together about 8 KB.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from cicada.documents.card import Card, CardSection
from cicada.documents.model import Passage
from cicada.ingest.cards.counted import CountedTerms, count_terms
from cicada.ingest.cards.language import language_of
from cicada.ingest.cards.overview import overview_of
from cicada.ingest.cards.questions import questions_of
from cicada.ingest.cards.salience import BaseStatistics, candidates, keywords, tags
from cicada.ingest.cards.sections import MAX_SECTIONS, Span, heading_of, spans_of
from cicada.ingest.model import CardDraft
from cicada.ingest.prose.characters import clip

RULES = "rules"
NOTHING_WRITTEN = CardDraft()
MAX_TITLE = 200
MAX_TAGS = 12
MAX_KEYWORDS = 6
# In UTF-8, together.
MAX_TAG_BYTES = 500
MAX_HINT_BYTES = 700
MAX_SECTION_BYTES = 4_500
# A section as JSON without its heading and its keywords, and a keyword of it without its text.
_SECTION_BYTES = 20
_KEYWORD_BYTES = 3
# What the first keywords of a section take.
_KEYWORD_ROOM = 20


class Outline(Struct, frozen=True):
    """What the rules read from a document of at least one passage. `found`: its terms that may become tags."""

    passages: Sequence[Passage]
    language: str
    spans: tuple[Span, ...]
    terms: CountedTerms
    found: tuple[str, ...]


def outline_of(passages: Sequence[Passage]) -> Outline:
    """Takes a time that is linear in the text."""
    language = language_of(passages)
    spans = _fitting(passages)
    terms = count_terms(passages, spans, language)
    return Outline(passages, language, spans, terms, candidates(terms))


def compile_card(
    outline: Outline, statistics: BaseStatistics, written: CardDraft = NOTHING_WRITTEN, by: str = RULES
) -> Card:
    """The card without edges: what the model `by` has written, and what the rules read where it has written nothing."""
    passages, spans = outline.passages, outline.spans
    return Card(
        title=clip(passages[0].title, MAX_TITLE),
        overview=written.overview or overview_of(passages),
        topic_tags=_within(
            written.topic_tags or tags(outline.terms, outline.found, statistics, MAX_TAGS), MAX_TAG_BYTES
        ),
        question_hints=_within(
            written.question_hints or questions_of(passages, spans, outline.language), MAX_HINT_BYTES
        ),
        sections=_sections(outline, statistics),
        language=outline.language,
        by=by,
    )


def _fitting(passages: Sequence[Passage]) -> tuple[Span, ...]:
    """As many sections as have room for their headings and a keyword or two."""
    spans = spans_of(passages, MAX_SECTIONS)
    while len(spans) > 1 and _least_bytes(passages, spans) > MAX_SECTION_BYTES:
        spans = spans_of(passages, len(spans) * 2 // 3)
    return spans


def _least_bytes(passages: Sequence[Passage], spans: Sequence[Span]) -> int:
    headings = (heading_of(span, passages[span.first]) for span in spans)
    return sum(len(heading.encode()) + _SECTION_BYTES + _KEYWORD_ROOM for heading in headings)


def _sections(outline: Outline, statistics: BaseStatistics) -> tuple[CardSection, ...]:
    """With as many keywords each as all together have room for."""
    found = keywords(outline.terms, statistics, MAX_KEYWORDS)
    headings = [heading_of(span, outline.passages[span.first]) for span in outline.spans]
    for most in range(MAX_KEYWORDS, -1, -1):
        made = [
            CardSection(heading, span.first, span.last, terms[:most])
            for heading, span, terms in zip(headings, outline.spans, found, strict=True)
        ]
        if sum(map(_bytes, made)) <= MAX_SECTION_BYTES:
            break
    return tuple(made)


def _bytes(section: CardSection) -> int:
    words = sum(len(keyword.encode()) + _KEYWORD_BYTES for keyword in section.keywords)
    return len(section.heading.encode()) + _SECTION_BYTES + words


def _within(texts: Iterable[str], most_bytes: int) -> tuple[str, ...]:
    """The first texts, as long as they take no more bytes together."""
    kept: list[str] = []
    for text in texts:
        most_bytes -= len(text.encode()) + _KEYWORD_BYTES
        if most_bytes < 0:
            break
        kept.append(text)
    return tuple(kept)
