"""`cicada calibrate`: the thresholds of a knowledge base from labelled turns."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from cli.evaluate.measuring import measuring, show_progress
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
        epilog="example: cicada calibrate FOLDER",
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
    with measuring():
        # Imported late: the library is slow to import.
        from evals.gate import configuration, curve, sweep
        from evals.gate import run as evaluation

        scored = evaluation.run(options.folder, show_progress)
        points = sweep.sweep(scored)
        chosen = sweep.chosen(points, options.keep, options.at_once)
        section = configuration.section(options.base, chosen)
        if options.csv:
            sweep.save_csv(points, options.csv)
        if options.write:
            configuration.write(options.write, options.base, chosen)
    print(clean(f"{curve.render(points, chosen)}\n\n{section}"), end="")
    return 0


def _share(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is no share; write a number above 0 and up to 1")
    return value
