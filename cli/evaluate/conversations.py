"""`cicada eval conversations`: how well follow-ups are understood."""

from __future__ import annotations

import click

from cli.arguments import PATH, Options, command, json_option
from cli.evaluate.measuring import measuring, show_progress
from cli.text import clean


@command(
    "conversations",
    short_help="how well follow-ups are understood",
    help="Search a retrieval set in BEIR layout with the production code for the last turns of"
    " conversations: as they are, as the rules for follow-ups make them stand alone, and as queries.jsonl rewrites"
    " them. Prints nDCG@10 and MRR@10 of each, and the share of the gain of the rewrites that the rules reach.",
)
@click.argument("folder", metavar="DIR", type=PATH, help="corpus.jsonl, conversations.jsonl, queries.jsonl, qrels.tsv")
@json_option
def conversations(options: Options) -> int:
    """0 if the set could be measured, whatever the scores."""
    with measuring():
        from evals.retrieval import conversations  # imported late: the library is slow to import

        report = conversations.run(options.folder, show_progress)
    print(conversations.to_json(report) if options.json else clean(conversations.render(report)))
    return 0
