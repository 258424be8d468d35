"""When a paid reranker is asked, and who ranks if it fails."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from cicada.errors import CicadaError, ConfigurationError, ThrottledError, UnavailableError
from cicada.observability.telemetry import reporting_progress_to
from cicada.retrieval.model import Candidate, EncodedQuery, RankedPassage
from cicada.retrieval.rerank.conditional import ConditionalReranker, FallbackReranker, Signals, is_unsure, signals
from tests.fakes.clock import Clock
from tests.fakes.passages import passage
from tests.fakes.rerankers import FixedReranker

QUERY = EncodedQuery("Who?", [1.0])
PASSAGES = [passage(number=number) for number in range(12)]
FALLING = [10.0, *(3.0 - number / 10 for number in range(11))]
LEVEL = [10.0 - number / 10 for number in range(12)]


def candidates(lexical: Sequence[float | None], semantic: Sequence[float | None]) -> list[Candidate]:
    return [Candidate(*each, 0.5) for each in zip(PASSAGES, lexical, semantic, strict=True)]


def ranked(relevance: float | None = 0.9, first: int = 0) -> list[RankedPassage]:
    return [RankedPassage(PASSAGES[first], relevance)]


def test_the_signals_are_the_fall_of_the_words_the_relevance_and_the_lower_place_of_the_first_passage() -> None:
    both = candidates(FALLING, FALLING[::-1])
    assert signals(both, ranked(0.4)) == pytest.approx(Signals(1 - FALLING[9] / 10, 0.4, math.log(12)))


def test_a_passage_that_a_retriever_did_not_find_stands_behind_its_hits() -> None:
    few = [None, 4.0, 3.0, *[None] * 9]
    assert signals(candidates(few, FALLING), ranked()) == pytest.approx(Signals(1.0, 0.9, math.log(3)))


def test_what_a_search_cannot_say_is_left_out() -> None:
    assert signals([], []) == Signals(None, None, None)
    assert signals(candidates([None] * 12, FALLING), ranked(None)) == Signals(None, None, 0.0)


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
    assert is_unsure(candidates(scores, scores), ranked(relevance, first)) is unsure


def test_nothing_is_asked_where_nothing_was_found() -> None:
    assert not is_unsure([], [])


def test_the_paid_reranker_is_not_asked_where_the_first_ranking_is_sure_and_the_answer_can_say_so() -> None:
    paid, free = FixedReranker("cohere"), FixedReranker("local", {passage().passage_id: 0.7})
    ranking = ConditionalReranker(paid, free).rerank(QUERY, candidates(FALLING, FALLING))
    assert (ranking.by, paid.questions, free.questions) == ("skipped", [], ["Who?"])
    assert [each.relevance for each in ranking.passages if each.passage == passage()] == [0.7]


def test_the_paid_reranker_decides_where_the_first_ranking_is_unsure() -> None:
    paid, free = FixedReranker("cohere"), FixedReranker("local", {each.passage_id: 0.2 for each in PASSAGES})
    ranking = ConditionalReranker(paid, free).rerank(QUERY, candidates(LEVEL, LEVEL))
    assert (ranking.by, paid.questions) == ("cohere", ["Who?"])


CANDIDATES = (Candidate(passage(), 1.0, 1.0, 1.0),)


@dataclass
class Situation:
    cohere: FixedReranker = field(default_factory=lambda: FixedReranker("cohere"))
    amazon: FixedReranker = field(default_factory=lambda: FixedReranker("amazon"))
    local: FixedReranker = field(default_factory=lambda: FixedReranker("local"))
    reported: list[CicadaError] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.chain = FallbackReranker([self.cohere, self.amazon], self.local, self.reported.append, self.clock)

    def ranks(self, candidates: tuple[Candidate, ...] = CANDIDATES) -> str:
        """Who ranked."""
        with reporting_progress_to(lambda stage, multivector: self.told.append(stage)):
            return self.chain.rerank(QUERY, candidates).by


@pytest.mark.parametrize("failure", [ThrottledError("…"), UnavailableError("…"), ConfigurationError("…")])
def test_the_second_ranks_when_the_first_fails_and_the_local_one_when_both_do(failure: CicadaError) -> None:
    here = Situation()
    assert (here.ranks(), here.amazon.questions, here.reported) == ("cohere", [], [])
    here.cohere.failure = failure
    assert (here.ranks(), here.local.questions, here.reported) == ("amazon", [], [failure])
    here.amazon.failure = UnavailableError("…")
    assert here.ranks() == "local:after_failure"
    assert here.told == ["ranking"] * 3


@pytest.mark.parametrize(("failure", "tries"), [(ThrottledError("…"), 3), (ConfigurationError("…"), 1)])
def test_a_service_that_keeps_failing_is_not_asked_for_a_minute(failure: CicadaError, tries: int) -> None:
    here = Situation()
    here.cohere.failure = failure
    assert [here.ranks() for _ in range(6)] == ["amazon"] * 6
    assert (len(here.cohere.questions), len(here.reported)) == (tries, tries)
    here.cohere.failure = None
    here.clock.now += 60
    assert here.ranks() == "cohere"


def test_failures_with_successes_between_them_do_not_count_together() -> None:
    here = Situation()
    for _ in range(3):
        here.cohere.failure = ThrottledError("…")
        assert [here.ranks(), here.ranks()] == ["amazon", "amazon"]
        here.cohere.failure = None
        assert here.ranks() == "cohere"


def test_each_service_has_failures_of_its_own_and_nobody_waits_for_none() -> None:
    here = Situation()
    here.ranks(())
    assert here.told == []
    here.cohere.failure = here.amazon.failure = ThrottledError("…")
    assert [here.ranks() for _ in range(4)] == ["local:after_failure"] * 3 + ["local:skipped_open_circuit"]
    assert here.told == ["ranking"] * 3
    here.amazon.failure = None
    here.clock.now += 60
    assert here.ranks() == "amazon"


def test_the_local_rerankers_failure_is_the_searches() -> None:
    here = Situation()
    here.cohere.failure = here.amazon.failure = ThrottledError("…")
    here.local.failure = UnavailableError("The index could not be reached.")
    with pytest.raises(UnavailableError, match="index"):
        here.ranks()
