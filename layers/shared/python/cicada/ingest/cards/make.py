"""Makes the card of a document at ingest: by rules, and by a model where one is configured."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.card import Card
from cicada.documents.model import Locator, Passage
from cicada.ingest.cards.compile import RULES, Outline, compile_card, outline_of
from cicada.ingest.cards.related import related_to
from cicada.ingest.cards.salience import BaseStatistics
from cicada.ingest.model import CardDraft, DocumentExcerpt, Problem, StoredDocument
from cicada.ingest.ports import CardWriter
from cicada.permissions.readers import common_to_readers
from cicada.retrieval.ports import CataloguedIndex

# What of a document the model reads: about 6,000 tokens of English.
MAX_SHOWN = 24_000


class MadeCard(Struct, frozen=True):
    """`card`: None for a document without passages. `problems`: why it is not the model's."""

    card: Card | None
    problems: tuple[Problem, ...] = ()


def made_card(
    passages: Sequence[Passage], index: CataloguedIndex, writer: CardWriter | None, before: StoredDocument | None
) -> MadeCard:
    """The card of a document of these passages; `before` is its earlier version.

    The earlier card is kept if the text is the same, even if the base has changed meanwhile: an unchanged document
    stays as it is, and no model is called for it. Another model writes it anew, and so does one that had failed.
    """
    if not passages:
        return MadeCard(None)
    if before and before.card and _has_text_of(before, passages) and _is_final(before.card, writer):
        return MadeCard(before.card)
    outline = outline_of(passages)
    draft = writer.write(_excerpt(outline)) if writer else CardDraft()
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
    text = ""
    for passage in outline.passages:
        text += f"{passage.text}\n\n"
        if len(text) > MAX_SHOWN:
            break
    headings = tuple(" · ".join(span.path) for span in outline.spans if span.path)
    return DocumentExcerpt(outline.passages[0].title, headings, text[:MAX_SHOWN].strip(), outline.language)


def _statistics(outline: Outline, draft: CardDraft, index: CataloguedIndex) -> BaseStatistics:
    """Of the passages that all of the document's readers may read, because they may read the card."""
    first = outline.passages[0]
    common = common_to_readers(first.document.base_key, first.readers)
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
