"""What `cicada redrive` works on: the queues and the table of the local stage, or of a stage on AWS."""

from __future__ import annotations

from dataclasses import dataclass

import boto3
from botocore.exceptions import BotoCoreError

from cicada.bootstrap.redrive import redriver
from cicada.conversation.redrive import Redriver
from cli.local_services import client_options
from cli.local_stage import Stage
from cli.operator.deployment_target import aws_failure, aws_options, stack_outputs

__all__ = ["Place", "open_redriver", "stack_outputs"]


@dataclass(frozen=True, slots=True)
class Place:
    """The names of the stack's outputs. `stage` is None on AWS."""

    stage: Stage | None
    table: str
    queue_url: str
    dead_letter_queue_url: str


def open_redriver(place: Place) -> Redriver:
    """The operator's verbs on that place."""
    options = client_options(place.stage) if place.stage else aws_options()
    try:
        dynamodb, sqs = boto3.client("dynamodb", **options), boto3.client("sqs", **options)
    except BotoCoreError as error:
        raise aws_failure(error) from error
    return redriver(dynamodb, sqs, place.table, place.queue_url, place.dead_letter_queue_url)
