"""A message at which the rules fail by a fault of their own is searched for."""

from __future__ import annotations

import pytest

from cicada.errors import UnavailableError
from cicada.understanding.plan import Intent, Plan, PlanRequest, Shape
from cicada.understanding.planners import ChosenPlanner, GuardedPlanner
from tests.fakes.planners import CONTENT, FixedPlanner, plan_request


class Faulty:
    def plan(self, request: PlanRequest) -> Plan:
        raise ValueError(request.message)


def test_a_fault_is_reported_and_the_texts_are_searched() -> None:
    reported: list[Exception] = []
    plan = GuardedPlanner(Faulty(), reported.append).plan(plan_request())
    assert plan == Plan(Intent.SCRIPT_QUERY, Shape.CONTENT_ONLY, "Who dies?", "Who dies?", confidence=0.0)
    assert [type(each) for each in reported] == [ValueError]


def test_where_there_is_a_model_it_plans_instead() -> None:
    model = FixedPlanner(CONTENT)
    chosen = ChosenPlanner(GuardedPlanner(Faulty(), lambda _: None), model, lambda _: None)
    assert chosen.plan(plan_request()) == CONTENT
    assert model.asked == ["Who dies?"]


def test_what_works_and_what_fails_as_it_may_is_left_alone() -> None:
    reported: list[Exception] = []
    assert GuardedPlanner(FixedPlanner(CONTENT), reported.append).plan(plan_request()) == CONTENT
    with pytest.raises(UnavailableError):
        GuardedPlanner(FixedPlanner(failure=UnavailableError("…")), reported.append).plan(plan_request())
    assert reported == []
