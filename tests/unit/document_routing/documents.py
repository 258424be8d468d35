"""Documents for tests of the router: each with a card and passages, in an index in memory."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from cicada.documents.catalogue import Card, DocumentRow, Related
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, PassageFilter
from cicada.retrieval.fusion import fuse
from cicada.retrieval.model import Candidate, EmbeddedPassage, EncodedQuery, IndexQuery, Vector
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.fakes.passages import passage

BASE = KnowledgeBaseKey("default", "store")
EVERYTHING = PassageFilter(BASE)
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Written(Struct, frozen=True):
    """A document: its title, topic tags and passages. `related`: edges by id. `card`: whether it has one."""

    title: str = ""
    tags: tuple[str, ...] = ()
    passages: tuple[str, ...] = ("",)
    related: Mapping[str, float] = field(default_factory=dict)
    readers: tuple[str, ...] = ()
    has_card: bool = True


def key(document_id: str) -> DocumentKey:
    return DocumentKey(BASE, document_id)


def vector(text: str) -> Vector:
    """Counts of letters, as a vector of length 1."""
    counts = [float(text.lower().count(letter)) for letter in LETTERS]
    return [each / (math.hypot(*counts) or 1.0) for each in counts]


def encoded(text: str) -> EncodedQuery:
    return EncodedQuery(text, vector(text))


def index_of(documents: Mapping[str, Written]) -> InMemoryPassageIndex:
    index = InMemoryPassageIndex("letters", len(LETTERS))
    for name, written in documents.items():
        readers, related = written.readers, tuple(Related(*edge) for edge in written.related.items())
        card = Card(written.title, "", written.tags, related=related) if written.has_card else None
        kept = [
            passage(key(name), number, text, title="", readers=readers) for number, text in enumerate(written.passages)
        ]
        index.replace(
            key(name),
            [EmbeddedPassage(each, vector(each.text)) for each in kept],
            DocumentRow(key(name), written.title, "1", len(kept), 0.0, readers=readers, card=card),
            vector(" ".join((written.title, *written.tags))) if card else (),
        )
    return index


def candidates(index: InMemoryPassageIndex, text: str, filter: PassageFilter = EVERYTHING) -> Sequence[Candidate]:
    return fuse(index.search(IndexQuery(filter, text, vector(text))), "zscore")
