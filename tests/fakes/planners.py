"""Planners with a script."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from cicada.errors import CicadaError
from cicada.understanding.plan import Intent, Plan, PlanRequest, Shape

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
CONTENT = Plan(Intent.SCRIPT_QUERY, Shape.CONTENT_ONLY, "Who dies?", "Who dies?")


def plan_request(message: str = "Who dies?", knowledge_base: str = "plays") -> PlanRequest:
    return PlanRequest(message, knowledge_base, NOW)


@dataclass
class FixedPlanner:
    """Makes the same plan of every message; keeps the messages. `failure` is raised while set."""

    made: Plan = CONTENT
    failure: CicadaError | None = None
    asked: list[str] = field(default_factory=list)

    def plan(self, request: PlanRequest) -> Plan:
        self.asked.append(request.message)
        if self.failure:
            raise self.failure
        return self.made
