"""`cicada eval planner`: how well the rules plan."""

from __future__ import annotations

import click

from cli.arguments import PATH, Options, command, json_option
from cli.evaluate.measuring import refusals
from cli.text import clean


@command(
    "planner",
    short_help="how well questions about documents are planned",
    help="Plan the queries of a file by rules and compare strategy and filters with their labels: one JSON"
    " object a line with query, strategy and filters, and perhaps aggregates, group, sort, limit and fields.",
)
@click.argument("file", metavar="FILE.jsonl", type=PATH, help="the labelled queries")
@click.option("--schema", metavar="SCHEMA.json", type=PATH, required=True, help="the fields of the documents")
@click.option("--conversations", is_flag=True, help="each line has turns; those from the second on are judged")
@json_option
def planner(options: Options) -> int:
    """0 if the file could be judged, whatever the score."""
    with refusals():
        from evals import planner  # imported late: the library is slow to import

        report = planner.run(options.file, options.schema, conversations=options.conversations)
    print(planner.to_json(report) if options.json else clean(planner.render(report)))
    return 0
