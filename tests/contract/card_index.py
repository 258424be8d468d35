"""Cards to fill an index with, and questions to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from cicada.documents.catalogue import Card, CardSection, DocumentRow, row_of
from cicada.documents.model import Condition, DocumentKey, KnowledgeBaseKey, MetadataValue, PassageFilter
from cicada.retrieval.model import CardHit, CardQuery, EmbeddedPassage
from cicada.retrieval.ports import CataloguedIndex
from tests.contract.passages import PLAYS, passage, vector

NO_METADATA: Mapping[str, MetadataValue] = {}


def card(title: str, overview: str = "", keyword: str = "", *, tag: str = "", language: str = "en") -> Card:
    """A card of a title, and perhaps an overview, a section's keyword and a tag."""
    sections = (CardSection("", 0, 0, (keyword,)),) if keyword else ()
    return Card(title, overview, (tag,) if tag else (), sections=sections, language=language)


def put(
    index: CataloguedIndex,
    name: str,
    kept_card: Card | None,
    towards: Sequence[float] = (),
    *,
    base_key: KnowledgeBaseKey = PLAYS,
    version: str = "v1",
    metadata: Mapping[str, MetadataValue] = NO_METADATA,
    readers: tuple[str, ...] = (),
) -> DocumentRow:
    """Store a document of two passages with this card; returns its row."""
    document = DocumentKey(base_key, name)
    kept = [
        passage(document, number, "queen", version=version, metadata=metadata, readers=readers) for number in (0, 1)
    ]
    passages = [EmbeddedPassage(each, vector(1.0)) for each in kept]
    row = described(passages, kept_card)
    index.replace(document, passages, row, towards)
    return row


def described(passages: Sequence[EmbeddedPassage], kept_card: Card | None) -> DocumentRow:
    """The row of a document of these passages, with this card."""
    row = row_of([each.passage for each in passages])
    assert row is not None
    return replace(row, card=kept_card)


def asking(
    text: str,
    towards: Sequence[float] = (),
    *,
    limit: int = 10,
    base_key: KnowledgeBaseKey = PLAYS,
    document_ids: frozenset[str] | None = None,
    conditions: tuple[Condition, ...] = (),
    reader: frozenset[str] = frozenset(),
) -> CardQuery:
    return CardQuery(PassageFilter(base_key, document_ids, conditions, reader), text, towards, limit)


def names(hits: Sequence[CardHit]) -> list[str]:
    return [hit.row.document.document_id for hit in hits]


def found(index: CataloguedIndex, query: CardQuery) -> tuple[list[str], list[str]]:
    """The documents that each retriever finds, best first."""
    hits = index.find_cards(query)
    return names(hits.lexical), names(hits.semantic)
