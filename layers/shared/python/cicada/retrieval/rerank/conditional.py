"""Rerankers around others: the next one if one fails, and a paid one only where the first ranking is unsure.

There a paid reranker has most to gain (docs/reranking.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from cicada.circuit_breaker import CircuitBreaker
from cicada.errors import CicadaError, ConfigurationError, DependencyError, OpenCircuitError
from cicada.knowledge_bases.calibrations import Standard
from cicada.observability.telemetry import report_progress
from cicada.retrieval.model import Candidate, EncodedQuery, RankedPassage, Ranking
from cicada.retrieval.ports import Reranker
from cicada.retrieval.quality import deviations


class FallbackReranker:
    """Asks each of `services` in turn until one answers, else `last`. Failures go to `report`.

    A service that keeps failing is skipped for a while; one that is not set up (`ConfigurationError`) at once. If
    `last` ranks, the ranking's `by` says whether a service was asked and failed, or all were skipped.
    """

    def __init__(
        self,
        services: Sequence[Reranker],
        last: Reranker,
        report: Callable[[CicadaError], None],
        clock: Callable[[], float],
    ) -> None:
        self._services = [(service, CircuitBreaker(clock, "reranking model")) for service in services]
        self._last = last
        self._report = report

    def rerank(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Ranking:
        if candidates and any(breaker.closed for _, breaker in self._services):
            report_progress("ranking")
        skipped = 0
        for service, breaker in self._services:
            try:
                with breaker.guarding():
                    return service.rerank(query, candidates)
            except OpenCircuitError:
                skipped += 1
            except (DependencyError, ConfigurationError) as error:
                self._report(error)
        ranking = self._last.rerank(query, candidates)
        reason = "after_failure" if skipped < len(self._services) else "skipped_open_circuit"
        return replace(ranking, by=f"{ranking.by}:{reason}")


class ConditionalReranker(Struct, frozen=True):
    """Asks `paid` only where the order of `free` is unsure; otherwise returns that order under the name `skipped`."""

    paid: Reranker
    free: Reranker

    def rerank(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Ranking:
        first = self.free.rerank(query, candidates)
        if is_unsure(candidates, first.passages):
            return self.paid.rerank(query, candidates)
        return replace(first, by="skipped")


# The best BM25 score is compared with that of the tenth hit.
_TENTH = 9


class Signals(NamedTuple):
    """What tells unsure rankings from sure ones; None where the search cannot say.

    `fall`: by which share the tenth BM25 score is below the best; 1 if fewer passages have a word of the question.
    `relevance`: that of the first passage. `place`: logarithm of the first passage's place in the retriever that ranks
    it lower.
    """

    fall: float | None
    relevance: float | None
    place: float | None


class Standards(NamedTuple):
    """The standard of each signal of `Signals`, in the same order."""

    fall: Standard
    relevance: Standard
    place: Standard


# Fitted by `python -m tools.fitting.doubt`; the weights are not, as those of the evidence's quality are not.
STANDARDS = Standards(Standard(0.455, 0.174), Standard(0.75, 0.185), Standard(0.734, 0.775))
UNSURE = 1.07
# A steep fall and a high relevance are sure, and a place further down is not.
_WEIGHTS = (-1, -1, 1)


def is_unsure(candidates: Sequence[Candidate], ranked: Sequence[RankedPassage]) -> bool:
    """Whether the ranking is less sure than two of three on the sets that the constants were fitted on."""
    return doubt(signals(candidates, ranked)) > UNSURE


def doubt(found: Signals, standards: Standards = STANDARDS) -> float:
    """The sum of the signals' points."""
    return math.fsum(map(_points, _WEIGHTS, found, standards))


def _points(weight: int, value: float | None, standard: Standard) -> float:
    return weight * deviations(value, standard)


def signals(candidates: Sequence[Candidate], ranked: Sequence[RankedPassage]) -> Signals:
    """The signals of a ranking of these candidates."""
    if not ranked:
        return Signals(None, None, None)
    first = next(each for each in candidates if each.passage == ranked[0].passage)
    lexical = sorted((each.lexical for each in candidates if each.lexical is not None), reverse=True)
    semantic = [each.semantic for each in candidates if each.semantic is not None]
    tenth = lexical[_TENTH] if len(lexical) > _TENTH else 0.0
    return Signals(
        fall=1 - tenth / lexical[0] if lexical and lexical[0] > 0 else None,
        relevance=ranked[0].relevance,
        place=math.log(max(_place(first.lexical, lexical), _place(first.semantic, semantic))),
    )


def _place(score: float | None, scores: Sequence[float]) -> int:
    """The place of a hit in its retriever, from 1; behind all hits for a passage that is none."""
    return 1 + (len(scores) if score is None else sum(other > score for other in scores))
