"""Rerankers and query formulators with a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cicada.errors import CicadaError
from cicada.retrieval.model import Candidate, EncodedQuery, RankedPassage, Ranking


class FixedReranker:
    """Gives each passage the relevance of its id, 1 to others; keeps the questions. `failure` is raised while set."""

    def __init__(self, by: str = "local", relevance: Mapping[str, float] | None = None) -> None:
        self.by = by
        self.relevance = relevance or {}
        self.questions: list[str] = []
        self.failure: CicadaError | None = None

    def rerank(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Ranking:
        self.questions.append(query.text)
        if self.failure:
            raise self.failure
        ranked = [RankedPassage(each.passage, self.relevance.get(each.passage.passage_id, 1.0)) for each in candidates]
        return Ranking(tuple(sorted(ranked, key=lambda each: -(each.relevance or 0))), self.by)


class FixedFormulator:
    """Says the same for every question; keeps what it was asked. `failure` is raised while set."""

    def __init__(self, query: str = "Wer sagt, dass die Königin tot ist?") -> None:
        self.query = query
        self.asked: list[tuple[str, str]] = []
        self.failure: CicadaError | None = None

    def formulate(self, question: str, language: str) -> str:
        self.asked.append((question, language))
        if self.failure:
            raise self.failure
        return self.query
