from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from cicada.errors import CicadaError, ConfigurationError, ThrottledError, UnavailableError
from cicada.observability.telemetry import reporting_progress_to
from cicada.retrieval.model import Candidate, EncodedQuery
from cicada.retrieval.rerank.conditional import FallbackReranker
from tests.fakes.clock import Clock
from tests.fakes.rerankers import FixedReranker
from tests.unit.retrieval.test_conditional_reranker import passage

QUERY = EncodedQuery("Who?", [1.0])
CANDIDATES = (Candidate(passage(1), 1.0, 1.0, 1.0),)
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


def test_the_first_service_ranks_while_it_works() -> None:
    here = Situation()
    assert here.ranks() == "cohere"
    assert (here.amazon.questions, here.local.questions, here.reported) == ([], [], [])
    assert here.told == ["ranking"]


@pytest.mark.parametrize("failure", FAILURES)
def test_the_second_ranks_when_the_first_fails_and_the_local_one_when_both_do(failure: CicadaError) -> None:
    here = Situation()
    here.cohere.failure = failure
    assert (here.ranks(), here.reported) == ("amazon", [failure])
    here.amazon.failure = UnavailableError("…")
    assert here.ranks() == "local"
    assert here.told == ["ranking", "ranking"]


def test_a_service_that_fails_three_times_in_a_row_is_not_asked_for_a_minute() -> None:
    here = Situation()
    here.cohere.failure = ThrottledError("…")
    assert [here.ranks() for _ in range(6)] == ["amazon"] * 6
    assert (len(here.cohere.questions), len(here.reported)) == (3, 3)
    here.cohere.failure = None
    here.clock.now += 60
    assert here.ranks() == "cohere"


def test_a_service_that_is_not_set_up_is_not_asked_again_for_a_minute() -> None:
    here = Situation()
    here.cohere.failure = ConfigurationError("…")
    assert [here.ranks() for _ in range(4)] == ["amazon"] * 4
    assert len(here.reported) == 1


def test_failures_with_successes_between_them_do_not_count_together() -> None:
    here = Situation()
    for _ in range(3):
        here.cohere.failure = ThrottledError("…")
        assert [here.ranks(), here.ranks()] == ["amazon", "amazon"]
        here.cohere.failure = None
        assert here.ranks() == "cohere"


def test_each_service_has_failures_of_its_own() -> None:
    here = Situation()
    here.cohere.failure = here.amazon.failure = ThrottledError("…")
    assert [here.ranks() for _ in range(4)] == ["local"] * 3 + ["local:skipped_open_circuit"]
    here.amazon.failure = None
    here.clock.now += 60
    assert here.ranks() == "amazon"


def test_while_no_service_is_asked_nobody_is_told_to_wait() -> None:
    here = Situation()
    here.cohere.failure = here.amazon.failure = ConfigurationError("…")
    here.ranks()
    here.told.clear()
    assert here.ranks() == "local:skipped_open_circuit"
    assert here.told == []


def test_nothing_to_rank_is_not_worth_telling() -> None:
    here = Situation()
    here.ranks(())
    assert here.told == []


def test_the_local_rerankers_failure_is_the_searches() -> None:
    here = Situation()
    here.cohere.failure = here.amazon.failure = ThrottledError("…")
    here.local.failure = UnavailableError("The index could not be reached.")
    with pytest.raises(UnavailableError, match="index"):
        here.ranks()
