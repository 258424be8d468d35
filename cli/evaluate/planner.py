"""`cicada eval planner`: how well the deterministic planner plans."""

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
        "planner",
        help="how well questions about documents are planned",
        description="Plan the queries of a file by rules and compare strategy and filters with their labels: one JSON"
        " object a line with query, strategy and filters.",
    )
    parser.add_argument("file", metavar="FILE.jsonl", type=Path, help="the labelled queries")
    parser.add_argument("--schema", metavar="SCHEMA.json", type=Path, required=True, help="the fields of the documents")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """0 if the file could be judged, whatever the score."""
    with refusals():
        from evals import planner  # imported late: the library is slow to import

        report = planner.run(options.file, options.schema)
    print(planner.to_json(report) if options.json else clean(planner.render(report)))
    return 0
