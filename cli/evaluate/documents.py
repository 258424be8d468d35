"""`cicada eval documents`: how well the documents are found in which a question is searched."""

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
        "documents",
        help="how well questions are routed to documents",
        description="Route the questions of a set to documents with the production code, by the documents' cards and,"
        " if the set has them, by their passages: Recall@5, @15, @50, MRR and time per query, for each signal alone and"
        " for all together.",
    )
    parser.add_argument(
        "folder", metavar="DIR", type=Path, help="cards.jsonl, queries.jsonl, qrels.tsv, optionally passages.jsonl"
    )
    parser.add_argument("--ablation", action="store_true", help="measure the router without each signal as well")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """0 if the set could be measured, whatever the scores."""
    with measuring():
        # Imported late: the library is slow to import.
        from evals.documents import report
        from evals.documents import run as evaluation

        measured = evaluation.run(evaluation.Order(options.folder, options.ablation), show_progress)
    print(report.to_json(measured) if options.json else clean(report.render(measured)))
    return 0
