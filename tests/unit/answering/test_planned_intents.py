"""What the plan of a question is made from."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from cicada.answering.question_planner import QuestionPlanner
from cicada.knowledge_bases.settings import AgentName, KnowledgeBase, KnowledgeBases
from cicada.planning.model import Intent
from cicada.planning.plan import Plan
from cicada.planning.planner import PlanRequest
from tests.fakes.planners import CONTENT, NOW
from tests.unit.answering.situation import ANN, QUESTION


@dataclass
class KeepingPlanner:
    requests: list[PlanRequest] = field(default_factory=list)

    def plan(self, request: PlanRequest) -> Plan:
        self.requests.append(request)
        return CONTENT


@pytest.mark.parametrize(
    ("agents", "missing"),
    [
        ((), {Intent.PROFILE_REQUEST, Intent.THEORY_REQUEST}),
        (("profiles",), {Intent.THEORY_REQUEST}),
        (("profiles", "theories"), set()),
    ],
)
def test_a_plan_may_have_the_intents_that_the_base_serves(agents: tuple[AgentName, ...], missing: set[Intent]) -> None:
    planner = KeepingPlanner()

    QuestionPlanner(planner, KnowledgeBases(KnowledgeBase("", agents=agents)), lambda: NOW).plan(QUESTION, ANN)

    assert set(Intent) - set(planner.requests[0].intents) == missing
