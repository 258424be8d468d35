"""What the local reranker's scores and relevances are made of (docs/retrieval.md)."""

from __future__ import annotations

import math

import pytest

from cicada.retrieval.model import RankedPassage
from cicada.retrieval.rerank.local import LocalReranker
from cicada.retrieval.rerank.scores import (
    CALIBRATION,
    Calibration,
    Signals,
    cosines,
    retriever_scores,
    with_feedback,
)
from tests.unit.retrieval.test_local_reranker import candidates, direction, index, numbers, question


def logit(passage: RankedPassage) -> float:
    assert passage.relevance is not None
    return math.log(passage.relevance / (1 - passage.relevance))


def only(score: float = 0.0, cosine: float = 0.0) -> Calibration:
    """A relevance that shows one signal: its logit is that signal."""
    return Calibration(0.0, score, cosine, typical=0.0)


def test_the_feedback_counts_in_one_and_a_half_standard_deviations() -> None:
    vectors = [direction(0), direction(90)]
    assert with_feedback([2.0, 1.0], direction(0), vectors) == pytest.approx([3.5, -0.5])


def test_the_feedback_is_the_cosine_to_the_question_moved_half_way_to_the_first_passage() -> None:
    vectors = [direction(60), direction(30), direction(-30), direction(30)]
    found = with_feedback([1.0, 0.0, 0.0, 0.0], direction(0), vectors)
    assert found[1] == found[3] > found[0] - 1 > found[2]


def test_a_passage_without_a_vector_has_the_lowest_feedback() -> None:
    found = with_feedback([5.0, 0.0, 0.0], direction(0), [direction(0), direction(90), None])
    assert found[2] == pytest.approx(found[1])
    assert found[1] < 0


def test_without_the_first_passages_vector_there_is_no_feedback() -> None:
    assert with_feedback([5.0, 1.0], direction(0), [None, direction(0)]) == [5.0, 1.0]
    assert with_feedback([], direction(0), []) == []


def test_a_cosine_is_the_lanes_or_the_vectors_or_the_lowest_of_the_lane() -> None:
    found = candidates((9.0, 0.6), (8.0, None), (7.0, 0.2), (6.0, None), (5.0, None))
    vectors = [direction(90), direction(60), None, None]
    assert cosines(direction(0), found, vectors) == pytest.approx([0.6, 0.5, 0.2, 0.2, 0.2])
    assert cosines(direction(0), candidates((9.0, None)), ()) == [0.0]


def test_what_lies_beyond_the_depth_is_below_the_last_ranked_one_by_as_much_as_the_lanes_say() -> None:
    hits = candidates((9.0, 0.9), (2.0, 0.4), (8.0, 0.3), (7.0, 0.2))
    score = LocalReranker(index(), 2, only(score=1.0))
    found = score.signals(question(), hits)
    shift = (1 - 4 / 100) * -found[0][1].score
    logits = [logit(each) - shift for each in score.rerank(question(), hits).passages]
    apart = retriever_scores(hits)[2] - retriever_scores(hits)[3]
    assert logits[1] == pytest.approx(found[1][1].score)
    assert logits[2] == pytest.approx(logits[1])
    assert logits[3] == pytest.approx(logits[2] - apart)
    assert apart > 0.1


def test_what_lies_beyond_the_depth_has_its_own_cosine() -> None:
    hits = candidates((9.0, 0.9), (8.0, 0.8), (7.0, 0.3), (6.0, None))
    near = LocalReranker(index(0, 0, 0, 0), 2, only(cosine=1.0)).rerank(question(), hits).passages
    assert [logit(each) for each in near] == pytest.approx([0.9, 0.8, 0.3, 0.3])


def test_the_first_fifty_are_ranked() -> None:
    """Both the fiftieth and the one behind it are nearer to the first passage than the others."""
    kept = index(0, *[5 if number in (49, 50) else 60 for number in range(1, 51)])
    hits = candidates((5.1, 0.5), *[(5.0, 0.5)] * 50)
    found = numbers(LocalReranker(kept).rerank(question(), hits).passages)
    assert (found[:2], found[-1]) == ([0, 49], 50)


@pytest.mark.parametrize(("candidate_count", "expected"), [(100, 3.004), (0, 1.1367)])
def test_the_shipped_calibration_is_the_one_that_was_fitted(candidate_count: int, expected: float) -> None:
    """Thresholds are set by it: who fits it anew changes this table too."""
    assert CALIBRATION.typical == 12.9
    [relevance] = CALIBRATION.relevances([Signals(20.0, 0.6)], candidate_count)
    assert math.log(relevance / (1 - relevance)) == pytest.approx(expected, abs=1e-3)
