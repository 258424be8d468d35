"""The tables and queues of the CDK app, made on moto.

`declared.json` is what the templates say of them. It is stored because a synthesis takes longer than these tests;
`tests/infra/test_declared.py` fails when it differs from a template.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
from moto import mock_aws

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient

STORED = Path(__file__).with_name("declared.json")


@contextmanager
def declared_table(name: str) -> Iterator[DynamoDBClient]:
    """A client of moto with the table of this name alone."""
    with mock_aws():
        client = boto3.client("dynamodb", region_name="us-east-1")
        create_table(client, name)
        yield client


def create_table(client: DynamoDBClient, name: str) -> None:
    """The table that is declared under this name, with its indexes and its time to live."""
    declared = _declared("tables", name)
    expiry = declared.pop("TimeToLiveSpecification", None)
    client.create_table(TableName=name, **declared)
    if expiry:
        client.update_time_to_live(TableName=name, TimeToLiveSpecification=expiry)


def create_queue(client: SQSClient, name: str) -> str:
    """The URL of the queue that is declared under this name. Its dead-letter queue must be there."""
    declared = _declared("queues", name)
    redrive = declared.pop("RedrivePolicy", None)
    attributes = {key: value if isinstance(value, str) else json.dumps(value) for key, value in declared.items()}
    if redrive:
        target = client.get_queue_url(QueueName=redrive["deadLetterTarget"])["QueueUrl"]
        arn = client.get_queue_attributes(QueueUrl=target, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        attributes["RedrivePolicy"] = json.dumps(
            {"deadLetterTargetArn": arn, "maxReceiveCount": redrive["maxReceiveCount"]}
        )
    return client.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]  # type: ignore[arg-type]


def _declared(kind: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(STORED.read_text("utf-8"))[kind][name]
    return found
