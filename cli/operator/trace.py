"""`cicada trace`: one request from its frame to its last event, in the order of time."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from cli.arguments import Options, command, json_option, stack_option
from cli.screen import open_screen
from cli.text import clean_line, to_json

if TYPE_CHECKING:
    from cli.operator.request_story import Story

# The clocks of the functions and of the log differ a little.
_MARGIN = timedelta(minutes=1)


@command(
    "trace",
    short_help="show what happened to one request, step by step",
    help="What happened to a request of the local stage, or with --stack of a stage on AWS, in the order of time:"
    " from the stored request and the processor's log, without any text of a question, an answer or a document.",
    epilog="example: cicada trace 7c9e6679-7425-40de-944b-e07fc1f90ae7 --stack Cicada-dev",
)
@click.argument(
    "request",
    metavar="REQUEST",
    help="the request's id, or as TENANT#USER#ID, which needs no reading of the whole table",
)
@json_option
@stack_option
def trace(options: Options) -> int:
    """0 if the request is stored, whatever became of it."""
    from cli.deployment_target import open_target  # imported late: the library and boto3 are slow to import
    from cli.operator.audit_log import log_events
    from cli.operator.request_story import stored_request, story

    target = open_target(options.stack)
    stored = stored_request(target.client("dynamodb"), target.output("RequestsTable"), options.request)
    began = datetime.fromtimestamp(stored.head.created_at, UTC)
    now, group = datetime.now(UTC), f"/aws/lambda/{target.output('ProcessorFunction')}"
    log = log_events(target.client("logs"), group, f'"{stored.request_id}"', began - _MARGIN, now + _MARGIN)
    told = story(stored, log)
    if options.json:
        print(to_json(asdict(told)))
    else:
        _show(told)
    return 0


def _show(told: Story) -> None:
    print(clean_line(f"{told.request_id} of {told.user} in {told.tenant}: {told.status}"))
    began = told.steps[0].at
    rows = [(f"{each.at - began:+.3f}", each.name, each.said) for each in told.steps]
    open_screen().table([("SECONDS", "STEP", "WHAT"), *rows], wrapped=True)
    print(f"It began at {datetime.fromtimestamp(began, UTC).isoformat(timespec='milliseconds')}.")
    if not told.logged:
        print("The processor's log has nothing of it: it has not come to one, or the log is no longer kept.")
