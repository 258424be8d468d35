"""`cicada eval answers`: how well a running stage answers whole conversations."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import reduce
from typing import TYPE_CHECKING

import click

from cicada_client.answer import Answer
from cicada_client.errors import RefusedError
from cli.arguments import PATH, Options, command, json_option
from cli.errors import CommandError, library_errors
from cli.evaluate.measuring import show_progress
from cli.settings import CHECKOUT, read_settings
from cli.text import clean
from cli.user.client import open_client, system_options

if TYPE_CHECKING:
    from cicada_client.client import Client
    from cicada_client.notices import Notice
    from evals.answers_files import Conversation

_INTERRUPTED = 130
# The sample documents, as the local stage ingests them.
_SAMPLES = (CHECKOUT / "samples", CHECKOUT / "samples" / "store")
# A turn without any event for so long has failed; a person would have gone.
_PATIENCE_SECONDS = 120
# How often a message is sent again that came too soon after the ones before.
_TOO_SOON_LIMIT = 20


@command(
    "answers",
    short_help="how well a running stage answers",
    help="Ask a running stage the conversations of a file, each in a session of its own, and judge what comes of each"
    " turn: the text, the documents, the list, a question back, what agents keep. One JSON object a line, as"
    " docs/command-line.md describes it. Ctrl-C ends the run with a report of what was judged before.",
    epilog="example: cicada eval answers samples/answers.jsonl --only store",
)
@click.argument("file", metavar="FILE.jsonl", type=PATH, help="the conversations")
@system_options
@click.option("--user", metavar="USER", help="ask all conversations as this user, and not as the one that each names")
@click.option(
    "--only", metavar="NAME", multiple=True, help="ask only the conversations of this id or group; repeatable"
)
@click.option(
    "--documents",
    metavar="DIR",
    type=PATH,
    multiple=True,
    help="the documents as they were ingested, in which evidence is looked up; repeatable (default: the samples)",
)
@json_option
def answers(options: Options) -> int:
    """0 if the conversations were asked, whatever came; 130 after Ctrl-C, with the report so far."""
    with library_errors(), ExitStack() as stack:
        # Imported late: the library is slow to import.
        from evals import answers as evaluation
        from evals.answers_files import Documents, load_conversations

        conversations = _chosen(load_conversations(options.file), options.only)
        documents = Documents(options.documents or _SAMPLES)
        stage = RunningStage(options, [each.user for each in conversations], stack)
        report = evaluation.run(conversations, stage, documents, lambda: str(uuid.uuid4()), show_progress)
    print(evaluation.to_json(report) if options.json else clean(evaluation.render(report)))
    return _INTERRUPTED if report.interrupted else 0


class RunningStage:
    """Asks as the users of the conversations, or as the one whom `--user` or an access token names.

    Each user has one connection until `stack` is closed. Raises `CommandError` for a user who cannot sign in.
    """

    def __init__(self, options: Options, users: Iterable[str | None], stack: ExitStack) -> None:
        self._one = options.user
        self._has_token = bool(options.token or (read_settings().token and not options.user))
        self._clients = {
            user: stack.enter_context(_client(options, user)) for user in dict.fromkeys(map(self._asking, users))
        }

    def ask(self, user: str | None, message: str, session_id: str, knowledge_base: str) -> Answer:
        """Wait, as the stage says, after messages that came too soon. Raises `CicadaClientError`, `CommandError`."""
        client, request_id = self._clients[self._asking(user)], str(uuid.uuid4())
        for _ in range(_TOO_SOON_LIMIT):
            try:
                return _asked(client, message, session_id, knowledge_base, request_id)
            except RefusedError as refused:
                if refused.code != "rate_limited" or refused.retry_after_seconds is None:
                    raise
                time.sleep(refused.retry_after_seconds)
        return _asked(client, message, session_id, knowledge_base, request_id)

    def _asking(self, user: str | None) -> str | None:
        return None if self._has_token else self._one or user


def _chosen(conversations: Sequence[Conversation], only: Sequence[str]) -> list[Conversation]:
    """Raises `CommandError` for a name that is neither an id nor a group."""
    known = {name for each in conversations for name in (each.id, each.group)}
    if unknown := [name for name in only if name not in known]:
        raise CommandError(f"The file has no conversation and no group {unknown[0]}.", 2)
    return [each for each in conversations if not only or {each.id, each.group} & set(only)]


def _client(options: Options, user: str | None) -> Client:
    from cicada_client.timing import Timing

    asked = Options(stack=options.stack, url=options.url, token=options.token, user=user)
    return open_client(asked, _unseen, Timing(patience_seconds=_PATIENCE_SECONDS))


def _unseen(_notice: Notice) -> None:
    """Nobody watches: a connection that is lost and restored changes no answer."""


def _asked(client: Client, message: str, session_id: str, knowledge_base: str, request_id: str) -> Answer:
    events = client.ask(message, session_id, knowledge_base, None, request_id)
    return reduce(Answer.then, events, Answer())
