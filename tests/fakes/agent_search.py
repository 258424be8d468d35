"""Agent searches without an index."""

from __future__ import annotations

from cicada.agents.model import Cite, uncited
from cicada.errors import ThrottledError
from cicada.identity import Principal


class FixedAgentSearch:
    """Answers every search with the same text; keeps the searches."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.searches: list[tuple[Principal, str, str]] = []

    def search(self, principal: Principal, knowledge_base: str, query: str, cite: Cite = uncited) -> str:
        self.searches.append((principal, knowledge_base, query))
        return self._text


class BrokenAgentSearch(FixedAgentSearch):
    """Cannot search."""

    def search(self, principal: Principal, knowledge_base: str, query: str, cite: Cite = uncited) -> str:
        raise ThrottledError("The model is asked too often at the moment; try again later.")
