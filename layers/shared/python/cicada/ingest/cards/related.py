"""The edges of the document graph: documents of the base that share salient terms, or of which one names the other.

They are found by a constant number of requests, however many documents the base has. An edge says nothing of who may
read either document: whoever follows one must filter by the asker's readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from cicada.documents.card import Card, Related
from cicada.documents.catalogue import TITLE, DocumentRow, Sort
from cicada.documents.model import DocumentKey, Passage
from cicada.ingest.cards.mentions import Mentions, mentions_in
from cicada.ingest.cards.salience import BaseStatistics
from cicada.ingest.cards.terms import TermReader
from cicada.permissions.readers import every_document
from cicada.retrieval.model import CardQuery
from cicada.retrieval.ports import DocumentCatalogue

MAX_RELATED = 8
MAX_RELATED_BYTES = 800
# Of a document that is named. Shared terms weigh less, however many they are.
NAMED = 1.0
_MOST_SHARED = 0.9
_LEAST_SHARED = 0.15
# A keyword of one section weighs half of a tag.
_SECTION_SHARE = 0.5
# Cards of each request that are compared.
_COMPARED = 24


def related_to(
    card: Card, passages: Sequence[Passage], statistics: BaseStatistics, catalogue: DocumentCatalogue
) -> tuple[Related, ...]:
    """At most `MAX_RELATED` edges to other documents of the base, heaviest first."""
    document = passages[0].document
    mentions = mentions_in(passages)
    rows = {row.document: row for row in _compared(card, document, mentions, catalogue)}
    rows.pop(document, None)
    weights = {each.document_id: _weight(card, row, mentions, statistics) for each, row in rows.items()}
    heaviest = sorted(weights, key=lambda name: (-weights[name], name))
    return tuple(_bounded(Related(name, weights[name]) for name in heaviest if weights[name]))


def _compared(
    card: Card, document: DocumentKey, mentions: Mentions, catalogue: DocumentCatalogue
) -> Iterator[DocumentRow]:
    everything = every_document(document.base_key)
    for text in (" ".join(card.topic_tags), " ".join((mentions.own_code, *mentions.codes, *mentions.titles)).strip()):
        if text:
            # One more than is compared: the document itself may be the first.
            yield from (
                hit.row for hit in catalogue.find_cards(CardQuery(everything, text, limit=_COMPARED + 1)).lexical
            )
    if mentions.codes:
        named = replace(everything, document_ids=mentions.possible_ids(document))
        yield from catalogue.rows(named, Sort(TITLE), _COMPARED).rows


def _weight(card: Card, row: DocumentRow, mentions: Mentions, statistics: BaseStatistics) -> float:
    """0 for a document with which it has too little in common."""
    if mentions.names(row) or (row.card and mentions.is_named_by(row.card)):
        return NAMED
    shared = round(_shared(card, row.card, statistics), 3) if row.card else 0.0
    return min(shared, _MOST_SHARED) if shared >= _LEAST_SHARED else 0.0


def _shared(card: Card, other: Card, statistics: BaseStatistics) -> float:
    """The part of the card's tags that the other card has too, by their idf; 0 to 1. Words are compared."""
    reader = TermReader(card.language)
    tags = _words(other.topic_tags, reader)
    keywords = tags | _words((keyword for section in other.sections for keyword in section.keywords), reader)
    total = found = 0.0
    for tag in card.topic_tags:
        idf, wanted = statistics.idf(tag), _words((tag,), reader)
        total += idf
        found += idf if wanted <= tags else _SECTION_SHARE * idf if wanted <= keywords else 0.0
    return found / total if total else 0.0


def _words(terms: Iterable[str], reader: TermReader) -> set[str]:
    return {word for term in terms for word in reader.folded(term).split(" ")}


def _bounded(edges: Iterator[Related]) -> Iterator[Related]:
    room = MAX_RELATED_BYTES
    for edge in islice(edges, MAX_RELATED):
        room -= len(edge.document_id.encode())
        if room < 0:
            return
        yield edge
