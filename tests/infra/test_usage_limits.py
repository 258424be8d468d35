"""The users' limits, as they are deployed."""

from __future__ import annotations

import json

import pytest
from aws_cdk import App
from aws_cdk.assertions import Template

from app import build
from tests.infra.conftest import properties


def limits(**context: str) -> tuple[str, str]:
    """Messages a minute and requests in flight, as the accepting function of the stage reads them."""
    template = Template.from_stack(build(App(context=context | {"aws:cdk:bundling-stacks": []})))
    functions = json.loads(json.dumps(properties(template, "AWS::Lambda::Function")))
    [accepting] = [each for each in functions if each.get("FunctionName", "").endswith("ws-message")]
    variables = accepting["Environment"]["Variables"]
    return variables["CICADA_MESSAGES_PER_MINUTE"], variables["CICADA_REQUESTS_IN_FLIGHT"]


@pytest.mark.parametrize(("stage", "expected"), [("dev", ("60", "10")), ("local", ("6000", "200"))])
def test_every_stage_limits_its_users(stage: str, expected: tuple[str, str]) -> None:
    assert limits(stage=stage) == expected


def test_the_limits_can_be_chosen_at_deployment() -> None:
    assert limits(stage="prod", messagesPerMinute="20", requestsInFlight="4") == ("20", "4")
