"""Agent searches without an index."""

from __future__ import annotations

from collections.abc import Sequence

from cicada.agents.evidence import Judgement, Standing, TurnEvidence
from cicada.errors import ThrottledError
from cicada.identity import Principal
from cicada.retrieval.model import RankedPassage


class FixedAgentSearch:
    """Answers every search with the same text, and finds the same passages; keeps the searches.

    `suffices`: whether they are near enough. `stands`: what has become of the documents of a verdict.
    """

    def __init__(self, text: str, passages: Sequence[RankedPassage] = (), *, suffices: bool = True) -> None:
        self._text = text
        self._passages = passages
        self._suffices = suffices
        self.searches: list[tuple[Principal, str, str]] = []
        self.stands = Standing(tuple(passages))
        self.asked_for: list[Judgement] = []

    def search(
        self, principal: Principal, knowledge_base: str, query: str, evidence: TurnEvidence | None = None
    ) -> str:
        self.searches.append((principal, knowledge_base, query))
        if evidence is not None:
            evidence.searched(query, ("retrieve",), 0.9, self._suffices)
            for each in self._passages:
                evidence.number(each)
        return self._text

    def standing(self, principal: Principal, knowledge_base: str, judgement: Judgement) -> Standing:
        self.asked_for.append(judgement)
        return self.stands


class BrokenAgentSearch(FixedAgentSearch):
    """Cannot search."""

    def search(
        self, principal: Principal, knowledge_base: str, query: str, evidence: TurnEvidence | None = None
    ) -> str:
        raise ThrottledError("The model is asked too often at the moment; try again later.")
