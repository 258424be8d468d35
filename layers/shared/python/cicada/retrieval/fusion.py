"""BM25, and the fusion of two retrievers' hits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from cicada.documents.model import Passage
from cicada.knowledge_bases.settings import Fusion
from cicada.retrieval.model import Candidate, Hit, IndexHits

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
    """The idf of a word that `holding` of the documents have, as in Lucene's BM25Similarity; never negative."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


RRF_K = 60

Scores = Mapping[str, float]


class Scale(Struct, frozen=True):
    """Converts scores to z-scores. `floor` is the lowest score, used for a passage that has none."""

    mean: float
    deviation: float
    floor: float

    def z(self, score: float | None) -> float:
        """0 for every passage if all of the retriever's scores are equal."""
        value = self.floor if score is None else score
        return (value - self.mean) / self.deviation if self.deviation else 0.0


def fuse(hits: IndexHits, fusion: Fusion) -> tuple[Candidate, ...]:
    """Every passage of either retriever once, best fused score first, ties in order of `passage_id`."""
    passages: dict[str, Passage] = {}
    for hit in (*hits.lexical, *hits.semantic):
        passages.setdefault(hit.passage.passage_id, hit.passage)
    lexical, semantic = _scores(hits.lexical), _scores(hits.semantic)
    fused = reciprocal_ranks(hits) if fusion == "rrf" else z_scores(passages, lexical, semantic)
    order = sorted(passages, key=lambda key: (-fused[key], key))
    return tuple(Candidate(passages[key], lexical.get(key), semantic.get(key), fused[key]) for key in order)


def reciprocal_ranks(hits: IndexHits) -> Scores:
    """The sum over the retrievers of 1 / (60 + rank), divided by its greatest possible value: first in both is 1.

    Source: Cormack, Clarke and Büttcher, Reciprocal Rank Fusion, SIGIR 2009, which also gives k = 60.
    """
    scores: dict[str, float] = {}
    for retriever in (hits.lexical, hits.semantic):
        for rank, hit in enumerate(retriever, start=1):
            key = hit.passage.passage_id
            scores[key] = scores.get(key, 0.0) + 1 / (RRF_K + rank)
    greatest = 2 / (RRF_K + 1)
    return {key: score / greatest for key, score in scores.items()}


def z_scores(keys: Mapping[str, object], lexical: Scores, semantic: Scores) -> Scores:
    """The sum of both retrievers' z-scores, mapped to 0 to 1 by the logistic function (docs/retrieval.md)."""
    words, meaning = retriever_scales(list(lexical.values()), list(semantic.values()))
    return {key: logistic(words.z(lexical.get(key)) + meaning.z(semantic.get(key))) for key in keys}


def retriever_scales(lexical: Sequence[float], semantic: Sequence[float]) -> tuple[Scale, Scale]:
    """Mean and standard deviation of each retriever over its own hits.

    A passage that a retriever did not find gets the retriever's lowest score. The exception is BM25 with fewer hits
    than the semantic retriever: the other passages contain none of the words and score 0. BM25's statistics include a
    zero for each missing hit.
    """
    rest = max(0, len(semantic) - len(lexical))
    return scale([*lexical, *([0.0] * rest)]), scale(semantic)


def scale(scores: Sequence[float]) -> Scale:
    """The scale of these scores. Without any, every z-score is 0."""
    values = scores or (0.0,)
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    # Scores that are equal may still differ by rounding.
    return Scale(mean, deviation if deviation > 1e-9 * max(1.0, abs(mean)) else 0.0, min(values))


def _scores(retriever: Sequence[Hit]) -> Scores:
    return {hit.passage.passage_id: hit.score for hit in retriever}


def logistic(x: float) -> float:
    """1 / (1 + exp(-x))."""
    return 1 / (1 + math.exp(-x))
