"""`cicada eval conversations`: how well follow-ups are understood."""

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
        "conversations",
        help="how well follow-ups are understood",
        description="Search a retrieval set in BEIR layout with the production code for the last turns of"
        " conversations: as they are, as the rules for follow-ups make them stand alone, and as queries.jsonl rewrites"
        " them. Prints nDCG@10 and MRR@10 of each, and the share of the gain of the rewrites that the rules reach.",
    )
    parser.add_argument(
        "folder", metavar="DIR", type=Path, help="corpus.jsonl, conversations.jsonl, queries.jsonl, qrels.tsv"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """0 if the set could be measured, whatever the scores."""
    with measuring():
        from evals.retrieval import conversations  # imported late: the library is slow to import

        report = conversations.run(options.folder, show_progress)
    print(conversations.to_json(report) if options.json else clean(conversations.render(report)))
    return 0
