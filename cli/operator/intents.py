"""`cicada intents`: the examples that the intents of messages are learnt from."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cli.errors import CommandError

if TYPE_CHECKING:
    from cli.arguments import Subparsers

# As `cicada.planning.model.Intent` has them; the library is slow to import.
_INTENTS = ("script_query", "profile_request", "theory_request", "general")
# As `cicada.answering.asked_writes.KINDS`.
_CHANGES = ("text", "name", "delete", "restore")


def register(subparsers: Subparsers) -> None:
    """Add the subcommand, with its own."""
    parser = subparsers.add_parser(
        "intents",
        help="teach which messages are questions, requests or conversation",
        description="The examples that the intents of messages are learnt from: intents/examples.jsonl.",
        epilog="example: cicada intents add 'Who murders Duncan?' script_query",
    )
    parts = parser.add_subparsers(title="parts", metavar="PART", required=True)
    adding = parts.add_parser(
        "add",
        help="add a message with its intent, and train the models again",
        description="Add a message with its intent to the examples, and train the models again; it takes some seconds."
        " A stage has the new models when it is started or deployed again.",
    )
    adding.add_argument("text", help="the message")
    adding.add_argument("intent", choices=_INTENTS, help="what the user wants: %(choices)s")
    adding.add_argument("--author", default="local", help="who wrote it, one name a person (default: %(default)s)")
    adding.add_argument("--language", default="en", help="its ISO 639-1 code (default: %(default)s)")
    adding.add_argument(
        "--changes",
        nargs="+",
        choices=_CHANGES,
        default=[],
        metavar="KIND",
        help="what it asks to be changed of profiles or theories: text, name, delete, restore (default: nothing)",
    )
    adding.set_defaults(run=add)


def add(options: argparse.Namespace) -> int:
    """0 if the example is added and the model is trained."""
    from cicada.errors import CicadaError  # imported late: the library is slow to import
    from cicada.planning.model import Intent
    from intents.examples import Example, add_example
    from intents.model_file import write_models

    try:
        if not options.text.strip():
            raise CommandError("The message is empty; give its text.", 2)
        add_example(
            Example(
                text=options.text,
                intent=Intent(options.intent),
                author=options.author,
                language=options.language,
                changes=tuple(options.changes),
            )
        )
        write_models()
    except CicadaError as error:
        raise CommandError(str(error)) from error
    print("Added, and trained. Run `make intents CALIBRATE=1` when many examples have been added.")
    return 0
