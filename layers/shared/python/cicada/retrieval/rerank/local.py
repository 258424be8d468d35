"""The local reranker: retriever scores, multivector matches, and relevance feedback from the first passage."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from cicada.retrieval.model import Candidate, EncodedQuery, PassageVectors, RankedPassage, Ranking, Vector
from cicada.retrieval.ports import PassageIndex
from cicada.retrieval.rerank.multivector import Kind, Rows, unpack, windows
from cicada.retrieval.rerank.scores import (
    CALIBRATIONS,
    Calibration,
    Matches,
    Signals,
    cosines,
    dot,
    retriever_scores,
    with_feedback,
    with_matches,
)

NAME = "local"


class Evidence(Struct, frozen=True):
    """The first candidates in their new order, with the signals that their relevance is computed from."""

    passages: tuple[tuple[Candidate, Signals], ...]
    kind: Kind | None


class LocalReranker(Struct, frozen=True):
    """Reranks the first `depth` candidates; the others follow in their given order.

    Without multivectors in the index it uses the passages' vectors alone. `calibrations` belong to the embedding model.
    """

    index: PassageIndex
    depth: int = 50
    calibrations: Mapping[Kind | None, Calibration] = field(default_factory=lambda: CALIBRATIONS)

    def rerank(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Ranking:
        if not candidates:
            return Ranking((), NAME)
        found = self.evidence(query, candidates)
        ranked = [*found.passages, *_behind(found, candidates, self.depth)]
        relevances = self.calibrations[found.kind].relevances([signals for _, signals in ranked], len(candidates))
        return Ranking(
            tuple(RankedPassage(each.passage, value) for (each, _), value in zip(ranked, relevances, strict=True)), NAME
        )

    def evidence(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Evidence:
        """The candidates up to the depth, ranked; at least one must be given."""
        head = candidates[: self.depth]
        ids = [each.passage.passage_id for each in head]
        found = self.index.vectors_of(head[0].passage.document.base_key, ids)
        kept = [found.get(each) for each in ids]
        matches = multivector_matches(query, kept)
        vectors = [each.vector if each else None for each in kept]
        scores = with_feedback(with_matches(retriever_scores(candidates)[: self.depth], matches), query.vector, vectors)
        nearness = cosines(query.vector, candidates, vectors)
        values = matches.values if matches else [0.0] * len(head)
        signals = list(map(Signals, scores, nearness, values))
        order = sorted(range(len(head)), key=lambda place: -scores[place])
        return Evidence(tuple((head[place], signals[place]) for place in order), matches.kind if matches else None)


def _behind(found: Evidence, candidates: Sequence[Candidate], depth: int) -> list[tuple[Candidate, Signals]]:
    """The candidates beyond the depth, scored below the last ranked one by their difference in retriever scores."""
    rest = candidates[depth:]
    if not rest:
        return []
    hits = retriever_scores(candidates)[depth:]
    lowest = found.passages[-1][1].score - max(hits)
    match = min(signals.match for _, signals in found.passages)
    nearness = cosines((), candidates, ())[depth:]
    return [
        (each, Signals(lowest + retriever, cosine, match))
        for each, retriever, cosine in zip(rest, hits, nearness, strict=True)
    ]


def multivector_matches(query: EncodedQuery, kept: Sequence[PassageVectors | None]) -> Matches | None:
    """None unless all passages have multivectors of one kind; a base may have been ingested partly without them."""
    if not all(each and each.multivector for each in kept):
        return None
    multivectors = [unpack(each.multivector) for each in kept if each]
    kinds = {each.kind for each in multivectors}
    if kinds == {Kind.TOKENS} and query.multivector:
        # Imported here: the deployed functions have no numpy, as their embedding models give no token vectors.
        from cicada.retrieval.rerank.soft_match import soft_matches

        return Matches(Kind.TOKENS, tuple(soft_matches(unpack(query.multivector), multivectors)))
    if kinds == {Kind.WINDOWS}:
        return Matches(Kind.WINDOWS, tuple(_best_window(query.vector, each) for each in multivectors))
    return None


def _best_window(query: Vector, rows: Rows) -> float:
    """The highest cosine of a window to the question; 0 for a passage without words."""
    length = math.hypot(*query)
    cosines = (dot(query, row) / (length * math.hypot(*row)) for row in windows(rows) if any(row))
    return max(cosines, default=0.0) if length else 0.0
