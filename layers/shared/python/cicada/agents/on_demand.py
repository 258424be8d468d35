"""An agent that is made when it is asked first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cicada.agents.model import AgentTurn
from cicada.agents.ports import Agent


@dataclass(frozen=True, slots=True)
class AgentOnDemand:
    """`agent`: makes it at its first call, and may raise `ConfigurationError` then."""

    agent: Callable[[], Agent]

    def reply(self, turn: AgentTurn) -> Iterator[str]:
        """That of the agent."""
        return self.agent().reply(turn)
