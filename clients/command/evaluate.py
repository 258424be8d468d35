"""`cicada eval`: measure a part of the system on a file of labelled examples."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from clients.command.errors import CommandError
from clients.command.text import clean

if TYPE_CHECKING:
    from clients.command.subcommand import Subparsers


def register(subparsers: Subparsers) -> None:
    """Add the subcommand, with one subcommand of its own for each part that can be measured."""
    parser = subparsers.add_parser(
        "eval", help="measure a part of the system", description="Measure a part of the system on labelled examples."
    )
    parts = parser.add_subparsers(title="parts", metavar="PART", required=True)
    router = parts.add_parser(
        "router",
        help="how well messages are routed",
        description="Route the messages of a file and compare with their labels: one JSON object a line with text,"
        " label, and optionally slice.",
    )
    router.add_argument("file", metavar="FILE.jsonl", type=Path, help="the labelled messages")
    router.add_argument("--json", action="store_true", help="print one JSON object")
    router.set_defaults(run=run_router)


def run_router(options: argparse.Namespace) -> int:
    """0 if the file could be judged, whatever the score."""
    from cicada.errors import CicadaError  # the library takes a while: only who measures pays
    from evals import router

    try:
        report = router.run(options.file)
    except CicadaError as error:
        raise CommandError(str(error)) from error
    print(router.to_json(report) if options.json else clean(router.render(report)))
    return 0
