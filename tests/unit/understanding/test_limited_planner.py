from __future__ import annotations

from cicada.deadline import seconds_left
from cicada.understanding.plan import Plan, PlanRequest
from cicada.understanding.planners import LimitedPlanner
from tests.fakes.clock import Clock
from tests.fakes.planners import CONTENT, plan_request


def test_the_calls_for_one_plan_share_the_time_of_its_phase() -> None:
    left: list[float] = []

    class Planning:
        def plan(self, request: PlanRequest) -> Plan:
            left.append(seconds_left())
            return CONTENT

    assert LimitedPlanner(Planning(), 6, Clock()).plan(plan_request()) is CONTENT
    assert left == [6]
