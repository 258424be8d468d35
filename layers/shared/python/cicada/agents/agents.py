"""Agents that answer when they are asked for, and what answers if one fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

from msgspec import Struct

from cicada.agents.model import Agent, AgentTurn
from cicada.circuit_breaker import CircuitBreaker
from cicada.errors import CicadaError, ConfigurationError, ThrottledError, UnavailableError
from cicada.generation import ModelUsage


class AgentOnDemand(Struct, frozen=True):
    """`agent`: makes it at its first call, and may raise `ConfigurationError` then."""

    agent: Callable[[], Agent]

    def reply(self, turn: AgentTurn) -> Iterator[str | ModelUsage]:
        """Ask the agent, made at its first question."""
        return self.agent().reply(turn)


class FallbackAgent(Struct, frozen=True):
    """Asks `second` if `first` fails before its first piece; `report` is called with the error.

    While `breaker` is open, `second` is asked at once.

    The second agent may repeat tool calls of the first. That is harmless: the tools may run twice (`entries.py`).
    """

    first: Agent
    second: Agent
    report: Callable[[CicadaError], None]
    breaker: CircuitBreaker

    def reply(self, turn: AgentTurn) -> Iterator[str | ModelUsage]:
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
