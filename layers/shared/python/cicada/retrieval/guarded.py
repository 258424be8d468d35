"""Limits the time of a search, and stops searching for a while when searches keep failing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from cicada.circuit_breaker import CircuitBreaker
from cicada.deadline import Deadline, ending_by
from cicada.documents.filter import PassageFilter
from cicada.retrieval.model import Retrieval
from cicada.retrieval.ports import Strategy


class GuardedStrategy(Struct, frozen=True):
    """`breaker` is shared by all searches of a container. Together the calls of one search take at most `seconds`."""

    strategy: Strategy
    breaker: CircuitBreaker
    seconds: float
    clock: Callable[[], float]

    def retrieve(self, text: str, filter: PassageFilter, concepts: Sequence[str] = ()) -> Retrieval:
        with self.breaker.guarding(), ending_by(Deadline.in_seconds(self.seconds, self.clock)):
            return self.strategy.retrieve(text, filter, concepts)
