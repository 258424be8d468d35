"""When the first ranking of a search is unsure enough to ask a paid reranker."""

from __future__ import annotations

import math

import pytest

from cicada.retrieval.model import Candidate, RankedPassage
from cicada.retrieval.rerank.conditional import Signals, is_unsure, signals
from tests.fakes.passages import passage

PASSAGES = [passage(number=number) for number in range(12)]
FALLING = [10.0, *(3.0 - number / 10 for number in range(11))]
LEVEL = [10.0 - number / 10 for number in range(12)]


def candidates(lexical: list[float | None], semantic: list[float | None]) -> list[Candidate]:
    return [Candidate(*each, 0.5) for each in zip(PASSAGES, lexical, semantic, strict=True)]


def ranked(relevance: float | None = 0.9, first: int = 0) -> list[RankedPassage]:
    return [RankedPassage(PASSAGES[first], relevance)]


def test_the_signals_are_the_fall_of_the_words_the_relevance_and_the_lower_place_of_the_first_passage() -> None:
    both = candidates(list(FALLING), list(reversed(FALLING)))
    assert signals(both, ranked(0.4)) == pytest.approx(Signals(1 - FALLING[9] / 10, 0.4, math.log(12)))


def test_a_passage_that_a_retriever_did_not_find_stands_behind_its_hits() -> None:
    few: list[float | None] = [None, 4.0, 3.0, *[None] * 9]
    assert signals(candidates(few, list(FALLING)), ranked()) == pytest.approx(Signals(1.0, 0.9, math.log(3)))


def test_what_a_search_cannot_say_is_left_out() -> None:
    assert signals([], []) == Signals(None, None, None)
    assert signals(candidates([None] * 12, list(FALLING)), ranked(None)) == Signals(None, None, 0.0)


@pytest.mark.parametrize(
    ("scores", "relevance", "first", "unsure"),
    [
        (FALLING, 0.95, 0, False),
        (LEVEL, 0.95, 0, False),
        (LEVEL, 0.5, 0, True),
        (LEVEL, 0.8, 5, True),
        (FALLING, 0.4, 0, False),
        (FALLING, 0.4, 5, True),
    ],
    ids=["all sure", "words alone", "words and relevance", "words and place", "relevance alone", "relevance and place"],
)
def test_a_ranking_is_unsure_by_more_than_one_signal(
    scores: list[float], relevance: float, first: int, unsure: bool
) -> None:
    assert is_unsure(candidates(list(scores), list(scores)), ranked(relevance, first)) is unsure


def test_nothing_is_asked_where_nothing_was_found() -> None:
    assert not is_unsure([], [])
