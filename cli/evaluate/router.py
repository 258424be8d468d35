"""`cicada eval router`: how well messages are classified."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from cli.evaluate.measuring import refusals
from cli.text import clean

if TYPE_CHECKING:
    from cli.arguments import Subparsers


def register(parts: Subparsers) -> None:
    """Add the subcommand."""
    parser = parts.add_parser(
        "router",
        help="how well messages are routed",
        description="Route the messages of a file and compare with their labels: one JSON object a line with text,"
        " label, and optionally slice.",
    )
    parser.add_argument("file", metavar="FILE.jsonl", type=Path, help="the labelled messages")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """0 if the file could be judged, whatever the score."""
    with refusals():
        from evals import router  # imported late: the library is slow to import

        report = router.run(options.file)
    print(router.to_json(report) if options.json else clean(router.render(report)))
    return 0
