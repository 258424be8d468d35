"""`cicada eval router`: how well messages are classified."""

from __future__ import annotations

import click

from cli.arguments import PATH, Options, command, json_option
from cli.errors import library_errors
from cli.text import clean


@command(
    "router",
    short_help="how well messages are routed",
    help="Route the messages of a file and compare with their labels: one JSON object a line with text,"
    " label, and optionally slice.",
)
@click.argument("file", metavar="FILE.jsonl", type=PATH, help="the labelled messages")
@json_option
def router(options: Options) -> int:
    """0 if the file could be judged, whatever the score."""
    with library_errors():
        from evals import router  # imported late: the library is slow to import

        report = router.run(options.file)
    print(router.to_json(report) if options.json else clean(router.render(report)))
    return 0
