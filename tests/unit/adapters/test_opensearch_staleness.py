"""Which version of a document a search shows while it is replaced, or while the index is switched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import pytest

from cicada.adapters.opensearch.schema import Generation, Generations
from cicada.adapters.opensearch.targets import Hits, without_stale
from cicada.errors import UnavailableError

OLD, NEW, NEWER = 1_000, 2_000, 3_000


def whole(*numbers: int) -> Generations:
    return tuple(Generation(number, 5, 5) for number in numbers)


def hits(*numbers: int) -> Hits:
    return [{"_source": {"document_id": "d", "generation": str(number)}} for number in numbers]


@dataclass
class Index:
    """Answers the looks in their order, and then always as the last time."""

    searches: Sequence[Sequence[Hits]]
    generations: Sequence[Generations]
    asked: int = field(default=0, init=False)

    def search(self) -> Sequence[Hits]:
        self.asked += 1
        return self.searches[min(self.asked, len(self.searches)) - 1]

    def generations_of(self, documents: set[str]) -> dict[str, Generations]:
        assert documents == {"d"}
        found = self.generations[min(self.asked, len(self.generations)) - 1]
        return {"d": found} if found else {}

    def shown(self) -> list[list[int]]:
        found = without_stale(self.search, self.generations_of, now=0)
        return [[int(hit["_source"]["generation"]) for hit in list_] for list_ in found]


@pytest.mark.parametrize("lists", [(0, 1), (0,), (1,)])
def test_a_document_is_not_missed_where_the_index_is_switched_after_the_search(lists: Iterable[int]) -> None:
    """Between the two steps of a switch the name has both indices. The new one may be a write behind."""
    before: list[Hits] = [hits(OLD, NEW), hits(OLD, NEW)]
    for number in lists:
        before[number] = hits(NEW)
    index = Index([before, [hits(OLD, NEW), hits(OLD, NEW)]], [whole(OLD, NEW)])
    assert (index.shown(), index.asked) == ([[OLD], [OLD]], 2)


def test_a_document_that_was_replaced_after_the_search_is_searched_again() -> None:
    index = Index([[hits(OLD)], [hits(NEW)]], [whole(NEW)])
    assert (index.shown(), index.asked) == ([[NEW]], 2)


def test_a_document_that_was_removed_after_the_search_is_not_shown() -> None:
    index = Index([[hits(OLD)]], [()])
    assert (index.shown(), index.asked) == ([[]], 1)


def test_whoever_searches_what_changes_with_every_look_is_told_to_try_again() -> None:
    index = Index([[hits(number)] for number in (4, 5, 6, 7)], [whole(2, 4), whole(3, 5), whole(2, 6), whole(3, 7)])
    with pytest.raises(UnavailableError, match="change faster"):
        index.shown()
