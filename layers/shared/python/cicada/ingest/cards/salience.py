"""Which of a document's terms say what it and its sections are about."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from cicada.ingest.cards.counted import CountedTerms

# How many terms the statistics of the base are asked for.
MAX_CANDIDATES = 64
# What standing in many sections adds: less than standing in the title.
_SPREAD = 0.25


class BaseStatistics(Struct, frozen=True):
    """Of the knowledge base: its `passages`, and in how many of them each term occurs."""

    passages: int = 0
    holding: Mapping[str, int] = field(default_factory=dict)

    def idf(self, term: str) -> float:
        """1 where the base is empty or the term was not counted."""
        if not self.passages or term not in self.holding:
            return 1.0
        return math.log(1 + self.passages / (1 + self.holding[term]))


def candidates(terms: CountedTerms) -> tuple[str, ...]:
    """The terms that may become tags, best first by the document alone: by their number and their sections."""
    spread, found = _spread(terms), terms.total.items()
    scores = {term: _weight(count) * (1 + _SPREAD * math.log(max(1, spread[term]))) for term, count in found}
    return tuple(_best(scores)[:MAX_CANDIDATES])


def tags(terms: CountedTerms, found: Iterable[str], statistics: BaseStatistics, most: int) -> tuple[str, ...]:
    """The salient ones of the candidates `found`, most salient first: by their number times the idf of the base.

    Without statistics they stay as they are ordered by the document alone.
    """
    if not statistics.passages:
        return _distinct(found, most)
    scores = {term: _weight(terms.total[term]) * statistics.idf(term) for term in found}
    return _distinct(_best(scores), most)


def keywords(terms: CountedTerms, statistics: BaseStatistics, most: int) -> list[tuple[str, ...]]:
    """For each section its salient terms, most salient first: those that the other sections and the base have less."""
    spread = _spread(terms)
    sections = len(terms.sections)

    def score(term: str, count: int) -> float:
        return _weight(count) * math.log(1 + sections / spread[term]) * statistics.idf(term)

    scored = ({term: score(term, count) for term, count in section.items()} for section in terms.sections)
    return [_distinct(_best(scores), most) for scores in scored]


def _spread(terms: CountedTerms) -> Counter[str]:
    """In how many sections each term occurs."""
    return Counter(term for section in terms.sections for term in section)


def _weight(count: int) -> float:
    return 1 + math.log(count)


def _best(scores: Mapping[str, float]) -> list[str]:
    """Best first; of equal ones the longest, which is usually the most specific."""
    return sorted(scores, key=lambda term: (-scores[term], -len(term), term))


def _distinct(ordered: Iterable[str], most: int) -> tuple[str, ...]:
    """The first `most` of which none is a part of another one."""
    kept: list[str] = []
    for term in ordered:
        if len(kept) == most:
            break
        if not any(is_part(term, other) or is_part(other, term) for other in kept):
            kept.append(term)
    return tuple(kept)


def is_part(term: str, other: str) -> bool:
    """Whether all words of `term` stand in `other`; of an East Asian term, all its characters in this order."""
    return f" {term} " in f" {other} " if term.isascii() else term in other
