"""Calls to the AWS services of the local stage."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from cicada_client.errors import ConnectionLostError
from cli.errors import CommandError
from cli.local_stage import Stage

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

# The local stage accepts any credentials; this key selects its only account.
_LOCAL_KEY = "test"
_FUNCTION_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Invocation:
    """What a function returned, parsed; `failed` if it raised instead."""

    result: Any
    failed: bool


def invoke_function(stage: Stage, deployed_name: str, event: str) -> Invocation:
    """Invoke a function with an event's JSON text and wait for what it returns."""
    with _translated(stage):
        reply = _lambda(stage).invoke(FunctionName=deployed_name, Payload=event.encode())
        payload = reply["Payload"].read()
    return Invocation(json.loads(payload) if payload else None, failed="FunctionError" in reply)


def _lambda(stage: Stage) -> LambdaClient:
    return boto3.client("lambda", **client_options(stage))


def client_options(stage: Stage) -> dict[str, Any]:
    """The arguments with which boto3 reaches the stage's services."""
    return {
        "endpoint_url": stage.endpoint_url,
        "region_name": stage.region,
        "aws_access_key_id": _LOCAL_KEY,
        "aws_secret_access_key": _LOCAL_KEY,
        # No retries: an invocation must not happen twice. No proxy: the stage is on this machine.
        "config": Config(
            connect_timeout=5, read_timeout=_FUNCTION_SECONDS, retries={"total_max_attempts": 1}, proxies={}
        ),
    }


@contextmanager
def _translated(stage: Stage) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        problem = error.response.get("Error", {})
        raise CommandError(
            f"The local stage refused the call: {problem.get('Message') or problem.get('Code')}"
        ) from error
    except BotoCoreError as error:
        raise ConnectionLostError(
            f"The local stage at {stage.endpoint_url} does not answer: run `make run`."
        ) from error
