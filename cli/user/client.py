"""The client for the system and the user that the options name."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from cli.arguments import Options, stack_option, together
from cli.errors import CommandError
from cli.settings import read_settings

if TYPE_CHECKING:
    from cicada_client.client import Client
    from cicada_client.notices import Notice
    from cicada_client.timing import Timing


def filter_option(text: str) -> dict[str, Any]:
    """The value of an option `--filter`, as the protocol writes it. Raises `BadParameter`."""
    from cicada.errors import InvalidFilterError  # imported late: only questions with filters need the library
    from cicada.knowledge_bases.filter_language import Operator, split_filter

    try:
        written = split_filter(text)
    except InvalidFilterError as error:
        raise click.BadParameter(str(error)) from None
    is_list = written.op in (Operator.ANY, Operator.NONE)
    values = {"values": list(written.values)} if is_list else {"value": written.values[0]}
    return {"field": written.field, "op": written.op.value, **values}


# A word of a list of documents; in double quotes it may have blanks.
_WORD = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
_FILTER = re.compile(r"[^=<>!]+(?:[=<>]|!=)")


def words_and_filters(text: str) -> tuple[str, list[dict[str, Any]]]:
    """What to search for, and the words that are filters, as `status=approved` is. Raises `BadParameter`."""
    said = _WORD.findall(text)
    filters = [each for each in said if _FILTER.match(each)]
    return " ".join(each for each in said if each not in filters), [filter_option(each) for each in filters]


# The base that the server asks by default, `default_knowledge_base` of its settings.
DEFAULT_KNOWLEDGE_BASE = "scripts"

# The system that is asked.
system_options = together(
    stack_option,
    click.option("--url", metavar="URL", help="WebSocket address instead of a stack (default: CICADA_URL)"),
    click.option(
        "--token", metavar="TOKEN", help="access token (default: CICADA_TOKEN, which other processes cannot see)"
    ),
)

user_option = click.option(
    "--user",
    metavar="USER",
    help="who asks; signs in as `cicada token` does (default: CICADA_USER, or who signed in last, and on the local"
    " stage the first sample user)",
)

# The system, the user, what to ask about, and whether to show how an answer came about.
question_options = together(
    system_options,
    user_option,
    click.option(
        "--session", metavar="SESSION", help="continue this conversation, with the knowledge base that it began with"
    ),
    click.option(
        "--knowledge-base",
        metavar="NAME",
        help="ask this knowledge base; one that does not exist, or is not for you, is refused",
    ),
    click.option(
        "--episode",
        metavar="ID",
        multiple=True,
        help="ask about this episode only; repeatable; one that does not exist is refused",
    ),
    click.option(
        "--filter",
        metavar="FILTER",
        multiple=True,
        type=filter_option,
        help="ask about documents of such metadata only, such as 'status=approved,draft', 'status!=retired',"
        " 'effective>=2026-01-01', 'owner?' (it has one) or '!owner'; repeatable, all must hold",
    ),
    click.option(
        "--explain",
        is_flag=True,
        help="after the answer, show in one line its strategy, its filters, how many documents meet them, and its path",
    ),
)


def open_client(options: Options, observe: Callable[[Notice], None], timing: Timing | None = None) -> Client:
    """A client for the system that the options name. Raises `CommandError` if they do not name one."""
    from cicada_client.client import Client  # imported late: a WebSocket is slow to import

    if options.url and options.stack:
        raise CommandError("Give --url or --stack: a stack says its address itself.", 2)
    settings = read_settings()
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
        return Client(address, provider, observe=observe, timing=timing)
    except ValueError as error:
        raise CommandError(str(error), 2) from error


def _of_target(options: Options, url: str | None, token: str | None) -> tuple[str, Callable[[], str]]:
    """The address, and what gives a fresh access token at each connect."""
    # Imported late: boto3 is slow to import.
    from cli.deployment_target import open_target
    from cli.user.sign_in import sign_in

    target = open_target(options.stack)
    address = url or target.output("WebSocketUrl")
    return address, partial(str, token) if token else sign_in(target, options.user)


def page_address(options: Options) -> str | None:
    """The address of the chat page of the system that the options name; None where nothing says it."""
    if options.url or (read_settings().url and not options.stack):
        return None
    # Imported late: boto3 is slow to import.
    from cli.deployment_target import open_target

    target = open_target(options.stack)
    local = target.stage.everything.get("pageUrl") if target.stage else None
    return target.outputs.get("PageUrl") or local


def require_session(client: Client, session_id: str | None) -> None:
    """Raises `CommandError` for a conversation that the user does not have: a typing error would begin a new one."""
    if not session_id or client.history(session_id, limit=1).turns:
        return
    from cicada.text import did_you_mean  # imported late: only a refusal needs it

    meant = did_you_mean(session_id, [each.session_id for each in client.history().sessions])
    raise CommandError(
        f"You have no conversation {session_id}, or it has expired{meant} `cicada sessions list` shows yours;"
        " without --session a new one begins.",
        2,
    )


def scope(options: Options) -> dict[str, Any] | None:
    """What the question is restricted to, as the protocol names it."""
    given = {"episodes": options.episode, "filters": options.filter}
    return {name: values for name, values in given.items() if values} or None
