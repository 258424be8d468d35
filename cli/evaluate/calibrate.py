"""`cicada calibrate`: the thresholds of a knowledge base from labelled turns."""

from __future__ import annotations

import click

from cli.arguments import PATH, Options, command
from cli.evaluate.measuring import measuring, show_progress
from cli.text import clean

_SHARE = click.FloatRange(0, 1, min_open=True)


@command(
    "calibrate",
    short_help="find the thresholds of a knowledge base",
    help="Search for labelled last turns with the production code, draw precision and recall for each"
    " threshold on the quality of the evidence, and print the settings for knowledge_bases.toml.",
    epilog="example: cicada calibrate FOLDER",
)
@click.argument(
    "folder", metavar="DIR", type=PATH, help="tasks.jsonl, corpus.jsonl (as for `cicada eval answerability`)"
)
@click.option("--base", metavar="NAME", default="defaults", help="the base's name (default: [defaults])")
@click.option(
    "--keep",
    metavar="SHARE",
    type=_SHARE,
    default=0.95,
    help="of the answerable turns that are to be above the floor (default: 0.95)",
)
@click.option(
    "--at-once",
    metavar="SHARE",
    type=_SHARE,
    default=0.85,
    help="of the answerable turns that are to be answered without another search (default: 0.85)",
)
@click.option("--write", metavar="FILE", type=PATH, help="write the settings into this knowledge_bases.toml")
@click.option("--csv", metavar="FILE", type=PATH, help="keep the curve")
def calibrate(options: Options) -> int:
    """0 if the set could be measured."""
    with measuring():
        # Imported late: the library is slow to import.
        from evals.answerability import configuration, curve, sweep
        from evals.answerability import run as evaluation

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
