"""`cicada calibrate`: the thresholds of a knowledge base from labelled turns."""

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


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "calibrate",
        help="find the thresholds of a knowledge base",
        description="Search for labelled last turns with the production code, draw precision and recall for each"
        " threshold on the quality of the evidence, and print the settings for knowledge_bases.toml.",
    )
    parser.add_argument(
        "folder", metavar="DIR", type=Path, help="tasks.jsonl, corpus.jsonl (as for `cicada eval gate`)"
    )
    parser.add_argument("--base", metavar="NAME", default="defaults", help="the base's name (default: [defaults])")
    parser.add_argument(
        "--keep",
        metavar="SHARE",
        type=_share,
        default=0.95,
        help="of the answerable turns that are to be above the floor (default: %(default)s)",
    )
    parser.add_argument(
        "--at-once",
        metavar="SHARE",
        type=_share,
        default=0.85,
        help="of the answerable turns that are to be answered without another search (default: %(default)s)",
    )
    parser.add_argument("--write", metavar="FILE", type=Path, help="write the settings into this knowledge_bases.toml")
    parser.add_argument("--csv", metavar="FILE", type=Path, help="keep the curve")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """0 if the set could be measured."""
    limit_matrix_threads()
    from cicada.errors import CicadaError  # imported late: the library is slow to import
    from evals.gate import configuration, curve, sweep
    from evals.gate import run as evaluation

    try:
        scored = evaluation.run(options.folder, lambda line: print(clean(line), file=sys.stderr, flush=True))
        points = sweep.sweep(scored)
        chosen = sweep.chosen(points, options.keep, options.at_once)
        section = configuration.section(options.base, chosen)
        if options.csv:
            sweep.save_csv(points, options.csv)
        if options.write:
            configuration.write(options.write, options.base, chosen)
    except CicadaError as error:
        raise CommandError(str(error)) from error
    print(clean(f"{curve.render(points, chosen)}\n\n{section}"), end="")
    return 0


def _share(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is no share; write a number above 0 and up to 1")
    return value
