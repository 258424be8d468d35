from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from cicada.errors import CicadaError, ConfigurationError, ThrottledError, UnavailableError
from cicada.observability.telemetry import reporting_progress_to
from cicada.retrieval.fusion import fuse
from cicada.retrieval.model import Candidate, EncodedQuery, Hit, IndexHits
from cicada.retrieval.rerank.conditional import ConditionalReranker, FallbackReranker
from tests.fakes.clock import Clock
from tests.fakes.passages import passage
from tests.fakes.rerankers import FixedReranker

QUERY = EncodedQuery("Who?", [1.0])
FALLING = [10.0, *(2.0 - number / 20 for number in range(30))]
LEVEL = [5.2, *(5.0 - number / 10 for number in range(30))]


def found(scores: list[float]) -> tuple[Candidate, ...]:
    """Candidates of which both retrievers have these scores."""
    hits = tuple(Hit(passage(number=number), score) for number, score in enumerate(scores))
    return fuse(IndexHits(hits, hits), "zscore")


def test_the_paid_reranker_is_not_asked_where_the_first_ranking_is_sure_and_the_answer_can_say_so() -> None:
    paid, free = FixedReranker("cohere"), FixedReranker("local", {passage().passage_id: 0.7})
    ranking = ConditionalReranker(paid, free).rerank(QUERY, found(FALLING))
    assert (ranking.by, paid.questions, free.questions) == ("skipped", [], ["Who?"])
    assert [each.relevance for each in ranking.passages if each.passage == passage()] == [0.7]


def test_the_paid_reranker_decides_where_the_first_ranking_is_unsure() -> None:
    paid, free = (
        FixedReranker("cohere"),
        FixedReranker("local", {passage(number=number).passage_id: 0.2 for number in range(31)}),
    )
    ranking = ConditionalReranker(paid, free).rerank(QUERY, found(LEVEL))
    assert (ranking.by, paid.questions) == ("cohere", ["Who?"])


CANDIDATES = (Candidate(passage(), 1.0, 1.0, 1.0),)
FAILURES = [ThrottledError("…"), UnavailableError("…"), ConfigurationError("…")]


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


@pytest.mark.parametrize("failure", FAILURES)
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
