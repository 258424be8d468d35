"""Which planner makes the plan, and what happens when the model does not."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from cicada.errors import (
    CicadaError,
    ConfigurationError,
    OpenCircuitError,
    PlanRefusedError,
    StreamBrokenError,
    ThrottledError,
    UnavailableError,
)
from cicada.knowledge_bases.schema import Schema
from cicada.understanding.plan import Intent, Plan, Shape
from cicada.understanding.planners import ChosenPlanner, PlannerMode, step_of
from tests.fakes.planners import CONTENT, FixedPlanner, plan_request
from tests.unit.understanding.planned import SCHEMA

BY_MODEL = replace(CONTENT, shape=Shape.METADATA_ONLY, search_value="", by="model")
FAILURES = [
    ThrottledError("…"),
    UnavailableError("…"),
    StreamBrokenError("…"),
    ConfigurationError("…"),
    PlanRefusedError("…", "unknown_field"),
]


@dataclass
class Situation:
    rules: FixedPlanner = field(default_factory=FixedPlanner)
    model: FixedPlanner = field(default_factory=lambda: FixedPlanner(BY_MODEL))
    reported: list[CicadaError] = field(default_factory=list)

    def plan(self, mode: PlannerMode, confidence: float = 0.79) -> Plan:
        self.rules.made = replace(CONTENT, confidence=confidence)
        return ChosenPlanner(self.rules, self.model, self.reported.append, mode, 0.8).plan(plan_request())


def test_where_the_rules_are_sure_no_model_is_asked() -> None:
    here = Situation()
    assert here.plan(PlannerMode.AUTO, 0.8) == replace(CONTENT, confidence=0.8, by="rules")
    assert here.model.asked == []


@pytest.mark.parametrize("mode", PlannerMode)
def test_the_rules_plan_a_message_once_even_if_the_model_fails(mode: PlannerMode) -> None:
    here = Situation(model=FixedPlanner(failure=UnavailableError("…")))
    here.plan(mode)
    assert here.rules.asked == ["Who dies?"]


def test_where_the_rules_are_unsure_the_model_makes_the_plan() -> None:
    here = Situation()
    assert here.plan(PlannerMode.AUTO, 0.79) == BY_MODEL
    assert here.model.asked == ["Who dies?"]
    assert here.reported == []


@pytest.mark.parametrize(
    ("plan", "schema", "by"),
    [
        (replace(CONTENT, confidence=0.85), SCHEMA, "rules"),
        (replace(CONTENT, confidence=0.85), Schema(), "model"),
        (replace(CONTENT, confidence=0.95), Schema(), "rules"),
        (Plan(Intent.PROFILE_REQUEST, Shape.NO_MATCH, "…", confidence=0.85), SCHEMA, "model"),
        (Plan(Intent.PROFILE_REQUEST, Shape.NO_MATCH, "…", confidence=0.95), SCHEMA, "rules"),
    ],
)
def test_a_plan_from_metadata_and_a_mere_intent_are_sure_from_different_confidences_on(
    plan: Plan, schema: Schema, by: str
) -> None:
    planner = ChosenPlanner(FixedPlanner(plan), FixedPlanner(BY_MODEL), lambda error: None, sure_of_intent=0.9)

    assert planner.plan(replace(plan_request(), schema=schema)).by == by


def test_the_rules_alone_never_ask_the_model() -> None:
    here = Situation()
    assert step_of(here.plan(PlannerMode.RULES, 0.0)) == "plan:rules"
    assert here.model.asked == []


def test_the_model_alone_is_asked_whatever_the_rules_say() -> None:
    here = Situation()
    assert step_of(here.plan(PlannerMode.MODEL, 1.0)) == "plan:model"
    assert here.rules.asked == []


def test_without_a_model_the_rules_make_the_plan_in_every_mode() -> None:
    for mode in PlannerMode:
        planner = ChosenPlanner(FixedPlanner(replace(CONTENT, confidence=0)), None, lambda error: None, mode)
        assert step_of(planner.plan(plan_request())) == "plan:rules"


@pytest.mark.parametrize("mode", [PlannerMode.AUTO, PlannerMode.MODEL])
@pytest.mark.parametrize("failure", FAILURES, ids=lambda each: type(each).__name__)
def test_when_the_model_fails_the_rules_make_the_plan_and_the_failure_is_counted(
    failure: CicadaError, mode: PlannerMode
) -> None:
    here = Situation(model=FixedPlanner(failure=failure))
    plan = here.plan(mode, 0.3)
    assert plan == replace(CONTENT, confidence=0.3, by="rules_after_model_failed")
    assert step_of(plan) == "plan:rules_after_model_failed"
    assert here.reported == [failure]


def test_a_model_that_is_not_asked_because_it_keeps_failing_is_no_further_failure() -> None:
    here = Situation(model=FixedPlanner(failure=OpenCircuitError("…")))
    assert step_of(here.plan(PlannerMode.AUTO)) == "plan:rules:skipped_open_circuit"
    assert here.reported == []
