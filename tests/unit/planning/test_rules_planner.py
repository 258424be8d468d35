"""The plan without a model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cicada.planning.by_rules import RulesPlanner
from cicada.planning.model import Classification, Intent
from tests.fakes.planners import CONTENT, FixedPlanner, plan_request
from tests.unit.planning.planned import SCHEMA


@pytest.mark.parametrize(("of_intent", "of_grammar", "expected"), [(0.6, 0.9, 0.6), (1.0, 0.7, 0.7)])
def test_a_plan_from_metadata_is_no_surer_than_its_intent(of_intent: float, of_grammar: float, expected: float) -> None:
    found = Classification(Intent.SCRIPT_QUERY, of_intent, "…")
    planner = RulesPlanner(lambda *_: found, FixedPlanner(replace(CONTENT, confidence=of_grammar)))

    assert planner.plan(replace(plan_request(), schema=SCHEMA)).confidence == expected
