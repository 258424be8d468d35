"""`cicada sessions`: the user's conversations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from cli.arguments import Group, Options, command, json_option, together
from cli.errors import CommandError
from cli.screen import ask_first, open_screen
from cli.text import clean_line, to_json
from cli.user.client import open_client, page_address, require_session, system_options, user_option

if TYPE_CHECKING:
    from cicada_client.client import Client
    from cicada_client.history import Erased, HistoryPage
    from cicada_client.shared import SharedPage

NOT_FOUND = "No question and no title of yours has these words."
# What stands before the id in a link to the chat page.
SHARED = "#shared="
_LONGEST_ID = 128
_session = together(click.argument("session", metavar="SESSION", help="its id"), system_options, user_option)


def _with_client(options: Options, do: Callable[[Client], object]) -> int:
    with open_client(options, open_screen().observe) as client:
        require_session(client, getattr(options, "session", None))
        do(client)
    return 0


@command(
    "list",
    short_help="list your conversations",
    help="Your conversations; the newest, and then the pinned ones, stand last.",
)
@click.option(
    "--search",
    metavar="WORDS",
    help="those with all of these words in one question or in the title, and these questions",
)
@click.option("--before", metavar="PLACE", help="those after this place, which the page before gives as `before`")
@click.option("--limit", metavar="N", type=click.IntRange(1, 50), default=20, help="so many (default: 20)")
@json_option
@system_options
@user_option
def list_(options: Options) -> int:
    """0."""
    from cli.user.rendering import render_history  # imported late, as everything that only one command needs

    def show(client: Client) -> None:
        page = searched(client, options.search, options.before, options.limit)
        if options.json:
            print(to_json({"sessions": [asdict(each) for each in page.sessions], "before": page.before}))
        else:
            render_history(page, open_screen(), *([NOT_FOUND] if options.search else []))

    return _with_client(options, show)


def searched(client: Client, words: str | None, before: str | None = None, limit: int = 20) -> HistoryPage:
    """Conversations; of a search, so many questions, however many pages of the history these take."""
    page = client.history(before=before, limit=limit, search=words)
    found = {each.session_id: each for each in page.sessions}
    while words and page.before and (left := limit - sum(max(1, len(each.asked)) for each in found.values())) > 0:
        page = client.history(before=page.before, limit=left, search=words)
        for each in page.sessions:
            earlier = found.get(each.session_id, each)
            found[each.session_id] = each if earlier is each else replace(each, asked=(*earlier.asked, *each.asked))
    return replace(page, sessions=tuple(found.values()))


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
    if not options.yes:
        ask_first(f"Delete the conversation {clean_line(options.session)} for good?")
    return _with_client(options, lambda client: client.delete_session(options.session))


@command(
    "share",
    short_help="let others of your tenant read a conversation",
    help="Print a link by which everybody of your tenant reads a conversation, with what comes later, until it is"
    " unshared. Your questions are shown as they are; answers and sources only as far as the reader may read their"
    " documents.",
)
@_session
@json_option
def share(options: Options) -> int:
    """0; the link is the same as long as the conversation is shared."""
    page = page_address(options)

    def show(client: Client) -> None:
        share_id = client.share_session(options.session)
        link = link_to(share_id, page)
        print(to_json({"share_id": share_id, "link": link}) if options.json else link or share_id)

    return _with_client(options, show)


@command("unshare", short_help="stop sharing a conversation", help="Stop sharing a conversation, at once.")
@_session
def unshare(options: Options) -> int:
    """0, also if it was not shared."""
    return _with_client(options, lambda client: client.unshare_session(options.session))


@command(
    "read",
    short_help="read a conversation that somebody shares",
    help="Show a conversation of somebody of your tenant who has given you its link, with the sources of its answers."
    " What you may not read of it is withheld.",
    epilog="example: cicada sessions read https://chat.example.com/#shared=2kXr0jP9mQe7dLwB1uZs4A",
)
@click.argument("link", metavar="LINK_OR_ID", help="the link, or the id at its end")
@json_option
@system_options
@user_option
def read(options: Options) -> int:
    """0; 1 if nothing is shared by the link, or not with you."""
    from cli.user.rendering import render_shared

    share_id = share_id_in(options.link)

    def show(client: Client) -> None:
        page = _whole(client, share_id)
        if options.json:
            print(to_json(asdict(page)))
        else:
            render_shared(page, open_screen())

    return _with_client(options, show)


def link_to(share_id: str, page: str | None) -> str | None:
    """The link to a shared conversation on the chat page of this address; None without one."""
    return f"{page.rstrip('/')}/{SHARED}{share_id}" if page else None


def share_id_in(link: str) -> str:
    """What stands behind the mark of a link; an id is its own. Raises `CommandError` for what can be neither."""
    share_id = link.strip().rpartition(SHARED)[2]
    if not 0 < len(share_id) <= _LONGEST_ID or "/" in share_id:
        raise CommandError(f"{link!r} is no link to a shared conversation: such a link ends in {SHARED} and an id.", 2)
    return share_id


def _whole(client: Client, share_id: str) -> SharedPage:
    """The shared conversation with all of its turns, newest first."""
    page = client.open_shared(share_id, limit=50)
    while page.before:
        more = client.open_shared(share_id, page.before, 50)
        page = replace(more, turns=(*page.turns, *more.turns))
    return page


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
    if not options.yes:
        ask_first("Delete all of your conversations, profiles and theories for good?")

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


sessions = Group(
    "sessions",
    short_help="list, name, pin, share and delete your conversations",
    help="Your conversations.",
    epilog="example: cicada sessions list --search lease",
    commands=(list_, rename, pin, share, unshare, read, delete, delete_all),
)
