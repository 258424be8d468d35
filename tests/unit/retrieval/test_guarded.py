"""A search's time limit, and its circuit breaker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from cicada.circuit_breaker import CircuitBreaker
from cicada.deadline import seconds_left
from cicada.documents.model import KnowledgeBaseKey, PassageFilter
from cicada.errors import CicadaError, OpenCircuitError, UnavailableError
from cicada.retrieval.model import Ranking, Retrieval
from cicada.retrieval.ports import Strategy
from cicada.retrieval.search import GuardedStrategy
from tests.fakes.clock import Clock

FILTER = PassageFilter(KnowledgeBaseKey("acme", "plays"))


@dataclass
class Searching:
    """Finds nothing; keeps the seconds that were left. `failure` is raised while set."""

    failure: CicadaError | None = None
    left: list[float] = field(default_factory=list)

    def retrieve(self, text: str, filter: PassageFilter, concepts: Sequence[str] = ()) -> Retrieval:
        self.left.append(seconds_left())
        if self.failure:
            raise self.failure
        return NOTHING


NOTHING = Retrieval(hits=None, candidates=(), ranking=Ranking((), "fusion"))  # type: ignore[arg-type]


def guarded(strategy: Strategy, clock: Clock) -> GuardedStrategy:
    return GuardedStrategy(strategy, CircuitBreaker(clock, "search"), 45, clock)


def test_a_search_has_the_time_of_its_phase() -> None:
    searching = Searching()
    assert guarded(searching, Clock()).retrieve("Who?", FILTER) is NOTHING
    assert searching.left == [45]


def test_a_search_that_keeps_failing_is_not_tried_for_a_minute() -> None:
    clock = Clock()
    searching = Searching(UnavailableError("…"))
    strategy = guarded(searching, clock)
    for _ in range(3):
        with pytest.raises(UnavailableError):
            strategy.retrieve("Who?", FILTER)
    with pytest.raises(OpenCircuitError, match="The search keeps failing"):
        strategy.retrieve("Who?", FILTER)
    assert len(searching.left) == 3
    clock.now += 60
    searching.failure = None
    assert strategy.retrieve("Who?", FILTER) is NOTHING
