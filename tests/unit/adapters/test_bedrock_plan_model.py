from __future__ import annotations

import json
from typing import Any

import pytest

from cicada.adapters.bedrock.plan_model import BedrockPlanModel
from cicada.documents.model import AnyOf
from cicada.errors import CicadaError, ConfigurationError, PlanRefusedError, ThrottledError, UnavailableError
from cicada.knowledge_bases.plan_guide import load_plan_guide
from cicada.observability.telemetry import Telemetry, recording
from cicada.understanding.by_model.prompt import PlanPrompts
from cicada.understanding.plan import Plan, Shape
from tests.fakes.bedrock_wire import (
    BUSY,
    DENIED,
    THROTTLED,
    Answered,
    Refused,
    Reply,
    ScriptedBedrock,
    converse_reply,
    scripted_bedrock,
    tool_use,
)
from tests.fakes.clock import Clock
from tests.unit.understanding.form_of_reports import request_on_reports

MODEL = "amazon.nova-pro-v1:0"
WRITTEN = {
    "intent": "script_query",
    "strategy": "MetadataOnly",
    "query": "Which of my reports are approved?",
    "filters": {"status": {"any_of": ["approved"]}, "author": {"any_of": ["me"]}},
}


def replied(*content: str | dict[str, Any], stop: str = "tool_use") -> Answered:
    return converse_reply(*content, stop_reason=stop, read=2600, written=90)


def called(written: object = WRITTEN) -> dict[str, Any]:
    return tool_use("plan", written)


def plan(bedrock: ScriptedBedrock, message: str = "my approved reports") -> Plan:
    model = BedrockPlanModel(bedrock.client("bedrock-runtime"), MODEL, PlanPrompts(load_plan_guide))
    return model.plan(request_on_reports(message))


def test_one_call_of_a_forced_tool_gives_the_whole_plan() -> None:
    with scripted_bedrock(replied("I think that", called())) as bedrock:
        made = plan(bedrock)
    assert (made.shape, made.by, made.query) == (Shape.METADATA_ONLY, "model", WRITTEN["query"])
    assert made.filters == (AnyOf("status", frozenset({"released"})), AnyOf("author", frozenset({"Ann Lee"})))
    [request] = bedrock.requests
    assert (request.path, request.body["inferenceConfig"]) == (
        f"/model/{MODEL}/converse",
        {"maxTokens": 1024, "temperature": 0},
    )
    [tool] = request.body["toolConfig"]["tools"]
    assert request.body["toolConfig"]["toolChoice"] == {"tool": {"name": tool["toolSpec"]["name"]}}
    shown = tool["toolSpec"]["inputSchema"]["json"]["properties"]["filters"]["properties"]
    assert shown["status"]["properties"]["any_of"]["items"]["enum"] == ["draft", "released"]


def test_the_message_comes_after_the_cache_point() -> None:
    with scripted_bedrock(replied(called())) as bedrock:
        plan(bedrock, "my approved reports")
        plan(bedrock, "hello")
    first, second = (request.body for request in bedrock.requests)
    assert first["system"][-1] == {"cachePoint": {"type": "default"}}
    assert "Strategies" in first["system"][0]["text"]
    assert (first["system"], first["toolConfig"]) == (second["system"], second["toolConfig"])
    [message] = first["messages"]
    assert json.loads(message["content"][0]["text"])["message"] == "my approved reports"


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (THROTTLED, ThrottledError),
        (BUSY, UnavailableError),
        (DENIED, ConfigurationError),
        (Refused(400, "ValidationException"), ConfigurationError),
        (replied("The status is approved.", stop="end_turn"), PlanRefusedError),
        (replied(called(), called()), PlanRefusedError),
        (replied(called(), stop="max_tokens"), PlanRefusedError),
        (replied(called(WRITTEN | {"strategy": "Everything"})), PlanRefusedError),
        (replied(called({})), PlanRefusedError),
        (Answered({"output": {}}), UnavailableError),
        (Answered({}), PlanRefusedError),
    ],
)
def test_no_plan_is_a_named_failure_and_the_model_is_asked_once(reply: Reply, expected: type[CicadaError]) -> None:
    with scripted_bedrock(reply) as bedrock:
        with pytest.raises(expected):
            plan(bedrock)
        assert len(bedrock.requests) == 1


def test_its_tokens_are_counted_also_of_a_plan_that_is_refused() -> None:
    telemetry = Telemetry(Clock())
    with recording(telemetry), scripted_bedrock(replied(called()), replied(called({}))) as bedrock:
        plan(bedrock)
        with pytest.raises(PlanRefusedError):
            plan(bedrock)
    assert telemetry.tokens == (2 * 2600, 2 * 90)
