"""What a paid reranker would cost and could gain, on rankings made for it."""

from __future__ import annotations

import pytest

from cicada.retrieval.model import Candidate, IndexHits, RankedPassage, Ranking, Retrieval
from evals.retrieval.measures import scores_of
from evals.retrieval.second_opinion import second_opinion
from tests.fakes.passages import passage

NAMES = [f"p{number}" for number in range(12)]


def retrieval(unsure: bool) -> Retrieval:
    candidates = tuple(
        Candidate(passage(number=number), 10 - number / 10 if unsure else 10 / (number + 1), None, 0.5)
        for number in range(len(NAMES))
    )
    ranked = tuple(RankedPassage(each.passage, 0.1 if unsure else 0.9) for each in candidates)
    return Retrieval(IndexHits((), ()), candidates, Ranking(ranked, "local"), ranked=ranked)


def test_the_unsure_questions_are_asked_and_hold_their_part_of_the_gain_at_its_price() -> None:
    judgements = {"far": {"p9": 1}, "near": {"p1": 1}, "right": {"p0": 1}, "first": {"p0": 1}}
    retrievals = {query: retrieval(unsure=query in ("near", "right")) for query in judgements}
    rankings = dict.fromkeys(judgements, NAMES)
    found = second_opinion(retrievals, rankings, scores_of(rankings, judgements), judgements)
    far, near = 1 - 0.28906, 1 - 0.63093  # nDCG of the tenth and of the second place
    assert (found.asked, found.most) == (0.5, 1.0)
    assert (found.gain, found.held) == pytest.approx(((far + near) / 4, near / (far + near)), abs=1e-4)
    assert found.dollars == {"amazon": 0.5, "cohere": 1.0}


def test_where_every_order_is_perfect_there_is_nothing_to_gain() -> None:
    judgements = {"right": {"p0": 1}}
    rankings = {"right": NAMES}
    found = second_opinion({"right": retrieval(unsure=True)}, rankings, scores_of(rankings, judgements), judgements)
    assert (found.asked, found.gain, found.held, found.most) == (1.0, 0.0, 0.0, 0.0)
