"""`cicada eval gate`: how well the score of the evidence tells whether a turn can be answered."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from cli.evaluate.measuring import measuring, show_progress
from cli.text import clean

if TYPE_CHECKING:
    from cli.arguments import Subparsers


def register(parts: Subparsers) -> None:
    """Add the subcommand."""
    parser = parts.add_parser(
        "gate",
        help="how well it is told what can be answered",
        description="Search for labelled last turns with the production code, and measure how well the score of the"
        " evidence separates answerable from unanswerable ones (AUROC).",
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="tasks.jsonl, corpus.jsonl")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """0 if the set could be measured, whatever the scores."""
    with measuring():
        # Imported late: the library is slow to import.
        from evals.gate import report
        from evals.gate import run as evaluation

        scored = evaluation.run(options.folder, show_progress)
    print(report.to_json(scored) if options.json else clean(report.render(scored)))
    return 0
