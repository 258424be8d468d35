"""Fusion of the retrievers' rankings into one order of the whole pool."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cicada.documents.model import Passage
from cicada.knowledge_bases.settings import Fusion
from cicada.retrieval.model import Candidate, Hit, IndexHits

RRF_K = 60

Scores = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Scale:
    """Scores in units of their standard deviation. `floor` is the lowest, and stands for a passage that has none."""

    mean: float
    deviation: float
    floor: float

    def z(self, score: float | None) -> float:
        """0 for every passage where the retriever tells none apart."""
        value = self.floor if score is None else score
        return (value - self.mean) / self.deviation if self.deviation else 0.0


def fuse(hits: IndexHits, fusion: Fusion) -> tuple[Candidate, ...]:
    """Every passage of either retriever once, best fused score first; equal ones in order of `passage_id`."""
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
    """The sum of both retrievers' z-scores, brought between 0 and 1 by the logistic function (docs/retrieval.md)."""
    words, meaning = retriever_scales(list(lexical.values()), list(semantic.values()))
    return {key: logistic(words.z(lexical.get(key)) + meaning.z(semantic.get(key))) for key in keys}


def retriever_scales(lexical: Sequence[float], semantic: Sequence[float]) -> tuple[Scale, Scale]:
    """Mean and standard deviation of each retriever over its own hits.

    A passage that a retriever did not find gets its lowest score. Only where BM25 found fewer passages than the other
    did the rest hold none of the words: their score is 0, and as many zeros as are missing count in its statistics.
    """
    rest = max(0, len(semantic) - len(lexical))
    return scale([*lexical, *([0.0] * rest)]), scale(semantic)


def scale(scores: Sequence[float]) -> Scale:
    """Of these scores; of none, one that tells nothing apart."""
    values = scores or (0.0,)
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    # Equal scores differ by rounding only.
    return Scale(mean, deviation if deviation > 1e-9 * max(1.0, abs(mean)) else 0.0, min(values))


def _scores(retriever: Sequence[Hit]) -> Scores:
    return {hit.passage.passage_id: hit.score for hit in retriever}


def logistic(x: float) -> float:
    """1 / (1 + exp(-x))."""
    return 1 / (1 + math.exp(-x))
