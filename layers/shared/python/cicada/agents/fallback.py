"""A fallback for an agent that cannot be reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

from msgspec import Struct

from cicada.agents.model import AgentTurn
from cicada.agents.ports import Agent
from cicada.circuit_breaker import CircuitBreaker
from cicada.errors import CicadaError, ConfigurationError, ThrottledError, UnavailableError


class FallbackAgent(Struct, frozen=True):
    """Asks `second` if `first` fails before its first piece; `report` is called with the error.

    While `breaker` is open, `second` is asked at once.

    The second agent may repeat tool calls of the first. That is harmless: the tools may run twice (`entries.py`).
    """

    first: Agent
    second: Agent
    report: Callable[[CicadaError], None]
    breaker: CircuitBreaker

    def reply(self, turn: AgentTurn) -> Iterator[str]:
        spoken = False
        try:
            # The port promises an iterator that can be closed, which `Iterator` does not say.
            with self.breaker.guarding(), closing(self.first.reply(turn)) as pieces:  # type: ignore[type-var]
                for piece in pieces:
                    spoken = True
                    yield piece
            return
        except (ThrottledError, UnavailableError, ConfigurationError) as error:
            if spoken:
                raise
            self.report(error)
        yield from self.second.reply(turn)
