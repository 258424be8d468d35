"""`cicada audit`: who connected from where, and who was shown which documents."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from cli.arguments import Options, command, json_option, stack_option
from cli.errors import CommandError
from cli.screen import open_screen
from cli.text import counted, to_json

if TYPE_CHECKING:
    from cicada.observability.audit import AuditRecord, DocumentsShown
    from cli.deployment_target import DeploymentTarget
    from cli.operator.audit_log import Found, Sought

_HEAD = ("TIME", "TENANT", "USER", "EVENT", "REQUEST OR CONNECTION", "DOCUMENTS OR ADDRESS")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_VERSION_LENGTH = 12
_MOST = 10_000
_SHARING = {"share": "conversation shared", "unshare": "conversation not shared", "open": "shared conversation opened"}


@command(
    "audit",
    short_help="show who connected, and who was shown which documents",
    help="The audit trail of the local stage, or with --stack of a stage on AWS: connections with their"
    " users and addresses, and answers with the documents that they showed. It holds no text.",
    epilog="example: cicada audit --document hr/salaries.md --since 30d --stack Cicada-prod",
)
@click.option("--user", metavar="NAME", default="", help="of this user: the sign-in name or the id (sub)")
@click.option("--document", metavar="ID", default="", help="answers that showed this document")
@click.option("--knowledge-base", metavar="NAME", default="", help="answers from this knowledge base")
@click.option("--tenant", metavar="NAME", default="", help="of this tenant's users")
@click.option(
    "--since",
    metavar="TIME",
    default="7d",
    help="from then on: 30m, 24h, 7d (default), 2026-11-22 or 2026-11-22T10:00+01:00 (UTC without an offset)",
)
@click.option("--until", metavar="TIME", default="0m", help="until before then (default: now)")
@click.option("--limit", metavar="N", type=int, default=500, help="the latest N records (default: 500)")
@json_option
@stack_option
def audit(options: Options) -> int:
    """0, also if nothing is found; 1 if records were found that cannot be read, or --user is nobody."""
    sought = _sought(options, datetime.now(UTC))
    if not 1 <= options.limit <= _MOST:
        raise CommandError(f"--limit is a number from 1 to {_MOST}.", 2)
    from cli.deployment_target import open_target  # imported late: the library and boto3 are slow to import
    from cli.operator.audit_log import search

    target = open_target(options.stack)
    found = search(target.client("logs"), target.output("AuditLogGroup"), sought, options.limit)
    if sought.user and not found.records and not found.unread:
        _require_account(target, sought.user)
    if options.json:
        print(to_json(_fields(found)))
    else:
        _show(found, sought)
    return 1 if found.unread else 0


def _require_account(target: DeploymentTarget, user: str) -> None:
    """Refuse a name that no account has. It is called without records: a deleted account may have left some."""
    from cicada.text import did_you_mean
    from cli.operator.user_pool import UserPool

    accounts = UserPool.of(target).accounts()
    if not any(user in (each.name, each.sub) for each in accounts):
        meant = did_you_mean(user, [each.name for each in accounts])
        raise CommandError(f"There is no record of {user} in this time, and no account of that name or id{meant}")


def _sought(options: Options, now: datetime) -> Sought:
    from cli.operator.audit_log import Sought

    since, until = moment(options.since, "--since", now), moment(options.until, "--until", now)
    if since >= until:
        raise CommandError(
            f"--since {options.since} is not before --until {options.until}: nothing is between them.", 2
        )
    return Sought(since, until, options.user, options.document, options.tenant, options.knowledge_base)


def moment(text: str, option: str, now: datetime) -> datetime:
    """The time that is `90m`, `24h` or `7d` ago, or an ISO 8601 time. Raises `CommandError` for other texts."""
    try:
        if ago := re.fullmatch(r"(\d+)([mhd])", text, re.ASCII):
            return now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise CommandError(
            f"{option} {text!r} is not a time: use 30m, 24h or 7d for so long ago, or a date and time as 2026-11-22 or"
            " 2026-11-22T10:00+01:00.",
            2,
        ) from None


def _show(found: Found, sought: Sought) -> None:
    if found.records:
        open_screen().table([_HEAD, *map(_row, found.records)])
    span = f"from {_time(sought.since.timestamp())} to {_time(sought.until.timestamp())}"
    print(f"{counted(len(found.records), 'record')} {span}.")
    if found.more:
        print(f"{found.more:,} earlier records match too: raise --limit, or narrow them down with --until.")
    if found.unread:
        print(f"{found.unread:,} events of the log cannot be read: use the version of this command that wrote them.")


def _row(record: AuditRecord) -> tuple[str, ...]:
    from cicada.observability.audit import Administered, ConversationShared, DocumentEdited, Handshake, SessionDeleted

    who = (_time(record.at), record.tenant, record.login or record.user)
    if isinstance(record, Handshake):
        event = f"refused: {record.refused}" if record.refused else "connected"
        return (*who, event, record.connection_id, record.address)
    if isinstance(record, SessionDeleted):
        number = counted(record.requests, "question")
        if record.session_id:
            return (*who, "conversation deleted", record.session_id, number)
        return (*who, "everything deleted", "", f"{record.sessions} conversations, {number}, {record.entries} entries")
    if isinstance(record, ConversationShared):
        return (*who, _SHARING[record.act], record.session_id, f"of {record.owner_login or record.owner}")
    if isinstance(record, DocumentEdited):
        readers = f"readers: {', '.join(record.readers)}" if record.readers else ""
        return (*who, f"{record.act}: {record.document_id}", record.request_id, readers)
    if isinstance(record, Administered):
        event = f"accounts: {' '.join(filter(None, (record.act, record.account)))}"
        groups = f"groups: {', '.join(record.groups)}" if record.groups else ""
        return (*who, f"{event} ({record.refused})" if record.refused else event, record.request_id, groups)
    return (*who, _event(record), f"{record.request_id}#{record.attempt}", _documents(record))


def _event(record: DocumentsShown) -> str:
    return f"{record.outcome} ({record.code})" if record.code else record.outcome


def _documents(record: DocumentsShown) -> str:
    return ", ".join(f"{each.document_id} ({each.version[:_VERSION_LENGTH]})" for each in record.documents)


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _fields(found: Found) -> dict[str, object]:
    from msgspec import to_builtins

    records = [to_builtins(each) for each in found.records]
    return {"records": records, "more": found.more, "unread": found.unread}
