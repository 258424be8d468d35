"""Runs last: what the functions have called, against what they are said to need and are allowed."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import boto3
import pytest
from botocore.exceptions import ClientError

from infra.settings import stage_settings
from local.stage.aws import aws_client
from local.stage.settings import REGION
from tests.chaos.target import Target
from tests.e2e.recorder import Recorded
from tests.e2e.shown import Shown
from tests.infra.needed_permissions import Need, needed

# The local stage's models, and what else an AWS stage has with Bedrock's agents and its check of sentences: tests here
# use both kinds of each.
CHOSEN = {"stage": "local", "agents": "bedrock", "grounding": "bedrock"}
NEEDED = needed(replace(stage_settings(CHOSEN.get), local=None))


def shows(call: Recorded, function: str, need: Need) -> bool:
    return (call.function, call.action) == (function, need.action) and fnmatchcase(call.resource, need.resource)


def test_no_function_calls_what_it_is_not_said_to_need(shown: Shown) -> None:
    unstated = [
        call
        for call in sorted(shown.calls)
        if not any(shows(call, call.function, need) for need in NEEDED.get(call.function, ()))
    ]
    assert unstated == []


def test_every_need_is_shown_by_a_call_or_says_why_not(shown: Shown, passed: set[str]) -> None:
    whole = {file.name for file in Path(__file__).parent.rglob("test_*.py")} - {Path(__file__).name}
    if passed != whole:
        pytest.skip(
            f"Only all end-to-end tests together show every need; without {sorted(whole - passed)} some are missing."
        )
    by_calls = {
        (function, need): any(shows(call, function, need) for call in shown.calls)
        for function, needs in NEEDED.items()
        for need in needs
    }
    assert [name for name, by_call in by_calls.items() if not by_call and not name[1].unseen] == []
    assert [name for name, by_call in by_calls.items() if by_call and name[1].unseen] == [], "The reason is not true."


def test_the_stage_refuses_what_no_policy_allows(stage: Target) -> None:
    """Otherwise the other tests on the stage would prove no grant."""
    people = aws_client(stage.config, "iam")
    people.create_user(UserName="nobody-in-particular")
    key = people.create_access_key(UserName="nobody-in-particular")["AccessKey"]
    client = boto3.client(
        "dynamodb",
        endpoint_url=stage.config.aws_url,
        region_name=REGION,
        aws_access_key_id=key["AccessKeyId"],
        aws_secret_access_key=key["SecretAccessKey"],
    )
    table = stage.info["outputs"]["RequestsTable"]
    with closing(client), pytest.raises(ClientError, match="not authorized to perform: dynamodb:GetItem"):
        client.get_item(TableName=table, Key={"pk": {"S": "a"}, "sk": {"S": "HEAD"}})
