"""`cicada eval grounding`: how well it is told which sentences their passages support."""

from __future__ import annotations

import click

from cli.arguments import PATH, Options, command, json_option
from cli.errors import library_errors
from cli.text import clean


@command(
    "grounding",
    short_help="how well unsupported sentences are told",
    help="Hold the texts of a file against their sources, as answers are held against their passages, and measure how"
    " well the scores separate what people judged (AUROC): one JSON object a line with source, text, supported and"
    " set. Changed sentences of the sample documents are measured with them.",
)
@click.argument("file", metavar="FILE.jsonl", type=PATH, help="the judged texts")
@json_option
def grounding(options: Options) -> int:
    """0 if the file could be judged, whatever the scores."""
    with library_errors():
        from evals import grounding  # imported late: the library is slow to import

        report = grounding.run(options.file)
    print(grounding.to_json(report) if options.json else clean(grounding.render(report)))
    return 0
