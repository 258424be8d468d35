"""A chain of rerankers; the last one needs no service."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cicada.errors import CicadaError, ConfigurationError, DependencyError
from cicada.retrieval.model import Candidate, EncodedQuery, Ranking
from cicada.retrieval.ports import Reranker
from cicada.retrieval.progress import report_progress
from cicada.retrieval.rerank.circuit_breaker import CircuitBreaker


class FallbackReranker:
    """Asks each of `services` in turn until one answers, else `last`. Failures go to `report`.

    A service that keeps failing is skipped for a while; one that is not set up (`ConfigurationError`) at once.
    """

    def __init__(
        self,
        services: Sequence[Reranker],
        last: Reranker,
        report: Callable[[CicadaError], None],
        clock: Callable[[], float],
    ) -> None:
        self._services = [(service, CircuitBreaker(clock)) for service in services]
        self._last = last
        self._report = report

    def rerank(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Ranking:
        ready = [(service, breaker) for service, breaker in self._services if breaker.closed]
        if ready and candidates:
            report_progress("ranking")
        for service, breaker in ready:
            try:
                ranking = service.rerank(query, candidates)
            except (DependencyError, ConfigurationError) as error:
                breaker.failed(lasting=isinstance(error, ConfigurationError))
                self._report(error)
            else:
                breaker.succeeded()
                return ranking
        return self._last.rerank(query, candidates)
