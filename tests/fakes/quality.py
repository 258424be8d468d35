"""Judges of evidence and rewriters of queries with a script."""

from __future__ import annotations

from collections.abc import Sequence

from cicada.errors import CicadaError
from cicada.knowledge_bases.settings import KnowledgeBase
from cicada.retrieval.model import Retrieval


class FixedJudge:
    """Gives these qualities in order, the last one from then on; without any, no judgement. Keeps the questions.

    `failure` is raised while set.
    """

    def __init__(self, *qualities: float | None) -> None:
        self._qualities = qualities or (None,)
        self.asked: list[str] = []
        self.failure: CicadaError | None = None

    def judge(self, question: str, found: Retrieval) -> float | None:
        self.asked.append(question)
        if self.failure:
            raise self.failure
        return self._qualities[min(len(self.asked), len(self._qualities)) - 1]


class FixedRewriter:
    """Gives these queries in order, then none. Keeps what was asked and tried. `failure` is raised while set."""

    def __init__(self, *queries: str) -> None:
        self._queries = iter(queries)
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self.failure: CicadaError | None = None

    def rewrite(self, question: str, tried: Sequence[str], base: KnowledgeBase) -> str | None:
        self.asked.append((question, tuple(tried)))
        if self.failure:
            raise self.failure
        return next(self._queries, None)
