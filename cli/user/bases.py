"""`cicada bases list`: the knowledge bases that a user may ask."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from cli.arguments import Options, command, json_option
from cli.screen import open_screen
from cli.text import clean_line, counted, to_json
from cli.user.client import open_client, system_options, user_option

if TYPE_CHECKING:
    from cicada_client.bases import KnowledgeBase


@command(
    "list",
    short_help="list the knowledge bases that you may ask",
    help="The knowledge bases of a stage that you may ask, with how many documents of each you may read, and questions"
    " to begin with.",
    epilog="example: cicada bases list --user alice",
)
@json_option
@system_options
@user_option
def list_(options: Options) -> int:
    """0."""
    with open_client(options, open_screen().observe) as client:
        found = client.knowledge_bases()
    if options.json:
        print(to_json({"bases": [asdict(each) for each in found]}))
    else:
        print("\n".join(line for each in found for line in base_lines(each)))
    return 0


def base_lines(base: KnowledgeBase) -> list[str]:
    """The base for people."""
    documents = counted(base.documents, "document")
    head = clean_line(f"{base.name}: {documents}{f'. {base.description}' if base.description else ''}")
    return [head, *(f"  {clean_line(each)}" for each in base.questions)]
