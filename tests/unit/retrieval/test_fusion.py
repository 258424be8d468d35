"""Reciprocal rank fusion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.documents.model import Collection, DocumentKey, Passage, SectionLocator
from cicada.retrieval.fusion import reciprocal_rank_fusion
from cicada.retrieval.model import Hit, LaneHits

DOCUMENT = DocumentKey(Collection("tenant", "plays"), "macbeth.json")
ORDER = st.lists(st.integers(0, 30), unique=True, max_size=20)


def lane(*numbers: int) -> tuple[Hit, ...]:
    """Passages of these numbers, in this order; the scores say nothing more."""
    return tuple(
        Hit(Passage(f"{number:02d}", DOCUMENT, "v1", "Macbeth", "text", "", SectionLocator(())), 100.0 - place)
        for place, number in enumerate(numbers)
    )


def fused(lexical: list[int], semantic: list[int], limit: int = 100) -> list[tuple[int, float]]:
    ranked = reciprocal_rank_fusion(LaneHits(lane(*lexical), lane(*semantic)), limit)
    return [(int(each.passage.passage_id), each.relevance or 0.0) for each in ranked]


def relevances(lexical: list[int], semantic: list[int]) -> dict[int, float]:
    return dict(fused(lexical, semantic))


def test_first_in_both_lanes_is_relevance_one() -> None:
    assert relevances([7, 1], [7, 2])[7] == pytest.approx(1.0)


def test_first_in_one_lane_only_is_relevance_one_half() -> None:
    assert relevances([7], []) == pytest.approx({7: 0.5})


def test_relevance_is_the_sum_of_one_over_sixty_plus_rank_over_its_greatest_value() -> None:
    greatest = 2 / 61
    expected = {2: 2 / 62 / greatest, 1: 1 / 61 / greatest, 3: 1 / 61 / greatest}
    assert relevances([1, 2], [3, 2]) == pytest.approx(expected)
    assert [number for number, _ in fused([1, 2], [3, 2])] == [2, 1, 3]


def test_a_passage_low_in_both_lanes_comes_before_the_first_of_one() -> None:
    assert fused([1, 5], [2, 5])[0][0] == 5


def test_equal_passages_come_in_the_order_of_their_ids() -> None:
    assert [number for number, _ in fused([9], [3])] == [3, 9]


def test_two_empty_lanes_give_nothing() -> None:
    assert fused([], []) == []


def test_no_more_than_the_limit_is_given_and_it_is_the_best() -> None:
    assert fused([1, 2, 3], [3, 2, 1], limit=2) == fused([1, 2, 3], [3, 2, 1])[:2]


@given(ORDER, ORDER)
def test_every_passage_of_either_lane_comes_once_in_falling_order_of_relevance(
    lexical: list[int], semantic: list[int]
) -> None:
    ranked = fused(lexical, semantic)
    assert sorted(number for number, _ in ranked) == sorted({*lexical, *semantic})
    assert [relevance for _, relevance in ranked] == sorted((relevance for _, relevance in ranked), reverse=True)
    assert all(0 < relevance <= 1 for _, relevance in ranked)


@given(ORDER, ORDER)
def test_the_lanes_count_alike(lexical: list[int], semantic: list[int]) -> None:
    assert relevances(lexical, semantic) == pytest.approx(relevances(semantic, lexical))


@given(ORDER.filter(bool), ORDER)
def test_moving_up_in_a_lane_never_lowers_a_passage(lexical: list[int], semantic: list[int]) -> None:
    last = lexical[-1]
    before = relevances(lexical, semantic)[last]
    assert relevances([last, *lexical[:-1]], semantic)[last] >= before
