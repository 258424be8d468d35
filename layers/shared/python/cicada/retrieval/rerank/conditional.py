"""Rerankers around others: the next one if one fails, and a paid one only where the first ranking is unsure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cicada.circuit_breaker import CircuitBreaker
from cicada.errors import CicadaError, ConfigurationError, DependencyError, OpenCircuitError
from cicada.observability.telemetry import report_progress
from cicada.retrieval.model import Candidate, EncodedQuery, Ranking
from cicada.retrieval.ports import Reranker
from cicada.retrieval.rerank.doubt import is_unsure


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
