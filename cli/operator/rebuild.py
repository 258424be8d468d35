"""`cicada rebuild`: a new index from the ground truth, without embedding anything again."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import click

from cli.arguments import Options, command, stack_option
from cli.errors import CommandError
from cli.interrupt import cancelling
from cli.screen import Screen, open_screen
from cli.text import to_json

if TYPE_CHECKING:
    from cli.operator.deployed_function import DeployedFunction

# A slice is short so that progress is shown often. It ends after the round of copies in which its time runs out.
_SLICE_SECONDS = 5
_LONGEST_CALL_SECONDS = 900.0


@command(
    "rebuild",
    short_help="make the index anew from what is kept of all documents",
    help="Make a new index of the local stage, or with --stack of a stage on AWS, from what is kept of all"
    " documents. The old one answers until the new one is complete, whatever is ingested meanwhile.",
    epilog="example: cicada rebuild --stack Cicada-dev",
)
@stack_option
@click.option("--json", is_flag=True, help="print one JSON object at the end")
def rebuild(options: Options) -> int:
    """0 when the new index answers."""
    # Imported late: boto3 is slow to import.
    from cli.deployment_target import open_target
    from cli.operator.deployed_function import DeployedFunction

    target = open_target(options.stack)
    function = DeployedFunction(
        target.client("lambda", _LONGEST_CALL_SECONDS),
        target.output("IngestFunction"),
        "The rebuild failed, and the old index goes on answering",
    )
    screen = open_screen()
    screen.status("Beginning a new index …")
    progress = _rebuilt(function, screen)
    screen.end_line()
    if progress["state"] != "switched":
        raise CommandError(
            "Another rebuild is under way, or one has died less than 16 minutes ago; try again when it has ended."
        )
    documents = progress["documents"]
    print(to_json(progress) if options.json else f"The new index answers: {documents} documents.")
    return 0


def _rebuilt(function: DeployedFunction, screen: Screen) -> dict[str, Any]:
    """The last progress. Ctrl-C waits for the slice under way and drops the new index; a second one does not wait."""
    progress: dict[str, Any] = {}
    stopped = threading.Event()
    try:
        with cancelling(stopped.set):
            # The first slice is as short as possible: only its reply names the run, without which it cannot be dropped.
            progress = function.call({"rebuild": "start", "seconds": 0})
            while progress["state"] == "copying" and not stopped.is_set():
                screen.status(f"{progress['copied']} of {progress['documents']} documents copied …")
                progress = function.call({"rebuild": "continue", "run": progress["run"], "seconds": _SLICE_SECONDS})
        if stopped.is_set() and progress["state"] == "copying":
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        screen.note("Stopping; the old index goes on answering.")
        screen.note(_dropped(function, progress.get("run")))
        raise
    return progress


def _dropped(function: DeployedFunction, run: str | None) -> str:
    """Drop the new index after the slice that is under way, which cannot be stopped. Returns a sentence."""
    for _ in range(_SLICE_SECONDS * 6 if run else 0):
        if function.call({"rebuild": "abandon", "run": run})["state"] != "busy":
            return "The new index is dropped."
        time.sleep(1)
    return "The new index could not be dropped yet; the next `cicada rebuild` drops it."
