"""What `cicada redrive` works on: the queues and the table of the local stage, or of a stage on AWS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from cicada.bootstrap.redrive import redriver
from cicada.conversation.redrive import Redriver
from clients.command.errors import CommandError
from clients.command.stage_aws import client_options
from clients.command.stage_file import Stage


@dataclass(frozen=True, slots=True)
class Place:
    """The names of the stack's outputs. `stage` is None on AWS."""

    stage: Stage | None
    table: str
    queue_url: str
    dead_letter_queue_url: str


def open_redriver(place: Place) -> Redriver:
    """The operator's verbs on that place."""
    options = client_options(place.stage) if place.stage else _aws_options()
    try:
        dynamodb, sqs = boto3.client("dynamodb", **options), boto3.client("sqs", **options)
    except BotoCoreError as error:
        raise CommandError(f"AWS cannot be reached: {error}") from error
    return redriver(dynamodb, sqs, place.table, place.queue_url, place.dead_letter_queue_url)


def stack_outputs(stack: str) -> dict[str, str]:
    """What the deployed stack says about itself."""
    try:
        [found] = boto3.client("cloudformation", **_aws_options()).describe_stacks(StackName=stack)["Stacks"]
    except ClientError as error:
        raise CommandError(f"AWS does not describe the stack {stack}: {error.response['Error']['Code']}.") from error
    except BotoCoreError as error:
        raise CommandError(f"AWS cannot be reached: {error}") from error
    return {output["OutputKey"]: output["OutputValue"] for output in found.get("Outputs", [])}


def _aws_options() -> dict[str, Any]:
    """Region and credentials are found as the AWS command line finds them."""
    return {"config": Config(connect_timeout=5, read_timeout=30, retries={"mode": "standard"})}
