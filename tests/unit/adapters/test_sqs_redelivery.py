from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.stub import Stubber

from cicada.adapters.sqs import SqsRedelivery

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

URL = "https://sqs.us-east-1.amazonaws.com/123456789012/changes"


@pytest.fixture
def client() -> SQSClient:
    return boto3.client("sqs", "us-east-1", aws_access_key_id="test", aws_secret_access_key="test")


@pytest.fixture
def sqs(client: SQSClient) -> Iterator[Stubber]:
    with Stubber(client) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


def event(*deliveries: int) -> dict[str, Any]:
    """A record for each, with how often it was delivered."""
    return {
        "Records": [
            {
                "messageId": f"m{number}",
                "receiptHandle": f"r{number}",
                "attributes": {"ApproximateReceiveCount": str(delivery)},
                "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:changes",
            }
            for number, delivery in enumerate(deliveries)
        ]
    }


def failed(*numbers: int) -> dict[str, Any]:
    return {"batchItemFailures": [{"itemIdentifier": f"m{number}"} for number in numbers]}


def expect(sqs: Stubber, number: int, seconds: int) -> None:
    asked = {"QueueName": "changes", "QueueOwnerAWSAccountId": "123456789012"}
    sqs.add_response("get_queue_url", {"QueueUrl": URL}, asked)
    changed = {"QueueUrl": URL, "ReceiptHandle": f"r{number}", "VisibilityTimeout": seconds}
    sqs.add_response("change_message_visibility", {}, changed)


def test_what_failed_and_nothing_else_comes_again_soon_and_each_time_later(client: SQSClient, sqs: Stubber) -> None:
    for number, seconds in ((0, 60), (2, 300), (3, 900), (4, 3600), (5, 3600)):
        expect(sqs, number, seconds)
    SqsRedelivery(client).make_visible(event(1, 1, 2, 3, 4, 5), failed(0, 2, 3, 4, 5))


def test_a_refused_timeout_concerns_that_message_alone(
    client: SQSClient, sqs: Stubber, caplog: pytest.LogCaptureFixture
) -> None:
    sqs.add_client_error("get_queue_url", "AccessDenied")
    expect(sqs, 1, 60)
    SqsRedelivery(client).make_visible(event(1, 1), failed(0, 1))
    assert "waits for its queue's timeout" in caplog.text
