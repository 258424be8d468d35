"""A chain of rerankers; the last one needs no service."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from cicada.circuit_breaker import CircuitBreaker
from cicada.errors import CicadaError, ConfigurationError, DependencyError, OpenCircuitError
from cicada.retrieval.model import Candidate, EncodedQuery, Ranking
from cicada.retrieval.ports import Reranker
from cicada.retrieval.progress import report_progress


class FallbackReranker:
    """Asks each of `services` in turn until one answers, else `last`. Failures go to `report`.

    A service that keeps failing is skipped for a while; one that is not set up (`ConfigurationError`) at once. If all
    were skipped, the ranking's `by` says so.
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
        if not skipped or skipped < len(self._services):
            return ranking
        return replace(ranking, by=f"{ranking.by}:skipped_open_circuit")
