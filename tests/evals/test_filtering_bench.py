"""The benchmark of filter-first and rank-first: what it concludes from its measurements, over a small index."""

from __future__ import annotations

import pytest

from cicada.documents.filter import AnyOf, PassageFilter
from cicada.documents.model import DocumentKey, MetadataValue, Passage, SectionLocator
from cicada.retrieval.model import EmbeddedPassage, IndexHits, IndexQuery, RankedPassage, Ranking, Retrieval
from cicada.retrieval.strategies.filtered import FilteredSearch
from cicada.retrieval.strategies.hybrid import HybridSearch
from evals.retrieval_bench.filtering import Answered, Compared, compare, crossing, groups_of, shared, summed
from evals.retrieval_bench.ours import BASE
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.unit.retrieval.test_search import LetterEmbedder


def compared(matching: int, filter_first: float, rank_first: float) -> Compared:
    return Compared("engine", matching, filter_first, rank_first, shared=1.0, given_up=0.0)


def found(*numbers: int) -> Retrieval:
    passages = [Passage(str(at), DocumentKey(BASE, "d"), "v1", "", "", "", SectionLocator(())) for at in numbers]
    return Retrieval(IndexHits((), ()), (), Ranking(tuple(RankedPassage(each, None) for each in passages), "fusion"))


def test_a_group_has_as_many_documents_as_its_name_says_and_lies_within_the_larger_ones() -> None:
    groups = groups_of(50, [5, 20])
    assert len(groups) == 50
    assert {size: sum(size in each for each in groups) for size in ("5", "20")} == {"5": 5, "20": 20}
    assert all("20" in each for each in groups if "5" in each)
    assert groups_of(50, [5, 20]) == groups != groups_of(50, [5, 20], seed=8)


@pytest.mark.parametrize(
    ("times", "least"),
    [
        ({10: (1, 9), 100: (5, 4), 1000: (9, 4)}, 100),
        ({1000: (9, 4), 100: (5, 6), 10: (2, 1)}, 1000),  # Faster at 10 too, but not from there on.
        ({10: (1, 9), 100: (5, 5)}, None),
        ({}, None),
    ],
)
def test_the_ways_cross_where_rank_first_is_faster_from_there_on(
    times: dict[int, tuple[float, float]], least: int | None
) -> None:
    assert crossing([compared(matching, *both) for matching, both in times.items()]) == least


def test_the_best_ten_of_filter_first_are_looked_for_in_the_best_ten_of_rank_first() -> None:
    assert shared(found(*range(12)), found(0, 1, *range(20, 28), 2)) == pytest.approx(0.2)
    assert shared(found(0, 1), found(1)) == 0.5
    assert shared(found(), found()) == 1.0


def test_times_are_medians_and_the_rest_means() -> None:
    answers = [Answered(1, 30, 1.0, False), Answered(2, 10, 0.5, True), Answered(90, 20, 0.0, False)]
    assert summed("engine", 7, answers) == Compared("engine", 7, 2, 20, 0.5, 1 / 3)


def test_both_ways_are_forced_whatever_the_threshold_is() -> None:
    """Of 40 documents 4 are in the small group: rank-first finds too few of them, and of the large one enough."""
    asked: list[tuple[bool, int]] = []

    class RecordingIndex(InMemoryPassageIndex):
        def search(self, query: IndexQuery) -> IndexHits:
            asked.append((bool(query.filter.conditions), query.limit))
            return super().search(query)

    index = RecordingIndex("letters", 4)
    for number in range(40):
        document = DocumentKey(BASE, f"d{number:02d}")
        metadata: dict[str, MetadataValue] = {"group": ("4", "40") if number >= 36 else ("40",)}
        text = "dagger " * (40 - number) + "b" * number
        passage = Passage(f"{number:02d}", document, "v1", "", text, "", SectionLocator(()), metadata=metadata)
        index.replace(document, [EmbeddedPassage(passage, LetterEmbedder().embed_passages([text])[0])])
    search = FilteredSearch(HybridSearch(index, LetterEmbedder(), candidates=2, limit=2), index, 9, most_candidates=16)
    assert index.count_documents(PassageFilter(BASE, conditions=(AnyOf("group", frozenset({"4"})),))) == 4
    small, large = (compare("engine", search, ["dagger", "dagger"], size) for size in (4, 40))
    assert (small.given_up, large.given_up) == (1.0, 0.0)
    assert (small.matching, small.shared) == (4, 1.0)
    assert asked.count((False, 8)) == 6  # Rank-first of both groups: the first question and its repetition.
    assert asked.count((True, 2)) == 3 * 2 + 3
