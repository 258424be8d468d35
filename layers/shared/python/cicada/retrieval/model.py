"""Values of retrieval: what is asked of an index, what comes back, what a search ends in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from cicada.documents.model import Collection, Passage

Vector = Sequence[float]


@dataclass(frozen=True, slots=True)
class PassageFilter:
    """Which passages may be found. A collection, and with it a tenant, is always part of it.

    `document_ids`: None for all documents. `metadata`: for each field the values of which one must match.
    `reader`: the names that the asker bears; a passage that names its readers is found by nobody else.
    """

    collection: Collection
    document_ids: frozenset[str] | None = None
    metadata: Mapping[str, frozenset[str]] = field(default_factory=dict)
    reader: frozenset[str] = frozenset()


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
    """A passage with the vector of its context and text.

    `detail` is what a reranker keeps of the text besides, in its own form; empty where the base keeps none.
    """

    passage: Passage
    vector: Vector
    detail: bytes = b""


@dataclass(frozen=True, slots=True)
class PassageVectors:
    """What an index keeps of a passage for reranking: see `EmbeddedPassage`."""

    vector: Vector
    detail: bytes = b""


class Detail(StrEnum):
    """What a knowledge base keeps of each passage for reranking besides its vector (docs/retrieval.md has the sizes).

    `windows`: vectors of runs of about 25 words. `tokens`: one vector for each word piece.
    """

    NONE = "none"
    WINDOWS = "windows"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class EncodedQuery:
    """A question and its encodings. `detail`: its word pieces for reranking; empty where the model gives none."""

    text: str
    vector: Vector
    detail: bytes = b""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage of the fused order. `lexical` (BM25) and `semantic` (cosine): None where the lane did not find it.

    `fused`: its score in the fused order, 0 to 1.
    """

    passage: Passage
    lexical: float | None
    semantic: float | None
    fused: float


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage of the final order. `relevance` is 0 to 1, or None where no text was ranked."""

    passage: Passage
    relevance: float | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The final order. `by` names what made it, for the path of the answer.

    A model's vendor (`cohere`, `amazon`), `local`, `fusion`, or `skipped` where a paid call had nothing to add.
    """

    passages: tuple[RankedPassage, ...]
    by: str


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One search with its stages: what the lanes found, their fusion (the whole pool), and the final order."""

    lanes: LaneHits
    candidates: tuple[Candidate, ...]
    ranking: Ranking
