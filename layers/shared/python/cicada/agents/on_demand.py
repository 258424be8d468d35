"""An agent that is made when it is asked first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from cicada.agents.model import AgentTurn
from cicada.agents.ports import Agent


@dataclass(frozen=True, slots=True)
class AgentOnDemand:
    """`make`: may take a while, and may raise `ConfigurationError`. One request at a time asks."""

    make: Callable[[], Agent]
    _made: list[Agent] = field(default_factory=list, init=False)

    def reply(self, turn: AgentTurn) -> Iterator[str]:
        """That of the agent."""
        if not self._made:
            self._made.append(self.make())
        return self._made[0].reply(turn)
