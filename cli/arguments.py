"""What the declarations of all subcommands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

import click

# The values of a subcommand's arguments and options, by name.
Options: TypeAlias = SimpleNamespace
Run: TypeAlias = Callable[[Options], int]
# A file or folder, which a shell completes. Whether it can be read is found out by whoever reads it.
PATH = click.Path(readable=False, path_type=Path)

stack_option = click.option(
    "--stack", metavar="NAME", help="a stack on AWS, as Cicada-prod (default: CICADA_STACK, else the local stage)"
)
json_option = click.option("--json", is_flag=True, help="print one JSON object")


class Command(click.Command):
    """A subcommand whose function takes `Options` and returns the exit code."""

    def invoke(self, ctx: click.Context) -> int:
        run: Any = self.callback
        code: int = run(Options(**ctx.params))
        return code


class Group(click.Group):
    """Subcommands in the order of their declaration. `aliases`: other names that call them and are not listed."""

    command_class = Command

    def __init__(self, name: str, aliases: Mapping[str, str] | None = None, **attributes: Any) -> None:
        self._aliases = aliases or {}
        super().__init__(name, no_args_is_help=False, subcommand_metavar="COMMAND ...", **attributes)

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(self.commands)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return super().get_command(ctx, self._aliases.get(name, name))


def together(*declared: Callable[[Run], Run]) -> Callable[[Run], Run]:
    """Several options as one decorator."""
    return lambda run: reduce(lambda done, declare: declare(done), reversed(declared), run)


def command(name: str, **attributes: Any) -> Callable[[Run], Command]:
    """Declare a subcommand by the function that runs it."""
    return click.command(name, Command, **attributes)
