"""Fusion of the two retrievers, by reciprocal ranks and by z-scores."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.knowledge_bases.settings import Fusion
from cicada.retrieval.fusion import fuse, retriever_scales, scale
from cicada.retrieval.model import Hit, IndexHits
from tests.fakes.passages import passage

ORDER = st.lists(st.integers(0, 30), unique=True, max_size=20)
SCORES = st.dictionaries(st.integers(0, 30), st.floats(0.1, 50), max_size=20)
BOTH = pytest.mark.parametrize("fusion", ["zscore", "rrf"])


def scored(scores: dict[int, float]) -> tuple[Hit, ...]:
    """Hits of passages with these numbers and scores."""
    order = sorted(scores, key=lambda number: -scores[number])
    return tuple(Hit(passage(number=number), scores[number]) for number in order)


def hits_of(*numbers: int) -> tuple[Hit, ...]:
    """Passages of these numbers, in this order; the scores say nothing more."""
    return scored({number: 100.0 - place for place, number in enumerate(numbers)})


def fused(lexical: tuple[Hit, ...], semantic: tuple[Hit, ...], fusion: Fusion = "rrf") -> dict[int, float]:
    """Scores by number, best first."""
    candidates = fuse(IndexHits(lexical, semantic), fusion)
    return {int(each.passage.passage_id[-6:]): each.fused for each in candidates}


def test_the_reciprocal_ranks_are_one_over_sixty_plus_rank() -> None:
    assert fused(hits_of(7, 1), hits_of(7, 2))[7] == pytest.approx(1.0)
    assert fused(hits_of(7), ()) == pytest.approx({7: 0.5})
    expected = {2: 61 / 62, 1: 0.5, 3: 0.5}
    assert fused(hits_of(1, 2), hits_of(3, 2)) == pytest.approx(expected)
    assert list(fused(hits_of(1, 2), hits_of(3, 2))) == [2, 1, 3]


def test_z_scores_are_those_of_each_lanes_own_hits() -> None:
    lexical, semantic = {1: 9.0, 2: 5.0, 3: 1.0}, {1: 0.2, 2: 0.5, 3: 0.8}
    found = fused(scored(lexical), scored(semantic), "zscore")
    for number in (1, 2, 3):
        z = sum(
            (retriever[number] - statistics.fmean(retriever.values())) / statistics.pstdev(retriever.values())
            for retriever in (lexical, semantic)
        )
        assert found[number] == pytest.approx(1 / (1 + math.exp(-z)))


def test_a_passage_that_a_full_lane_did_not_find_gets_its_lowest_score() -> None:
    words, _ = retriever_scales([9.0, 5.0, 1.0], [0.8, 0.5, 0.2])
    assert words.z(None) == words.z(1.0)


def test_where_few_passages_hold_the_words_the_others_score_zero() -> None:
    words, _ = retriever_scales([9.0], [0.8, 0.5, 0.2])
    assert words.mean == pytest.approx(3.0)
    assert words.floor == 0
    assert words.z(9.0) == pytest.approx(math.sqrt(2))


def test_the_one_passage_with_the_code_comes_before_those_that_are_merely_near() -> None:
    near = scored({number: 0.5 - number / 1000 for number in range(100)})
    assert next(iter(fused(scored({99: 12.0}), near, "zscore"))) == 99


def test_a_lane_that_tells_nothing_apart_has_no_say() -> None:
    assert scale([3.3, 3.3, 3.3]).z(3.3) == 0
    assert scale([]).z(None) == 0
    assert list(fused(scored({1: 2.0, 2: 2.0}), scored({1: 0.4, 2: 0.5}), "zscore")) == [2, 1]


@pytest.mark.parametrize(("lowest", "apart"), [(3e6, 1e-6), (0.0, 1e-10)])
def test_scores_that_differ_by_rounding_only_are_equal(lowest: float, apart: float) -> None:
    assert scale([lowest, lowest + apart]).z(lowest + apart) == 0
    assert scale([lowest, lowest + 1]).z(lowest + 1) == pytest.approx(1)


def test_margins_count_with_z_scores_and_not_with_ranks() -> None:
    lexical, semantic = scored({1: 50.0, 2: 3.0, 3: 2.0}), scored({2: 0.51, 1: 0.50, 3: 0.49})
    assert next(iter(fused(lexical, semantic, "zscore"))) == 1
    assert fused(lexical, semantic, "rrf")[1] == pytest.approx(fused(lexical, semantic, "rrf")[2])


def test_candidates_keep_what_the_lanes_gave_them() -> None:
    first, second = fuse(IndexHits(scored({1: 9.0}), scored({1: 0.5, 2: 0.4})), "zscore")
    assert (first.lexical, first.semantic) == (9.0, 0.5)
    assert (second.lexical, second.semantic) == (None, 0.4)


@BOTH
def test_equal_passages_come_in_the_order_of_their_ids(fusion: Fusion) -> None:
    assert list(fused(hits_of(9), hits_of(3), fusion)) == [3, 9]


@BOTH
@given(SCORES, SCORES)
def test_every_passage_of_either_lane_comes_once_in_falling_order(
    fusion: Fusion, lexical: dict[int, float], semantic: dict[int, float]
) -> None:
    found = fused(scored(lexical), scored(semantic), fusion)
    assert sorted(found) == sorted({*lexical, *semantic})
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert all(0 < score <= 1 for score in found.values())


@given(ORDER, ORDER)
def test_the_lanes_count_alike(lexical: list[int], semantic: list[int]) -> None:
    assert fused(hits_of(*lexical), hits_of(*semantic)) == pytest.approx(fused(hits_of(*semantic), hits_of(*lexical)))


@given(ORDER.filter(bool), ORDER)
def test_moving_up_in_a_lane_never_lowers_a_passage(lexical: list[int], semantic: list[int]) -> None:
    last = lexical[-1]
    before = fused(hits_of(*lexical), hits_of(*semantic))[last]
    assert fused(hits_of(last, *lexical[:-1]), hits_of(*semantic))[last] >= before


@given(SCORES.filter(lambda scores: len(set(scores.values())) > 1), st.floats(0.01, 100))
def test_the_scale_of_a_lanes_scores_does_not_matter_to_z_scores(scores: dict[int, float], factor: float) -> None:
    semantic = hits_of(*range(31))
    scaled = {number: score * factor for number, score in scores.items()}
    assert fused(scored(scaled), semantic, "zscore") == pytest.approx(fused(scored(scores), semantic, "zscore"))
