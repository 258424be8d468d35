"""`cicada sessions`: the user's conversations."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from cli.arguments import Group, Options, command, json_option, together
from cli.errors import CommandError
from cli.screen import open_screen
from cli.settings import read_settings
from cli.text import clean_line, to_json
from cli.user.client import open_client, require_session, system_options, user_option

if TYPE_CHECKING:
    from cicada_client.client import Client
    from cicada_client.history import Erased

_session = together(click.argument("session", metavar="SESSION", help="its id"), system_options, user_option)


def _with_client(options: Options, do: Callable[[Client], object]) -> int:
    settings = read_settings()
    with open_client(options, settings, open_screen(settings).observe) as client:
        require_session(client, getattr(options, "session", None))
        do(client)
    return 0


@command(
    "list",
    short_help="list your conversations",
    help="Your conversations; the newest, and then the pinned ones, stand last.",
)
@click.option("--search", metavar="WORDS", help="those whose titles have all of these words")
@click.option("--before", metavar="PLACE", help="those after this place, which the page before gives as `before`")
@click.option("--limit", metavar="N", type=click.IntRange(1, 50), default=20, help="so many (default: 20)")
@json_option
@system_options
@user_option
def list_(options: Options) -> int:
    """0."""
    from cli.user.rendering import render_history  # imported late, as everything that only one command needs

    def show(client: Client) -> None:
        page = client.history(before=options.before, limit=options.limit, search=options.search)
        if options.json:
            print(to_json({"sessions": [asdict(each) for each in page.sessions], "before": page.before}))
        else:
            render_history(page, open_screen(read_settings()))

    return _with_client(options, show)


@command("rename", short_help="give a conversation a title", help="Call a conversation TITLE.")
@_session
@click.argument("title", metavar="TITLE", help="at most 80 characters")
def rename(options: Options) -> int:
    """0."""
    return _with_client(options, lambda client: client.change_session(options.session, options.title))


@command("pin", short_help="put a conversation first", help="Put a conversation before all others.")
@_session
@click.option("--off", is_flag=True, help="take the pin away")
def pin(options: Options) -> int:
    """0."""
    return _with_client(options, lambda client: client.change_session(options.session, pinned=not options.off))


@command(
    "delete",
    short_help="delete a conversation for good",
    help="Delete a conversation with its questions and answers. It cannot be restored.",
)
@_session
@click.option("--yes", is_flag=True, help="do not ask before deleting, as scripts must")
def delete(options: Options) -> int:
    """0 if it is gone; refused while an answer of it is under way."""
    _confirm(options, f"Delete the conversation {clean_line(options.session)} for good?")
    return _with_client(options, lambda client: client.delete_session(options.session))


@command(
    "delete-all",
    short_help="delete all that is kept of you",
    help="Delete all of your conversations, profiles and theories. They cannot be restored. Save your conversations"
    " before by: cicada export --all. Your account stays, and so does the audit trail.",
)
@click.option("--yes", is_flag=True, help="do not ask before deleting, as scripts must")
@json_option
@system_options
@user_option
def delete_all(options: Options) -> int:
    """0 if nothing is left; refused while an answer is under way."""
    _confirm(options, "Delete all of your conversations, profiles and theories for good?")

    def delete(client: Client) -> None:
        erased = client.erase_mine()
        while erased.left:
            erased += client.erase_mine()
        print(to_json(asdict(erased)) if options.json else _sentence(erased))

    return _with_client(options, delete)


def _sentence(erased: Erased) -> str:
    return (
        f"Deleted: {erased.conversations} conversations with {erased.questions} questions, and {erased.entries}"
        " profiles and theories with their earlier states."
    )


def _confirm(options: Options, question: str) -> None:
    if options.yes:
        return
    if not sys.stdin.isatty():
        raise CommandError("Nothing was done: give --yes to delete without being asked; there is no terminal here.", 2)
    print(f"{question} [y/N] ", end="", flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CommandError("Nothing was done.")


sessions = Group(
    "sessions",
    short_help="list, name, pin and delete your conversations",
    help="Your conversations.",
    epilog="example: cicada sessions list --search lease",
    commands=(list_, rename, pin, delete, delete_all),
)
