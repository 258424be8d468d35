"""Rerankers around others: the next one if one fails, and none if the retrievers agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cicada.circuit_breaker import CircuitBreaker
from cicada.errors import CicadaError, ConfigurationError, DependencyError, OpenCircuitError
from cicada.observability.telemetry import report_progress
from cicada.retrieval.model import Candidate, EncodedQuery, Ranking
from cicada.retrieval.ports import Reranker
from cicada.retrieval.rerank.scores import retriever_scores


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


MARGIN = 3.0


def retrievers_agree(candidates: Sequence[Candidate]) -> bool:
    """Whether BM25 and the vectors put the same passage first, by a margin of 3 standard deviations.

    The margin is the difference in the sum of both z-scores to the next passage. The overlap of the retrievers' top 5
    or 10 says little about the first passage: docs/reranking.md has the figures.
    """
    lexical = [each.lexical for each in candidates if each.lexical is not None]
    semantic = [each.semantic for each in candidates if each.semantic is not None]
    if not lexical or not semantic:
        return False
    scores = retriever_scores(candidates)
    leader = max(range(len(candidates)), key=scores.__getitem__)
    leads_both = candidates[leader].lexical == max(lexical) and candidates[leader].semantic == max(semantic)
    rest = scores[:leader] + scores[leader + 1 :]
    return leads_both and (not rest or scores[leader] - max(rest) >= MARGIN)


class ConditionalReranker(Struct, frozen=True):
    """Asks `paid` only if the retrievers disagree; otherwise returns the order of `free` under the name `skipped`."""

    paid: Reranker
    free: Reranker

    def rerank(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Ranking:
        if retrievers_agree(candidates):
            return replace(self.free.rerank(query, candidates), by="skipped")
        return self.paid.rerank(query, candidates)
