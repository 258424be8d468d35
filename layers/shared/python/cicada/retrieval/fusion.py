"""Fusion of the lanes' rankings."""

from __future__ import annotations

from cicada.documents.model import Passage
from cicada.retrieval.model import LaneHits, RankedPassage

RRF_K = 60


def reciprocal_rank_fusion(lanes: LaneHits, limit: int) -> tuple[RankedPassage, ...]:
    """The best `limit` passages by the sum over the lanes of 1 / (60 + rank).

    Relevance is that sum divided by its greatest possible value, so that first in both lanes is 1.
    Source: Cormack, Clarke and Büttcher, Reciprocal Rank Fusion, SIGIR 2009, which also gives k = 60.
    """
    scores: dict[str, float] = {}
    passages: dict[str, Passage] = {}
    for lane in (lanes.lexical, lanes.semantic):
        for rank, hit in enumerate(lane, start=1):
            key = hit.passage.passage_id
            passages.setdefault(key, hit.passage)
            scores[key] = scores.get(key, 0.0) + 1 / (RRF_K + rank)
    best = sorted(scores, key=lambda key: (-scores[key], key))[:limit]
    greatest = 2 / (RRF_K + 1)
    return tuple(RankedPassage(passages[key], scores[key] / greatest) for key in best)
