"""`cicada export`: a conversation with its sources, as Markdown or JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from cli.arguments import Options, command
from cli.errors import CommandError
from cli.screen import Screen, open_screen
from cli.text import clean, to_json
from cli.user.client import open_client, require_session, system_options, user_option
from cli.user.rendering import collect

if TYPE_CHECKING:
    from cicada_client.answer import Answer
    from cicada_client.client import Client
    from cicada_client.history import Turn

_MARKUP = re.compile(r"[\\`*_\[\]<>#]")
_LINE_BREAKS = re.compile(r"[\r\n\v\f\x85\u2028\u2029]+")
_PAGE = 50


@command(
    "export",
    short_help="print conversations with their sources",
    help="Print all turns of a conversation with their sources, or with --all of all your conversations, as Markdown,"
    " or with --json for programs. The chat page saves the same. Sources that you may not read any more are withheld.",
    epilog="example: cicada export 7e57d004-2b97-4e7a-b45f-5387367791cd > lease.md",
)
@click.argument(
    "session", metavar="[SESSION]", required=False, help="the conversation's id, as `cicada sessions list` shows it"
)
@click.option("--all", is_flag=True, help="all of your conversations, the pinned ones and then the newest first")
@click.option("--json", is_flag=True, help="print one JSON object")
@system_options
@user_option
def export(options: Options) -> int:
    """0."""
    if (options.session is None) != options.all:
        raise CommandError("Name one conversation, or give --all.", 2)
    screen = open_screen()
    with open_client(options, screen.observe) as client:
        if options.all:
            conversations = [exported(client, each, screen) for each in _session_ids(client)]
        else:
            require_session(client, options.session)
            conversations = [exported(client, options.session, screen)]
    if options.json:
        print(to_json({"conversations": conversations} if options.all else conversations[0]))
    else:
        print("\n".join(clean(markdown_of(each)) for each in conversations), end="")
    return 0


def exported(client: Client, session_id: str, screen: Screen) -> dict[str, Any]:
    """The conversation with all of its turns, oldest first. `clients/web/export.js` makes the same; tests compare."""
    session = client.change_session(session_id)
    turns = [
        _turn(turn, collect(client.follow(turn.request_id), screen)) for turn in reversed(_turns(client, session_id))
    ]
    return {
        "sessionId": session_id,
        "title": session.title if session else session_id,
        "knowledgeBase": session.knowledge_base if session else None,
        "shared": session.shared if session else False,
        "turns": turns,
    }


def markdown_of(conversation: dict[str, Any]) -> str:
    """The same as a text to read. Questions and passages are quoted, so that their lines are no headings or lists.

    Titles are text: whoever wrote a document wrote its title.
    """
    base = conversation["knowledgeBase"]
    blocks = [f"# {_plain(conversation['title'])}", *([f"Knowledge base: {base}"] if base else [])]
    blocks += ["Shared by a link with your tenant."] if conversation["shared"] else []
    blocks += [block for turn in conversation["turns"] for block in _blocks(turn)]
    return "\n\n".join(blocks) + "\n"


def _blocks(turn: dict[str, Any]) -> Iterator[str]:
    yield f"## {turn['createdAt'][:16].replace('T', ' ')}"
    yield _quoted(turn["message"])
    if text := turn["text"].strip():
        yield text
    if turn["status"] != "complete":
        yield f"({turn['status']})"
    if turn["documents"]:
        yield "\n".join(f"- {_plain(each['title'] or each['documentId'])}" for each in turn["documents"])
    for source in turn["sources"]:
        yield f"[{source['n']}] {_plain(source['title'])}\n\n{_quoted(source['excerpt'])}"


def _plain(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", _LINE_BREAKS.sub(" ", text))


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in re.split(r"\r\n|\r|\n", text.strip()))


def _session_ids(client: Client) -> list[str]:
    """All of the user's conversations as they are listed."""
    page = client.history(limit=_PAGE)
    sessions = list(page.sessions)
    while page.before:
        page = client.history(before=page.before, limit=_PAGE)
        sessions += page.sessions
    # One that is asked meanwhile moves up, and is not listed twice.
    return list(dict.fromkeys(each.session_id for each in sessions))


def _turns(client: Client, session_id: str) -> list[Turn]:
    """All turns, newest first."""
    page = client.history(session_id, limit=_PAGE)
    turns = list(page.turns)
    while page.before:
        page = client.history(session_id, page.before, _PAGE)
        turns += page.turns
    return turns


def _turn(turn: Turn, answer: Answer) -> dict[str, Any]:
    documents = answer.listing.documents if answer.listing else ()
    return {
        "requestId": turn.request_id,
        "createdAt": turn.created_at,
        "message": turn.message,
        "status": answer.status,
        "text": answer.text,
        "sources": [
            {"n": each.n, "documentId": each.document_id, "title": each.title, "excerpt": each.excerpt}
            for each in answer.sources
        ],
        "documents": [
            {"documentId": each.document_id, "title": each.title, "fields": dict(each.fields)} for each in documents
        ],
    }
