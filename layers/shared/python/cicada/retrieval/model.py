"""Values of retrieval: what is asked of an index, what comes back, what a search ends in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cicada.documents.model import Collection, Passage

Vector = Sequence[float]


@dataclass(frozen=True, slots=True)
class PassageFilter:
    """Which passages may be found. A collection, and with it a tenant, is always part of it.

    `document_ids`: None for all documents. `metadata`: for each field the values of which one must match.
    """

    collection: Collection
    document_ids: frozenset[str] | None = None
    metadata: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """One question to an index: BM25 on `text` and kNN on `vector`, the best `limit` of each."""

    filter: PassageFilter
    text: str
    vector: Vector
    limit: int = 100


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage with the score that one lane gave it (BM25, or cosine in -1 to 1)."""

    passage: Passage
    score: float


@dataclass(frozen=True, slots=True)
class LaneHits:
    """What the two lanes found, each in falling order of score."""

    lexical: tuple[Hit, ...]
    semantic: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class EmbeddedPassage:
    """A passage with the vector of its context and text."""

    passage: Passage
    vector: Vector


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage of the final order. `relevance` is 0 to 1, or None where no text was ranked."""

    passage: Passage
    relevance: float | None
