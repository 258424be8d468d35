"""Keeps the fused order and adds the relevance that thresholds need."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from cicada.retrieval.model import Candidate, EncodedQuery, RankedPassage, Ranking
from cicada.retrieval.rerank.scores import CALIBRATION, Calibration, Signals, cosines, retriever_scores

NAME = "fusion"


class FusedOrder(Struct, frozen=True):
    """Calibrated like the local reranker, so that thresholds mean the same; needs no request to the index."""

    calibration: Calibration = CALIBRATION

    def rerank(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Ranking:
        signals = list(map(Signals, retriever_scores(candidates), cosines(query.vector, candidates, ())))
        relevances = self.calibration.relevances(signals, len(candidates))
        return Ranking(
            tuple(RankedPassage(each.passage, value) for each, value in zip(candidates, relevances, strict=True)), NAME
        )
