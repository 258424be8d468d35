"""Limits the time of a plan."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from cicada.deadline import Deadline, ending_by
from cicada.planning.plan import Plan
from cicada.planning.planner import Planner, PlanRequest


class LimitedPlanner(Struct, frozen=True):
    """All calls for one plan together take at most `seconds`."""

    planner: Planner
    seconds: float
    clock: Callable[[], float]

    def plan(self, request: PlanRequest) -> Plan:
        with ending_by(Deadline.in_seconds(self.seconds, self.clock)):
            return self.planner.plan(request)
