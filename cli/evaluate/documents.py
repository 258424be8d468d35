"""`cicada eval documents`: how well the documents are found in which a question is searched."""

from __future__ import annotations

import click

from cli.arguments import PATH, Options, command, json_option
from cli.evaluate.measuring import measuring, show_progress
from cli.text import clean


@command(
    "documents",
    short_help="how well questions are routed to documents",
    help="Route the questions of a set to documents with the production code, by the documents' cards and,"
    " if the set has them, by their passages: Recall@5, @15, @50, MRR and time per query, for each signal alone and"
    " for all together.",
)
@click.argument(
    "folder", metavar="DIR", type=PATH, help="cards.jsonl, queries.jsonl, qrels.tsv, optionally passages.jsonl"
)
@click.option("--ablation", is_flag=True, help="measure the router without each signal as well")
@json_option
def documents(options: Options) -> int:
    """0 if the set could be measured, whatever the scores."""
    with measuring():
        # Imported late: the library is slow to import.
        from evals.documents import report
        from evals.documents import run as evaluation

        measured = evaluation.run(evaluation.Order(options.folder, options.ablation), show_progress)
    print(report.to_json(measured) if options.json else clean(report.render(measured)))
    return 0
