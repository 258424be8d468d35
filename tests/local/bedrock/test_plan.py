"""The production planner against the stand-in, through unmodified boto3."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cicada.adapters.bedrock.plan_model import BedrockPlanModel
from cicada.dialogue import Turn
from cicada.knowledge_bases.plan_guide import load_plan_guide
from cicada.understanding.by_model.prompt import PlanPrompts
from cicada.understanding.plan import Intent, Plan, Shape
from tests.unit.understanding.form_of_reports import request_on_reports


def planned(runtime: Any, message: str) -> Plan:
    model = BedrockPlanModel(runtime, "amazon.nova-pro-v1:0", PlanPrompts(load_plan_guide))
    return model.plan(replace(request_on_reports(message), turns=(Turn("Which?", "All."),)))


@pytest.mark.parametrize("message", ["Which draft reports are there of status approved?", "ハムレットは誰?", "{}"])
def test_a_message_is_searched_as_it_is_and_no_filter_is_invented(runtime: Any, message: str) -> None:
    assert planned(runtime, message) == Plan(
        Intent.SCRIPT_QUERY, Shape.CONTENT_ONLY, message, message, "reports", by="model"
    )


@pytest.mark.parametrize("message", ["Hello!", "thank you"])
def test_small_talk_is_not_searched(runtime: Any, message: str) -> None:
    made = planned(runtime, message)
    assert (made.intent, made.shape, made.search_value) == (Intent.GENERAL, Shape.NO_MATCH, "")
