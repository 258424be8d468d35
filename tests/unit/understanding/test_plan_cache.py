"""A plan is made once for a question asked again, and anew for all that would make it another."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from msgspec.structs import replace

from cicada.dialogue import Turn
from cicada.errors import PlanRefusedError, UnavailableError
from cicada.understanding.plan import Intent, PlanRequest
from cicada.understanding.planners import PlanCache
from tests.fakes.clock import Clock
from tests.fakes.planners import CONTENT, FixedPlanner
from tests.unit.understanding.form_of_reports import request_on_reports

REQUEST = replace(request_on_reports("Which reports are  approved?"), turns=(Turn("Who?", "Ann."),))


@dataclass
class Situation:
    planner: FixedPlanner = field(default_factory=lambda: FixedPlanner(replace(CONTENT, by="model")))
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.cache = PlanCache(self.planner, self.clock, "1", entries=2, seconds=60)

    def planned_by(self, request: PlanRequest = REQUEST) -> str:
        return self.cache.plan(request).by


@pytest.mark.parametrize(
    "again",
    [
        REQUEST,
        replace(REQUEST, message=" Which reports\nare approved?\n"),
        replace(REQUEST, now=REQUEST.now + timedelta(hours=11)),
        replace(REQUEST, bases=dict([*REQUEST.bases.items()][::-1])),
    ],
)
def test_a_question_asked_again_is_planned_once(again: PlanRequest) -> None:
    here = Situation()
    assert here.planned_by() == "model"
    assert here.planned_by(again) == "model:cached"
    assert len(here.planner.asked) == 1
    assert here.cache.plan(REQUEST) == replace(CONTENT, by="model:cached")


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, tenant="other"),
        replace(REQUEST, knowledge_base="plays"),
        replace(REQUEST, schema=replace(REQUEST.schema, date="issued")),
        replace(REQUEST, message="which reports are approved?"),
        replace(REQUEST, turns=()),
        replace(REQUEST, turns=(Turn("Who?", "Bo."),)),
        replace(REQUEST, now=REQUEST.now + timedelta(days=1)),
        replace(REQUEST, asker="Bo Ek"),
        replace(REQUEST, bases={"reports": "Reports of measurements."}),
        replace(REQUEST, intents=(Intent.SCRIPT_QUERY,)),
    ],
)
def test_whatever_a_plan_depends_on_makes_it_another_question(other: PlanRequest) -> None:
    here = Situation()
    assert [here.planned_by(), here.planned_by(other)] == ["model", "model"]
    assert len(here.planner.asked) == 2


def test_another_configuration_of_the_base_makes_its_plans_anew() -> None:
    here = Situation()
    here.planned_by()
    here.cache.version = "2"
    assert here.planned_by() == "model"


@pytest.mark.parametrize("failure", [UnavailableError("…"), PlanRefusedError("…", "unreadable")])
def test_a_failure_is_not_kept(failure: UnavailableError | PlanRefusedError) -> None:
    here = Situation()
    here.planner.failure = failure
    with pytest.raises(type(failure)):
        here.planned_by()
    here.planner.failure = None
    assert here.planned_by() == "model"


def test_a_plan_is_kept_for_its_time_from_when_it_was_made() -> None:
    here = Situation()
    here.planned_by()
    here.clock.now += 59.9
    assert here.planned_by() == "model:cached"
    here.clock.now += 0.1
    assert here.planned_by() == "model"


def test_the_plan_that_was_used_longest_ago_leaves_first() -> None:
    here = Situation()
    first, second, third = (replace(REQUEST, message=name) for name in ("one", "two", "three"))
    for each in (first, second, first, third):
        here.planned_by(each)
    assert here.planned_by(first) == "model:cached"
    assert here.planned_by(second) == "model"


def test_what_the_cache_holds_shows_no_message() -> None:
    here = Situation()
    here.planner.made = replace(CONTENT, query="", search_value="")
    here.planned_by(replace(REQUEST, message="s3cret"))
    assert "s3cret" not in repr(here.cache._kept)
