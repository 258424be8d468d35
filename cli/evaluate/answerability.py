"""`cicada eval answerability`: how well the score of the evidence tells whether a turn can be answered."""

from __future__ import annotations

import click

from cli.arguments import PATH, Options, command, json_option
from cli.evaluate.measuring import measuring, show_progress
from cli.text import clean


@command(
    "answerability",
    short_help="how well it is told what can be answered",
    help="Search for labelled last turns with the production code, and measure how well the score of the"
    " evidence separates answerable from unanswerable ones (AUROC).",
)
@click.argument("folder", metavar="DIR", type=PATH, help="tasks.jsonl, corpus.jsonl")
@json_option
def answerability(options: Options) -> int:
    """0 if the set could be measured, whatever the scores."""
    with measuring():
        # Imported late: the library is slow to import.
        from evals.answerability import report
        from evals.answerability import run as evaluation

        scored = evaluation.run(options.folder, show_progress)
    print(report.to_json(scored) if options.json else clean(report.render(scored)))
    return 0
