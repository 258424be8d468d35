"""`cicada invoke`: a deployed function, called as the Lambda console calls it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from cli.arguments import Options, command
from cli.errors import CommandError
from cli.local_stage import Stage, read_stage
from cli.settings import Settings, read_settings
from cli.text import to_json


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
    from cli.local_services import invoke_function  # imported late: boto3 is slow to import

    invocation = invoke_function(stage, deployed, event)
    print(to_json(invocation.result))
    if invocation.failed:
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
