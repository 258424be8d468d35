"""A chain of planning models."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from cicada.errors import (
    CicadaError,
    ConfigurationError,
    OpenCircuitError,
    PlanRefusedError,
    ThrottledError,
    UnavailableError,
)
from cicada.understanding.planners import PlannerChain
from tests.fakes.clock import Clock
from tests.fakes.planners import CONTENT, FixedPlanner, plan_request


@dataclass
class Situation:
    first: FixedPlanner = field(default_factory=lambda: FixedPlanner(replace(CONTENT, by="first")))
    second: FixedPlanner = field(default_factory=lambda: FixedPlanner(replace(CONTENT, by="second")))
    reported: list[CicadaError] = field(default_factory=list)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.chain = PlannerChain([self.first, self.second], self.reported.append, self.clock)

    def planned_by(self) -> str:
        return self.chain.plan(plan_request()).by


@pytest.mark.parametrize("failure", [ThrottledError("…"), UnavailableError("…"), ConfigurationError("…")])
def test_the_second_model_is_asked_when_the_first_fails(failure: CicadaError) -> None:
    here = Situation()
    assert (here.planned_by(), here.second.asked) == ("first", [])
    here.first.failure = failure
    assert here.planned_by() == "second"
    assert here.reported == [failure]


def test_when_all_fail_the_last_failure_is_raised_and_the_others_are_reported() -> None:
    here = Situation()
    here.first.failure, here.second.failure = ThrottledError("…"), UnavailableError("…")
    with pytest.raises(UnavailableError) as raised:
        here.planned_by()
    assert raised.value is here.second.failure
    assert here.reported == [here.first.failure]


def test_a_refused_plan_is_final() -> None:
    here = Situation()
    here.first.failure = PlanRefusedError("…", "unknown_value")
    for _ in range(4):
        with pytest.raises(PlanRefusedError):
            here.planned_by()
    assert here.second.asked == []


def test_a_model_that_keeps_failing_is_skipped_for_a_minute() -> None:
    here = Situation()
    here.first.failure = ThrottledError("…")
    assert [here.planned_by() for _ in range(5)] == ["second"] * 5
    assert len(here.first.asked) == 3
    here.first.failure = None
    here.clock.now += 60
    assert here.planned_by() == "first"


def test_when_all_are_skipped_the_circuit_is_what_is_raised() -> None:
    here = Situation()
    here.first.failure = here.second.failure = ConfigurationError("…")
    with pytest.raises(ConfigurationError):
        here.planned_by()
    with pytest.raises(OpenCircuitError):
        here.planned_by()


def test_a_failure_counts_more_than_a_skipped_model_after_it() -> None:
    here = Situation()
    here.second.failure = ConfigurationError("…")
    here.first.failure = ThrottledError("…")
    with pytest.raises(ConfigurationError):
        here.planned_by()
    with pytest.raises(ThrottledError):
        here.planned_by()
