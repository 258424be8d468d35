"""Wires the operator's redrive command; no function uses it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.dynamodb.request_reopener import DynamoRequestReopener
from cicada.adapters.sqs.dead_letter_queue import SqsDeadLetterQueue
from cicada.conversation.redrive import Redriver

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient


def redriver(
    dynamodb: DynamoDBClient, sqs: SQSClient, table: str, queue_url: str, dead_letter_queue_url: str
) -> Redriver:
    """The names are those of the stack's outputs RequestsTable, RequestsQueueUrl and DeadLetterQueueUrl."""
    return Redriver(
        SqsDeadLetterQueue(sqs, queue_url, dead_letter_queue_url),
        DynamoRequestLog(dynamodb, table, time.time),
        DynamoRequestReopener(dynamodb, table),
        time.time,
    )
