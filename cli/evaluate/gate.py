"""`cicada eval gate`: how well the score of the evidence tells whether a turn can be answered."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cli.errors import CommandError
from cli.evaluate.matrix_threads import limit_matrix_threads
from cli.text import clean

if TYPE_CHECKING:
    from cli.arguments import Subparsers


def register(parts: Subparsers) -> None:
    """Add the subcommand."""
    parser = parts.add_parser(
        "gate",
        help="how well it is told what can be answered",
        description="Search for labelled last turns with the production code, and measure how well the score of the"
        " evidence separates answerable from unanswerable ones (AUROC), and the score of the message the"
        " underspecified ones from all others.",
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="tasks.jsonl, corpus.jsonl")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """0 if the set could be measured, whatever the scores."""
    limit_matrix_threads()
    from cicada.errors import CicadaError  # imported late: the library is slow to import
    from evals.gate import report
    from evals.gate import run as evaluation

    try:
        scored = evaluation.run(options.folder, lambda line: print(clean(line), file=sys.stderr, flush=True))
    except CicadaError as error:
        raise CommandError(str(error)) from error
    print(report.to_json(scored) if options.json else clean(report.render(scored)))
    return 0
