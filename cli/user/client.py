"""The client for the system and the user that the options name."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

from cicada_client.client import Client
from cicada_client.notices import Notice
from cli.arguments import add_stack_option
from cli.errors import CommandError
from cli.settings import Settings


def add_target_options(parser: argparse.ArgumentParser) -> None:
    """The options that name the system, the user and what to ask about."""
    add_stack_option(parser)
    parser.add_argument("--url", help="WebSocket address instead of a stack (default: CICADA_URL)")
    parser.add_argument("--token", help="access token (default: CICADA_TOKEN, which other processes cannot see)")
    parser.add_argument(
        "--user",
        help="who asks; signs in as `cicada token` does (default: CICADA_USER, or who signed in last, and on the local"
        " stage the first sample user)",
    )
    parser.add_argument(
        "--session",
        metavar="SESSION",
        help="continue this conversation, with the knowledge base that it began with",
    )
    parser.add_argument(
        "--knowledge-base",
        metavar="NAME",
        help="ask this knowledge base; one that does not exist, or is not for you, is refused",
    )
    parser.add_argument(
        "--episode",
        action="append",
        metavar="ID",
        help="ask about this episode only; repeatable; one that does not exist is refused",
    )
    parser.add_argument(
        "--filter",
        action="append",
        type=filter_option,
        metavar="FILTER",
        help="ask about documents of such metadata only, such as 'status=approved,draft', 'status!=retired',"
        " 'effective>=2026-01-01', 'owner?' (it has one) or '!owner'; repeatable, all must hold",
    )


def filter_option(text: str) -> dict[str, Any]:
    """The value of an option `--filter`, as the protocol writes it. Raises `ArgumentTypeError`."""
    from cicada.errors import InvalidFilterError  # imported late: only questions with filters need the library
    from cicada.knowledge_bases.filter_language import Operator, split_filter

    try:
        written = split_filter(text)
    except InvalidFilterError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    is_list = written.op in (Operator.ANY, Operator.NONE)
    values = {"values": list(written.values)} if is_list else {"value": written.values[0]}
    return {"field": written.field, "op": written.op.value, **values}


def add_explain_option(parser: argparse.ArgumentParser) -> None:
    """The option to show how an answer came about."""
    parser.add_argument(
        "--explain",
        action="store_true",
        help="after the answer, show in one line its strategy, its filters, how many documents meet them, and its path",
    )


def open_client(options: argparse.Namespace, settings: Settings, observe: Callable[[Notice], None]) -> Client:
    """A client for the system that the options name. Raises `CommandError` if they do not name one."""
    if options.url and options.stack:
        raise CommandError("Give --url or --stack: a stack says its address itself.", 2)
    url = options.url or (None if options.stack else settings.url)
    token = options.token or (None if options.user else settings.token)
    if url and not token and not options.user:
        raise CommandError(
            "There is no access token for that address: set CICADA_TOKEN, give --token, or name a --user of the"
            " local stage or of CICADA_STACK.",
            2,
        )
    address, provider = (url, partial(str, token)) if url and token else _of_target(options, url, token)
    try:
        return Client(address, provider, observe=observe)
    except ValueError as error:
        raise CommandError(str(error), 2) from error


def _of_target(options: argparse.Namespace, url: str | None, token: str | None) -> tuple[str, Callable[[], str]]:
    """The address, and what gives a fresh access token at each connect."""
    # Imported late: boto3 is slow to import.
    from cli.deployment_target import open_target
    from cli.user.sign_in import sign_in

    target = open_target(options.stack)
    address = url or target.output("WebSocketUrl")
    return address, partial(str, token) if token else sign_in(target, options.user)


def require_session(client: Client, session_id: str | None) -> None:
    """Raises `CommandError` for a conversation that the user does not have: a typing error would begin a new one."""
    if not session_id or client.history(session_id, limit=1).turns:
        return
    from cicada.text import did_you_mean  # imported late: only a refusal needs it

    meant = did_you_mean(session_id, [each.session_id for each in client.history().sessions])
    raise CommandError(
        f"You have no conversation {session_id}, or it has expired{meant} `/history` in `cicada chat` lists yours;"
        " without --session a new one begins.",
        2,
    )


def scope(options: argparse.Namespace) -> dict[str, Any] | None:
    """What the question is restricted to, as the protocol names it."""
    given = {"episodes": options.episode, "filters": options.filter}
    return {name: values for name, values in given.items() if values} or None
