"""Timeouts: every time limit is longer than that of the call it waits for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.infra.deployed import Deployed, Properties, deployed
from tests.infra.test_alarms import alarms_of

# https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
API_GATEWAY_SECONDS = 29
LAMBDA_SECONDS = 900
# https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
TIMEOUTS_PER_VISIBILITY = 6
SQS_DEFAULT_SECONDS = 4 * 86400
# New accounts get no more: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
MEMORY_OF_A_NEW_ACCOUNT_MB = 3008


@pytest.fixture(params=["local", "dev", "prod"])
def stage(request: pytest.FixtureRequest) -> Deployed:
    return deployed(request.param)


def consumed(stage: Deployed) -> Iterator[tuple[Properties, Properties, Properties]]:
    """Each event source mapping with its queue and its function."""
    functions = {each["FunctionName"]: each for each in stage.functions().values()}
    for _, mapping in stage.of_kind("AWS::Lambda::EventSourceMapping"):
        queue = stage.resources[mapping["EventSourceArn"]["Fn::GetAtt"][0]]["Properties"]
        yield mapping, queue, functions[stage.text(mapping["FunctionName"])]


def called_by_the_api(stage: Deployed) -> list[Properties]:
    uris = [each["IntegrationUri"] for _, each in stage.of_kind("AWS::ApiGatewayV2::Integration")]
    uris += [each["AuthorizerUri"] for _, each in stage.of_kind("AWS::ApiGatewayV2::Authorizer")]
    ids = {part["Fn::GetAtt"][0] for uri in uris for part in uri["Fn::Join"][1] if "Fn::GetAtt" in part}
    return [stage.resources[id]["Properties"] for id in ids]


def test_the_api_waits_for_every_function_that_it_calls(stage: Deployed) -> None:
    called = called_by_the_api(stage)
    assert len(called) == 9
    assert all(each["Timeout"] <= API_GATEWAY_SECONDS for each in called)


def test_a_message_is_not_delivered_again_while_its_function_may_still_work_on_it(stage: Deployed) -> None:
    for mapping, queue, function in consumed(stage):
        window = mapping.get("MaximumBatchingWindowInSeconds", 0)
        assert queue["VisibilityTimeout"] >= TIMEOUTS_PER_VISIBILITY * function["Timeout"] + window
        assert function["Timeout"] <= LAMBDA_SECONDS


def test_a_failure_is_reported_for_its_message_alone_and_nobody_waits_for_a_batch(stage: Deployed) -> None:
    for mapping, _, _ in consumed(stage):
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
        assert mapping.get("MaximumBatchingWindowInSeconds", 0) == 0
        assert mapping.get("Enabled", True)


def test_a_processor_has_one_request_at_a_time(stage: Deployed) -> None:
    """An answer holds its processor until it has ended, so a second request of its batch would only wait."""
    sizes = {mapping["BatchSize"] for mapping, queue, _ in consumed(stage) if queue.get("FifoQueue")}
    assert sizes == {1}


def test_dead_letters_outlive_what_waits_and_keep_its_order(stage: Deployed) -> None:
    for _, queue, _ in consumed(stage):
        letters = stage.resources[queue["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0]]["Properties"]
        waiting = queue.get("MessageRetentionPeriod", SQS_DEFAULT_SECONDS)
        # A message keeps the time at which it was first sent.
        assert letters["MessageRetentionPeriod"] > waiting
        assert letters.get("FifoQueue") == queue.get("FifoQueue")
        assert queue["RedrivePolicy"]["maxReceiveCount"] > 1


def test_ingest_has_memory_for_a_batch_of_the_largest_documents(stage: Deployed) -> None:
    measured = json.loads(Path("docs/figures/reader-limits.json").read_text("utf-8"))["rows"]
    megabytes = max(int(memory.removesuffix(" MB")) for _, memory in measured)
    memory = stage.functions()["ingest-document"]["MemorySize"]
    for mapping in stage.mappings_of("ingest-document"):
        assert mapping["BatchSize"] * megabytes <= memory <= MEMORY_OF_A_NEW_ACCOUNT_MB


@pytest.mark.parametrize("name", ["dev", "prod"])
def test_long_answers_are_reported_before_they_are_cut_off(name: str) -> None:
    stage = deployed(name)
    cut_off = 1000 * stage.functions()["message-processor"]["Timeout"]
    assert cut_off / 2 < alarms_of(stage)["long-answers"]["Threshold"] < cut_off
