"""An agent with a script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cicada.agents.model import AgentTurn
from cicada.errors import CicadaError
from cicada.generation import ModelUsage


class ScriptedAgent:
    """Says its pieces and raises its errors, in order; keeps the turns, and whether it was closed."""

    def __init__(self, *script: str | ModelUsage | CicadaError) -> None:
        self._script: Sequence[str | ModelUsage | CicadaError] = script
        self.turns: list[AgentTurn] = []
        self.closed = False

    def reply(self, turn: AgentTurn) -> Iterator[str | ModelUsage]:
        self.turns.append(turn)
        try:
            for piece in self._script:
                if isinstance(piece, CicadaError):
                    raise piece
                yield piece
        finally:
            self.closed = True
