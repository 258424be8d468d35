"""An agent that is made when it is asked first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from cicada.agents.model import AgentTurn
from cicada.agents.ports import Agent


class AgentOnDemand(Struct, frozen=True):
    """`agent`: makes it at its first call, and may raise `ConfigurationError` then."""

    agent: Callable[[], Agent]

    def reply(self, turn: AgentTurn) -> Iterator[str]:
        """That of the agent."""
        return self.agent().reply(turn)
