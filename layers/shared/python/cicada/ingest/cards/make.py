"""Makes a document's card."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.catalogue import Card, CardSection
from cicada.documents.model import Locator, Passage
from cicada.ingest.cards.parts import MAX_SECTIONS, Span, beginning_of, heading_of, overview_of, questions_of, spans_of
from cicada.ingest.cards.related import related_to
from cicada.ingest.cards.terms import BaseStatistics, CountedTerms, candidates, count_terms, keywords, language_of, tags
from cicada.ingest.model import CardDraft, DocumentExcerpt, Problem, StoredDocument
from cicada.ingest.ports import CardWriter
from cicada.ingest.prose.encoding import clip
from cicada.permissions import common_to_viewers
from cicada.retrieval.ports import CataloguedIndex

# Compiles the card of a document from its passages, with what a model wrote of it if there is one.
#
# Everything on a card is bounded, because it is a part of the document's row in the catalogue: together about 8 KB.

RULES = "rules"
NOTHING_WRITTEN = CardDraft()
MAX_TITLE = 200
MAX_TAGS = 12
MAX_KEYWORDS = 6
# The bytes of all tags together, in UTF-8.
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
    """The most sections that have room for their headings and a keyword or two."""
    spans = spans_of(passages, MAX_SECTIONS)
    while len(spans) > 1 and _least_bytes(passages, spans) > MAX_SECTION_BYTES:
        spans = spans_of(passages, len(spans) * 2 // 3)
    return spans


def _least_bytes(passages: Sequence[Passage], spans: Sequence[Span]) -> int:
    headings = (heading_of(span, passages[span.first]) for span in spans)
    return sum(len(heading.encode()) + _SECTION_BYTES + _KEYWORD_ROOM for heading in headings)


def _sections(outline: Outline, statistics: BaseStatistics) -> tuple[CardSection, ...]:
    """Give each section as many keywords as all together have room for."""
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


# What of a document the model reads: about 6,000 tokens of English.
MAX_SHOWN = 24_000


class MadeCard(Struct, frozen=True):
    """`problems`: why the card is not the model's."""

    card: Card
    problems: tuple[Problem, ...] = ()


def made_card(
    passages: Sequence[Passage], index: CataloguedIndex, writer: CardWriter | None, before: StoredDocument | None
) -> MadeCard:
    """The card of a document of these passages; `before` is its earlier version.

    The earlier card is kept if the text is the same, even if the base has changed meanwhile: an unchanged document
    stays as it is, and no model is called for it. Another model writes it anew, and so does one that had failed.
    """
    if before and before.card and _has_text_of(before, passages) and _is_final(before.card, writer):
        return MadeCard(before.card)
    outline = outline_of(passages)
    draft = writer.write(_excerpt(outline)) if writer else NOTHING_WRITTEN
    by = writer.model_id if writer and not draft.failure else RULES
    statistics = _statistics(outline, draft, index)
    card = compile_card(outline, statistics, draft, by)
    return MadeCard(replace(card, related=related_to(card, passages, statistics, index)), _problems(draft))


def with_card(stored: StoredDocument) -> StoredDocument:
    """The document with its card; one that was stored without gets a card by rules, which knows nothing of the base."""
    if stored.card or not stored.passages:
        return stored
    outline = outline_of([each.passage for each in stored.passages])
    return replace(stored, card=compile_card(outline, BaseStatistics()))


def _is_final(card: Card, writer: CardWriter | None) -> bool:
    return writer is None or card.by == writer.model_id


def _has_text_of(before: StoredDocument, passages: Sequence[Passage]) -> bool:
    return [_described(each.passage) for each in before.passages] == [_described(each) for each in passages]


def _described(passage: Passage) -> tuple[str, str, Locator, str]:
    """What of a passage a card is made from."""
    return passage.title, passage.text, passage.locator, passage.language


def _excerpt(outline: Outline) -> DocumentExcerpt:
    text = beginning_of(outline.passages, MAX_SHOWN, glue="\n\n").strip()
    headings = tuple(" · ".join(span.path) for span in outline.spans if span.path)
    return DocumentExcerpt(outline.passages[0].title, headings, text, outline.language)


def _statistics(outline: Outline, draft: CardDraft, index: CataloguedIndex) -> BaseStatistics:
    """Count terms in the passages that all of the document's viewers may read, because they may read the card."""
    first = outline.passages[0]
    common = common_to_viewers(first.document.base_key, first.readers)
    terms = tuple(dict.fromkeys((*outline.found, *draft.topic_tags)))
    passages = index.count(common)
    return BaseStatistics(passages, index.passages_with(common, terms) if passages and terms else {})


def _problems(draft: CardDraft) -> tuple[Problem, ...]:
    if not draft.failure:
        return ()
    reason = (
        f"The document's card was made by rules and not by the model: {draft.failure} Upload the file again to have it "
        "written."
    )
    return (Problem("", reason, "card_model"),)
