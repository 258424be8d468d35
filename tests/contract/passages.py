"""Passages to fill an index with."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from cicada.documents.model import (
    Condition,
    DocumentKey,
    KnowledgeBaseKey,
    PassageFilter,
)
from cicada.retrieval.model import EmbeddedPassage, IndexQuery
from tests.contract.passage_indexes import DIMENSION
from tests.fakes.passages import MACBETH, PLAYS, passage

__all__ = ["MACBETH", "PLAYS", "passage"]

HAMLET = DocumentKey(PLAYS, "hamlet.json")
VIEWERS = ("user:ross", "user:lennox", "group:thanes")
WORDS = ("crown", "dagger", "forest", "ghost", "king", "night", "queen", "storm", "throne", "witch")


def vector(*leading: float) -> list[float]:
    """A unit vector that begins as given."""
    length = math.hypot(*leading)
    return [value / length for value in leading] + [0.0] * (DIMENSION - len(leading))


def random_vector(rng: random.Random) -> list[float]:
    return vector(*(rng.gauss(0, 1) for _ in range(DIMENSION)))


def embedded(document: DocumentKey, *texts: str, version: str = "v1") -> list[EmbeddedPassage]:
    """A document of these texts; passage n's vector points along axis n."""
    return [
        EmbeddedPassage(passage(document, number, text, version=version), vector(*[0.0] * (number % DIMENSION), 1.0))
        for number, text in enumerate(texts)
    ]


def asking(
    text: str,
    towards: Sequence[float] | None = None,
    *,
    limit: int = 10,
    base_key: KnowledgeBaseKey = PLAYS,
    document_ids: frozenset[str] | None = None,
    conditions: tuple[Condition, ...] = (),
    reader: frozenset[str] = frozenset(),
) -> IndexQuery:
    filter = PassageFilter(base_key, document_ids, conditions, reader)
    return IndexQuery(filter, text, towards or vector(1.0), limit)


def random_document(rng: random.Random, document: DocumentKey, version: str) -> list[EmbeddedPassage]:
    """One to six passages of a few words, with the fields `act` and, in some, `speaker`; some for certain viewers."""
    made = []
    for number in range(rng.randint(1, 6)):
        speaker = {"speaker": rng.choice(("ross", "duncan"))} if rng.random() < 0.7 else {}
        text = " ".join(rng.choices(WORDS, k=rng.randint(1, 5)))
        viewers, metadata = tuple(rng.sample(VIEWERS, rng.randint(0, 2))), {"act": rng.choice("12"), **speaker}
        kept = passage(document, number, text, version=version, metadata=metadata, readers=viewers)
        made.append(EmbeddedPassage(kept, random_vector(rng)))
    return made
