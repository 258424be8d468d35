"""Concurrency: an upload of a folder leaves executions to the chat, and a new account accepts what is reserved.

The numbers of AWS are read from botocore's models or given with their source.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from botocore.session import get_session
from hypothesis import given
from hypothesis import strategies as st

from infra.concurrency import CHAT_FUNCTIONS, NEW_ACCOUNT, UNRESERVED_LEAST, concurrency_budget
from tests.infra.deployed import OTHERS, Deployed, deployed, with_other_choices

LAMBDA = get_session().get_service_model("lambda")
QUEUED = ("message-processor", "ingest-document")
# https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
DELIVERIES = 5
# https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
ESTABLISHED_ACCOUNT = 1000


def limits_of_queues(stage: Deployed) -> dict[str, Any]:
    """The most invocations of each queue's event source; None for no limit."""
    found = {}
    for name in QUEUED:
        [mapping] = stage.mappings_of(name)
        found[name] = mapping.get("ScalingConfig", {}).get("MaximumConcurrency")
    return found


def reserved(stage: Deployed) -> dict[str, int]:
    return {
        name.replace("-", "_"): each["ReservedConcurrentExecutions"]
        for name, each in stage.functions().items()
        if "ReservedConcurrentExecutions" in each
    }


@pytest.mark.parametrize("name", ["dev", "prod"])
def test_busy_queues_leave_four_executions_of_a_new_account_to_the_chat(name: str) -> None:
    limits = limits_of_queues(deployed(name))
    assert limits == {"message-processor": 4, "ingest-document": 2}
    assert NEW_ACCOUNT - sum(limits.values()) == 4


@pytest.mark.parametrize("name", ["dev", "prod"])
def test_a_new_account_is_asked_for_no_reservation(name: str) -> None:
    """Lambda refuses each that leaves fewer than 100 executions unreserved."""
    assert reserved(deployed(name)) == {}


def test_in_an_established_account_each_function_of_the_chat_has_executions_of_its_own() -> None:
    assert OTHERS["accountConcurrency"] == str(ESTABLISHED_ACCOUNT)
    stage = with_other_choices()
    assert limits_of_queues(stage) == {"message-processor": 400, "ingest-document": 20}
    assert reserved(stage) == dict.fromkeys(CHAT_FUNCTIONS, 50)


def test_the_chat_is_every_function_that_the_api_calls() -> None:
    called = {"authorizer"} | {name.replace("-", "_") for name in deployed("dev").functions() if name.startswith("ws-")}
    # Administrators are few, and share what is not reserved.
    assert set(CHAT_FUNCTIONS) == called - {"ws_admin"}


@given(st.integers(min_value=NEW_ACCOUNT, max_value=20_000))
def test_whatever_the_quota_aws_accepts_the_budget_and_the_chat_has_its_share(quota: int) -> None:
    budget = concurrency_budget(quota)
    accepted = LAMBDA.shape_for("MaximumConcurrency").metadata
    for limit in (budget.answers, budget.ingest):
        assert accepted["min"] <= limit <= accepted["max"]
    assert budget.left == quota - budget.answers - budget.ingest >= 0.4 * quota
    if budget.reserved is not None:
        unreserved = quota - budget.reserved * len(CHAT_FUNCTIONS)
        assert unreserved >= max(UNRESERVED_LEAST, budget.answers + budget.ingest)
        assert budget.reserved >= NEW_ACCOUNT


@pytest.mark.parametrize("name", ["local", "dev", "prod"])
def test_deliveries_that_lambda_had_no_execution_for_do_not_give_a_message_up(name: str) -> None:
    stage = deployed(name)
    for function in QUEUED:
        queue, _ = stage.queues_of(function)
        assert stage.resources[queue]["Properties"]["RedrivePolicy"]["maxReceiveCount"] >= DELIVERIES


def test_the_emulator_is_asked_for_no_limits() -> None:
    """It has no account to share, and serves one message of a FIFO queue at a time for each mapping."""
    stage = deployed("local")
    mappings = [each for name in QUEUED for each in stage.mappings_of(name)]
    assert not any("ScalingConfig" in each for each in mappings)
    assert reserved(stage) == {}


def test_the_operators_page_gives_the_budget_of_each_quota() -> None:
    page = Path("docs/operations/limits.md").read_text("utf-8")
    rows = re.findall(r"^\| (\d+)(?:, the default)? \| (\d+) \| (\d+) \| (\d+|none)\b.*\|$", page, re.M)
    budgets = [concurrency_budget(int(quota)) for quota, *_ in rows]
    assert [row[0] for row in rows] == [str(NEW_ACCOUNT), "200", str(ESTABLISHED_ACCOUNT)]
    assert [row[1:] for row in rows] == [
        (str(each.answers), str(each.ingest), str(each.reserved or "none")) for each in budgets
    ]


@pytest.mark.parametrize("name", ["local", "dev", "prod"])
def test_sends_of_one_user_take_nothing_from_another(name: str) -> None:
    """The scopes are those without which the other is refused."""
    [requests] = [
        each
        for _, each in deployed(name).of_kind("AWS::SQS::Queue")
        if each.get("QueueName", "").endswith("-requests.fifo")
    ]
    assert (requests["FifoThroughputLimit"], requests["DeduplicationScope"]) == ("perMessageGroupId", "messageGroup")
