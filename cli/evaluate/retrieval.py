"""`cicada eval retrieval`: how well passages are found, on a set in BEIR's layout."""

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
        "retrieval",
        help="how well passages are found",
        description="Search a retrieval set in BEIR layout with the production code: nDCG@10, Recall@100 and MRR@10 of"
        " each lane, of their fusion and of the final order.",
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="corpus.jsonl, queries.jsonl, qrels.tsv")
    parser.add_argument("--queries", metavar="FILE", type=Path, help="other queries, by the ids of DIR's")
    parser.add_argument("--fusion", choices=("zscore", "rrf"), default="zscore", help="default: %(default)s")
    parser.add_argument("--peers", action="store_true", help="measure bm25s, MiniLM and two fusions of them as well")
    parser.add_argument("--save", metavar="FILE", type=Path, help="keep the scores of this run")
    parser.add_argument("--against", metavar="FILE", type=Path, help="compare with a run that was kept")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the scores (.png, .svg)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """0 if the set could be measured, whatever the scores."""
    with measuring():
        from evals.retrieval import report
        from evals.retrieval import run as evaluation
        from evals.retrieval.pipeline import Pipeline

        order = evaluation.Order(
            options.folder,
            options.queries,
            Pipeline(options.fusion),
            options.peers,
            options.save,
            options.against,
        )
        measured = evaluation.run(order, show_progress)
        if options.plot:
            from evals.retrieval.plot import save_plot  # imported late: matplotlib takes seconds to import

            save_plot(measured, options.plot)
    print(report.to_json(measured) if options.json else clean(report.render(measured)))
    return 0
