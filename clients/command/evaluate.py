"""`cicada eval`: measure a part of the system on a file of labelled examples."""

from __future__ import annotations

import argparse
import sys
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
    _register_retrieval(parts)


def _register_retrieval(parts: Subparsers) -> None:
    retrieval = parts.add_parser(
        "retrieval",
        help="how well passages are found",
        description="Search a retrieval set in BEIR layout with the production code: nDCG@10, Recall@100 and MRR@10 of"
        " each lane, of their fusion and of the final order.",
    )
    retrieval.add_argument("folder", metavar="DIR", type=Path, help="corpus.jsonl, queries.jsonl, qrels.tsv")
    retrieval.add_argument("--queries", metavar="FILE", type=Path, help="other queries, by the ids of DIR's")
    retrieval.add_argument("--fusion", choices=("zscore", "rrf"), default="zscore", help="default: %(default)s")
    retrieval.add_argument(
        "--detail",
        choices=("none", "windows", "tokens"),
        default="tokens",
        help="what is kept of each passage for reranking (default: %(default)s)",
    )
    retrieval.add_argument("--peers", action="store_true", help="measure bm25s, MiniLM and two fusions of them as well")
    retrieval.add_argument("--save", metavar="FILE", type=Path, help="keep the scores of this run")
    retrieval.add_argument("--against", metavar="FILE", type=Path, help="compare with a run that was kept")
    retrieval.add_argument("--plot", metavar="FILE", type=Path, help="draw the scores (.png, .svg)")
    retrieval.add_argument("--json", action="store_true", help="print one JSON object")
    retrieval.set_defaults(run=run_retrieval)


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


def run_retrieval(options: argparse.Namespace) -> int:
    """0 if the set could be measured, whatever the scores."""
    _limit_matrix_threads()
    from cicada.errors import CicadaError
    from cicada.knowledge_bases.settings import Detail
    from evals.retrieval import report, run
    from evals.retrieval.pipeline import Pipeline

    order = run.Order(
        options.folder,
        options.queries,
        Pipeline(options.fusion, Detail(options.detail)),
        options.peers,
        options.save,
        options.against,
    )
    try:
        measured = run.run(order, lambda line: print(clean(line), file=sys.stderr, flush=True))
        if options.plot:
            from evals.retrieval.plot import save_plot  # matplotlib takes seconds: only who draws pays

            save_plot(measured, options.plot)
    except CicadaError as error:
        raise CommandError(str(error)) from error
    print(report.to_json(measured) if options.json else clean(report.render(measured)))
    return 0


def _limit_matrix_threads() -> None:
    """Before numpy is imported: its threads would wait for one another."""
    from local.bedrock.settings import limit_matrix_threads

    limit_matrix_threads()
