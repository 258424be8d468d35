"""The request queue and its dead-letter queue, on moto, as the CDK app declares them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
from moto import mock_aws

from tests.contract.declared import create_queue

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


@dataclass(frozen=True)
class Queues:
    client: SQSClient
    requests_url: str
    dead_letters_url: str

    def bodies(self, url: str) -> list[dict[str, Any]]:
        """Everything that can be received now; a message hides the others of its group until it is deleted."""
        bodies = []
        while messages := self.client.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
            for message in messages:
                bodies.append(json.loads(message["Body"]))
                self.client.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return bodies


@contextmanager
def request_queues() -> Iterator[Queues]:
    with mock_aws():
        client = boto3.client("sqs", region_name="us-east-1")
        dead = create_queue(client, "requests-dead.fifo")
        requests = create_queue(client, "requests.fifo")
        yield Queues(client, requests, dead)
