from __future__ import annotations

import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, SectionLocator
from cicada.retrieval.fusion import fuse
from cicada.retrieval.model import Candidate, EncodedQuery, Hit, IndexHits
from cicada.retrieval.rerank.conditional import MARGIN, ConditionalReranker, retrievers_agree
from tests.fakes.rerankers import FixedReranker

QUERY = EncodedQuery("Who?", [1.0])
FALLING = [10.0, *(5.0 - number / 10 for number in range(30))]
LEVEL = [5.2, *(5.0 - number / 10 for number in range(30))]


def passage(number: int) -> Passage:
    key = DocumentKey(KnowledgeBaseKey("acme", "scripts"), "macbeth")
    return Passage(f"p{number:03d}", key, "1", "Macbeth", f"text {number}", "", SectionLocator(()))


def hits_of(scores: list[float], order: list[int]) -> tuple[Hit, ...]:
    return tuple(Hit(passage(number), score) for number, score in zip(order, scores, strict=False))


def found(lexical: list[float], semantic: list[float], second: list[int] | None = None) -> tuple[Candidate, ...]:
    order = list(range(31))
    return fuse(IndexHits(hits_of(lexical, order), hits_of(semantic, second or order)), "zscore")


def test_lanes_agree_where_both_put_the_same_passage_first_by_far() -> None:
    assert retrievers_agree(found(FALLING, FALLING))


def test_lanes_do_not_agree_where_the_margin_is_small() -> None:
    assert not retrievers_agree(found(LEVEL, LEVEL))


def test_lanes_do_not_agree_where_the_next_passage_alone_is_as_near() -> None:
    scores = [10.0, 9.9, *([0.0] * 30)]
    assert not retrievers_agree(found(scores, scores))


def test_one_clear_lane_suffices_where_the_other_has_the_same_leader() -> None:
    assert retrievers_agree(found(FALLING, LEVEL))


@pytest.mark.parametrize("scores", [FALLING, [1000.0, *FALLING[1:]]])
def test_lanes_do_not_agree_where_each_has_a_leader_of_its_own(scores: list[float]) -> None:
    assert not retrievers_agree(found(scores, FALLING, [1, 0, *range(2, 31)]))


def test_a_passage_that_one_lane_alone_puts_far_ahead_is_not_agreed_upon() -> None:
    assert not retrievers_agree(found(FALLING, LEVEL, [1, 0, *range(2, 31)]))


def test_a_lane_that_found_nothing_agrees_with_nothing() -> None:
    assert not retrievers_agree(found(FALLING, []))
    assert not retrievers_agree(found([], FALLING))
    assert not retrievers_agree(())


def test_a_single_passage_that_both_lanes_found_is_agreed_upon() -> None:
    assert retrievers_agree(found([3.0], [0.5]))


def test_a_tie_is_no_agreement() -> None:
    assert not retrievers_agree(found([1.0] * 5, [1.0] * 5))


@pytest.mark.parametrize(("lead", "agree"), [(2.9, False), (3.1, True)])
def test_the_margin_is_three_standard_deviations(lead: float, agree: bool) -> None:
    """The others alternate about a mean: of many, one that leads hardly changes the deviation, which is 1."""
    scores = [1 + lead / 2, *[1.0, -1.0] * 5000]
    candidates = [Candidate(passage(number), score, score, 0.5) for number, score in enumerate(scores)]
    assert retrievers_agree(candidates) is agree


def test_the_margin_counts_standard_deviations_of_both_lanes_together() -> None:
    scores = [6.0, *([0.0] * 35)]
    deviations = 2 * 6 / (sum((each - 1 / 6) ** 2 for each in scores) / 36) ** 0.5
    assert deviations > MARGIN
    assert retrievers_agree(
        fuse(IndexHits(hits_of(scores, list(range(36))), hits_of(scores, list(range(36)))), "zscore")
    )


def test_the_paid_reranker_is_skipped_where_the_lanes_agree_and_the_answer_can_say_so() -> None:
    paid, free = FixedReranker("cohere"), FixedReranker("local", {"p000": 0.7})
    ranking = ConditionalReranker(paid, free).rerank(QUERY, found(FALLING, FALLING))
    assert (ranking.by, paid.questions, free.questions) == ("skipped", [], ["Who?"])
    assert [each.relevance for each in ranking.passages if each.passage.passage_id == "p000"] == [0.7]


def test_the_paid_reranker_decides_where_they_do_not_agree() -> None:
    paid, free = FixedReranker("cohere"), FixedReranker("local")
    ranking = ConditionalReranker(paid, free).rerank(QUERY, found(LEVEL, LEVEL))
    assert (ranking.by, paid.questions, free.questions) == ("cohere", ["Who?"], [])
