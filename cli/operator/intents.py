"""`cicada intents`: the examples that the intents of messages are learnt from."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING

import click

from cli.arguments import Command, Group, Options
from cli.errors import CommandError, library_errors
from cli.screen import Screen, open_screen

if TYPE_CHECKING:
    from tools.intents.examples import Example

# The values of `cicada.understanding.plan.Intent`, repeated because the library is slow to import.
_INTENTS = ("script_query", "profile_request", "theory_request", "general")
# The values of `cicada.answering.asked_writes.KINDS`.
_CHANGES = ("text", "name", "delete", "restore")


intents = Group(
    "intents",
    short_help="teach which messages are questions, requests or conversation",
    help="The examples that the intents of messages are learnt from: tools/intents/examples.jsonl.",
    epilog="example: cicada intents add 'Who murders Duncan?' script_query",
)


class _Adding(Command):
    """An option of click has a fixed number of values: `--changes text name` is read as `--changes` with each."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        pairs = pairwise(["", *args])
        spread = [["--changes", each] if {before, each} <= {*_CHANGES} else [each] for before, each in pairs]
        return super().parse_args(ctx, [*chain(*spread)])


@intents.command(
    "add",
    cls=_Adding,
    short_help="learn a message with its intent: try it, and with --save keep it",
    help="Train on the examples and a message with its intent, and show what changes; it takes up to some minutes. With"
    " --save the message is added to tools/intents/examples.jsonl and the packaged models are written; a stage has them"
    " when it is started or deployed again. Without it nothing is written.",
)
@click.option("--save", is_flag=True, help="add the example and write the packaged models")
@click.argument("text", help="the message")
@click.argument("intent", metavar="INTENT", type=click.Choice(_INTENTS), help=f"what is wanted: {', '.join(_INTENTS)}")
@click.option("--author", metavar="NAME", default="local", help="who wrote it, one name a person (default: local)")
@click.option("--language", metavar="CODE", default="en", help="its ISO 639-1 code (default: en)")
@click.option(
    "--changes",
    multiple=True,
    type=click.Choice(_CHANGES),
    metavar="KIND...",
    help="what it asks to be changed of profiles or theories: text, name, delete, restore (default: nothing)",
)
def add(options: Options) -> int:
    """0 if the example is learnt, and with --save kept."""
    from cicada.understanding.plan import Intent  # imported late: the library is slow to import
    from tools.intents.examples import Example

    if not options.text.strip():
        raise CommandError("The message is empty; give its text.", 2)
    example = Example(
        text=options.text,
        intent=Intent(options.intent),
        author=options.author,
        language=options.language,
        changes=tuple(options.changes),
    )
    screen = open_screen()
    with library_errors():
        (_save if options.save else _try)(example, screen)
    return 0


def _save(example: Example, screen: Screen) -> None:
    from tools.intents.examples import add_example
    from tools.intents.model_file import write_models

    add_example(example)
    screen.note("Training the models of intents and of changes; this may take some minutes …")
    write_models()
    print("Added, and trained. Run `make intents CALIBRATE=1` when many examples have been added.")


def _try(example: Example, screen: Screen) -> None:
    """Show what the example would change, and write nothing."""
    from cicada.understanding.intent import model as packaged
    from cicada.understanding.intent.model import IntentModel, load_model
    from tools.intents.examples import check_new, load_examples
    from tools.intents.model_file import intents_with

    check_new(example)

    def understood(model: IntentModel, text: str) -> tuple[float, str]:
        return max((share, intent.value) for intent, share in model.probabilities(text).items())

    examples = load_examples()
    screen.note(f"Training on {len(examples) + 1:,} examples; this may take some minutes …")
    before, after = load_model(packaged.PACKAGED), intents_with(example)
    screen.note("Comparing what the examples are understood as …")
    others = sum(understood(before, each.text)[1] != understood(after, each.text)[1] for each in examples)
    (was, old), (now, new) = understood(before, example.text), understood(after, example.text)
    print(f"The message is understood as {old} ({was:.2f}) now, with the example as {new} ({now:.2f}).")
    print(f"{others:,} of the {len(examples):,} examples are understood otherwise.")
    print("Nothing is changed: --save adds the example to tools/intents/examples.jsonl and writes the packaged models.")
