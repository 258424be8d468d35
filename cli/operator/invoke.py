"""`cicada invoke`: a deployed function, called as the Lambda console calls it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from cicada_client.errors import ConnectionLostError
from cli.arguments import Options, command
from cli.errors import CommandError
from cli.local_stage import Stage, read_stage
from cli.settings import Settings, read_settings
from cli.text import to_json

_SECONDS = 300


@command(
    "invoke",
    short_help="invoke a function of the local stage with a test event",
    help="Invoke a deployed function of the local stage and print what it returns as JSON.",
    epilog="example: cicada invoke message_processor events/message_processor.json",
)
@click.argument("function", metavar="FUNCTION", help="the function's name, as `cicada stage` shows it")
@click.argument(
    "event",
    metavar="[EVENT.json]",
    type=click.Path(readable=False),
    required=False,
    help='its event; "-" for standard input (default: events/FUNCTION.json)',
)
def invoke(options: Options) -> int:
    """0 if the function returned, 1 if it raised."""
    settings = read_settings()
    stage = read_stage(settings.stage_file)
    deployed = _deployed_name(stage, options.function)
    event = _event(options.function, options.event, settings)
    result, has_failed = _invoked(stage, deployed, event)
    print(to_json(result))
    if has_failed:
        raise CommandError(f"The function {options.function} failed.")
    return 0


def _deployed_name(stage: Stage, function: str) -> str:
    if function not in stage.functions:
        raise CommandError(f"There is no function {function}; there are {', '.join(sorted(stage.functions))}.", 2)
    return stage.functions[function]


def _event(function: str, argument: str | None, settings: Settings) -> str:
    name = argument or str(settings.events / f"{function}.json")
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
        json.loads(text)
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}.", 2) from error
    except ValueError as error:
        raise CommandError(f"{'Standard input' if name == '-' else name} is not JSON: {error}.", 2) from error
    return text


def _invoked(stage: Stage, deployed_name: str, event: str) -> tuple[Any, bool]:
    """What the function returns, parsed, and whether it raised instead."""
    from botocore.exceptions import BotoCoreError, ClientError  # imported late: boto3 is slow to import

    from cli.deployment_target import local_target

    try:
        client = local_target(stage).client("lambda", _SECONDS)
        reply = client.invoke(FunctionName=deployed_name, Payload=event.encode())
        payload = reply["Payload"].read()
    except ClientError as error:
        problem = error.response.get("Error", {})
        said = problem.get("Message") or problem.get("Code")
        raise CommandError(f"The local stage refused the call: {said}") from error
    except BotoCoreError as error:
        raise ConnectionLostError(
            f"The local stage at {stage.endpoint_url} does not answer: run `make run`."
        ) from error
    return json.loads(payload) if payload else None, "FunctionError" in reply
