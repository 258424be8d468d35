"""The local reranker: retriever scores, and relevance feedback from the first passage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import add, sub

from msgspec import Struct

from cicada.documents.model import KnowledgeBaseKey
from cicada.retrieval.model import Candidate, EncodedQuery, RankedPassage, Ranking
from cicada.retrieval.ports import PassageIndex
from cicada.retrieval.rerank.scores import (
    LEAD_WEIGHT,
    RELEVANCE_MAP,
    RelevanceMap,
    Signals,
    cosines,
    leads,
    quoted,
    retriever_scores,
    with_feedback,
)

NAME = "local"

RankedSignals = Sequence[tuple[Candidate, Signals]]
"""The first candidates in their new order, with the signals that their relevance is computed from."""


def _shipped(_: KnowledgeBaseKey) -> RelevanceMap:
    return RELEVANCE_MAP


class LocalReranker(Struct, frozen=True):
    """Reranks the first `depth` candidates; the others follow in their given order.

    `relevance`: the map for the embedder of a base.
    """

    index: PassageIndex
    depth: int = 50
    relevance: Callable[[KnowledgeBaseKey], RelevanceMap] = _shipped

    def rerank(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Ranking:
        if not candidates:
            return Ranking((), NAME)
        found = self.signals(query, candidates)
        ranked = [*found, *_behind(found, candidates, self.depth)]
        in_base = self.relevance(candidates[0].passage.document.base_key)
        relevances = in_base.relevances([signals for _, signals in ranked], len(candidates))
        return Ranking(
            tuple(RankedPassage(each.passage, value) for (each, _), value in zip(ranked, relevances, strict=True)), NAME
        )

    def signals(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> RankedSignals:
        """The candidates up to the depth, ranked; at least one must be given."""
        head = candidates[: self.depth]
        ids = [each.passage.passage_id for each in head]
        found = self.index.vectors_of(head[0].passage.document.base_key, ids)
        vectors = [found.get(each) for each in ids]
        ahead = leads(candidates)[: self.depth]
        of_leads = [LEAD_WEIGHT * lead for lead in ahead]
        scores = with_feedback(list(map(add, retriever_scores(candidates), of_leads)), query.vector, vectors)
        order = sorted(range(len(head)), key=lambda place: -scores[place])
        are_quoted = [quoted(query.text, each.passage, lead) for each, lead in zip(head, ahead, strict=True)]
        # The lead orders passages, but a rare word alone makes none relevant.
        without_leads = map(sub, scores, of_leads)
        values = list(map(Signals, without_leads, cosines(query.vector, candidates, vectors), are_quoted))
        return [(head[place], values[place]) for place in order]


def _behind(found: RankedSignals, candidates: Sequence[Candidate], depth: int) -> RankedSignals:
    """The candidates beyond the depth, scored below the last ranked one by their difference in retriever scores."""
    rest = candidates[depth:]
    if not rest:
        return []
    hits = retriever_scores(candidates)[depth:]
    lowest = found[-1][1].score - max(hits)
    nearness = cosines((), candidates, ())[depth:]
    return [
        (each, Signals(lowest + retriever, cosine))
        for each, retriever, cosine in zip(rest, hits, nearness, strict=True)
    ]
