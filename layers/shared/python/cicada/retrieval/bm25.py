"""BM25 parameters of the lexical retriever."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

CARD_FIELDS: Mapping[str, float] = MappingProxyType({"head": 0.25, "body": 1.0})
"""The weights of a card's fields, of which `retrieval.cards` makes the texts.

The body has all words of the card, so those of the head count twice. Separate fields rank worse: a term would be rare
in one and frequent in the other (docs/document_routing.md).
"""


class Bm25(Struct, frozen=True):
    """BM25 of all words of a passage, plus `title` times BM25 of its title and `context` times BM25 of its context.

    Each field has statistics of its own. `k1` and `b` as in Robertson and Zaragoza, The Probabilistic Relevance
    Framework: BM25 and Beyond, 2009. `b` and `title` were tuned on scifact, cranfield and mtrag-clapnq;
    docs/figures/bm25-variants.json compares them with others on the same sets.
    """

    k1: float = 1.2
    b: float = 0.6
    title: float = 0.25
    context: float = 0.0

    @property
    def fields(self) -> dict[str, float]:
        """The weights of the scored fields."""
        weights = {"words": 1.0, "title": self.title, "context": self.context}
        return {field: weight for field, weight in weights.items() if weight > 0}

    def saturated(self, count: float, length: float, mean_length: float) -> float:
        """The weight of `count` occurrences of a word in a field of this length, 0 to 1."""
        return count / (count + self.k1 * (1 - self.b + self.b * length / mean_length))


def idf(documents: int, holding: int) -> float:
    """Of a word that `holding` of the documents have. As in Lucene's BM25Similarity; never negative."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))
