"""`cicada rebuild`: a new index from the ground truth, without embedding anything again."""

from __future__ import annotations

import argparse
import json
import threading
import time
from typing import TYPE_CHECKING, Any

from cli.errors import CommandError
from cli.interrupt import cancelling
from cli.screen import Screen, open_screen
from cli.settings import read_settings
from cli.text import clean_line, to_json

if TYPE_CHECKING:
    from cli.arguments import Subparsers

# A slice is short so that progress is shown often. It ends after the round of copies in which its time runs out.
_SLICE_SECONDS = 5
_LONGEST_CALL_SECONDS = 900.0


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "rebuild",
        help="make the index anew from what is kept of all documents",
        description="Make a new index of the local stage, or with --stack of a stage on AWS, from what is kept of all"
        " documents. The old one answers until the new one is complete, whatever is ingested meanwhile.",
    )
    parser.add_argument("--stack", metavar="NAME", help="a stack on AWS, as Cicada-prod")
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """0 when the new index answers."""
    from cli.operator.deployment_target import open_target  # imported late: boto3 is slow to import

    target = open_target(options.stack)
    function = _Function(target.client("lambda", _LONGEST_CALL_SECONDS), target.output("IngestFunction"))
    screen = open_screen(read_settings())
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


def _rebuilt(function: _Function, screen: Screen) -> dict[str, Any]:
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


def _dropped(function: _Function, run: str | None) -> str:
    """Drop the new index after the slice that is under way, which cannot be stopped. Returns a sentence."""
    for _ in range(_SLICE_SECONDS * 6 if run else 0):
        if function.call({"rebuild": "abandon", "run": run})["state"] != "busy":
            return "The new index is dropped."
        time.sleep(1)
    return "The new index could not be dropped yet; the next `cicada rebuild` drops it."


class _Function:
    """The ingest function, called as the Lambda console calls it."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name

    def call(self, event: dict[str, Any]) -> dict[str, Any]:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            reply = self._client.invoke(FunctionName=self._name, Payload=json.dumps(event).encode())
            result: dict[str, Any] = json.loads(reply["Payload"].read())
        except ClientError as error:
            raise CommandError(
                f"The function {self._name} cannot be invoked: {error.response['Error']['Code']}."
            ) from error
        except BotoCoreError as error:
            raise CommandError(
                f"The function {self._name} does not answer; the old index goes on answering."
            ) from error
        if "FunctionError" in reply:
            reason = clean_line(str(result.get("errorMessage", "its log says why")))
            raise CommandError(f"The rebuild failed, and the old index goes on answering: {reason}")
        return result
