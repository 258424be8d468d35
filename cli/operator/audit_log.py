"""Reads the audit trail of a deployment from its log group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from cicada.observability.audit import Administered, AuditRecord, ConversationShared, DocumentEdited, DocumentsShown
from cli.aws_failures import aws_calls

if TYPE_CHECKING:
    from datetime import datetime

_PATTERN_LENGTH = 1024
_ENDED = ("complete", "failed", "cancelled", "interrupted")


@dataclass(frozen=True, slots=True)
class Sought:
    """Which records are wanted, from `since` until before `until`; all that is not empty must be met.

    A user is named by id or by the name that the user signs in with, a document by what showed it. A user's records are
    also those of an account of that name which an administrator has changed.
    """

    since: datetime
    until: datetime
    user: str = ""
    document: str = ""
    tenant: str = ""
    knowledge_base: str = ""

    def matches(self, record: AuditRecord) -> bool:
        if not self.since.timestamp() <= record.at < self.until.timestamp():
            return False
        if self.user and self.user not in _users(record):
            return False
        return self.tenant in ("", record.tenant) and self._shows(record)

    def _shows(self, record: AuditRecord) -> bool:
        if not (self.document or self.knowledge_base):
            return True
        if isinstance(record, DocumentEdited):
            same = record.document_id == (self.document or record.document_id)
            return same and self.knowledge_base in ("", record.knowledge_base)
        if not isinstance(record, DocumentsShown):
            return False
        if not self.document:
            return record.knowledge_base == self.knowledge_base
        return any(
            each.document_id == self.document and self.knowledge_base in ("", each.knowledge_base)
            for each in record.documents
        )

    @property
    def pattern(self) -> str:
        """Words that CloudWatch Logs looks for, so that not every record has to be sent: a superset of what matches.

        A word that JSON or the pattern would write otherwise is left out.
        https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
        """
        words = [each for each in (self.user, self.document, self.tenant, self.knowledge_base) if _is_plain(each)]
        quoted = " ".join(f'"{each}"' for each in words)
        return quoted if len(quoted) <= _PATTERN_LENGTH else ""


@dataclass(frozen=True, slots=True)
class Found:
    """The latest records that match, in the order of their times. `more`: how many earlier ones match besides.

    `unread`: how many events are no records that this version knows.
    """

    records: tuple[AuditRecord, ...]
    more: int
    unread: int


def search(logs: Any, log_group: str, sought: Sought, limit: int) -> Found:
    """Raises `CommandError` if AWS refuses to search."""
    decoder = msgspec.json.Decoder(AuditRecord)
    matching: list[AuditRecord] = []
    more = unread = 0
    for event in log_events(logs, log_group, sought.pattern, sought.since, sought.until):
        try:
            record = decoder.decode(event["message"])
        except msgspec.MsgspecError:
            unread += 1
            continue
        if sought.matches(record):
            matching.append(record)
    once = sorted(_once(matching), key=lambda each: each.at)
    more = max(0, len(once) - limit)
    return Found(tuple(once[more:]), more, unread)


def log_events(
    logs: Any, log_group: str, pattern: str, since: datetime, until: datetime
) -> Iterator[Mapping[str, Any]]:
    """The events that have the pattern's words. A page may be empty and not the last one."""
    request: dict[str, Any] = {
        "logGroupName": log_group,
        "startTime": int(since.timestamp() * 1000),
        "endTime": int(until.timestamp() * 1000),
        "filterPattern": pattern,
    }
    while True:
        with aws_calls():
            page = logs.filter_log_events(**request)
        yield from page["events"]
        if not page.get("nextToken"):
            return
        request["nextToken"] = page["nextToken"]


def _users(record: AuditRecord) -> tuple[str, ...]:
    """Whom the record is about: also the owner of a shared conversation, and whose account was changed, by name."""
    if isinstance(record, Administered):
        return (record.user, record.login, record.account)
    owner = (record.owner, record.owner_login) if isinstance(record, ConversationShared) else ()
    return (record.user, record.login, *owner)


def _once(records: Iterable[AuditRecord]) -> Iterator[AuditRecord]:
    """The records without repeated ones of an attempt at an answer that has another one."""
    found = list(records)
    certain = {_attempt(each) for each in found if isinstance(each, DocumentsShown) and _is_certain(each)}
    seen: Counter[tuple[str, ...]] = Counter()
    for each in found:
        if isinstance(each, DocumentsShown) and each.repeated:
            seen[_attempt(each)] += 1
            if _attempt(each) in certain or seen[_attempt(each)] > 1:
                continue
        yield each


def _is_certain(record: DocumentsShown) -> bool:
    return record.outcome in _ENDED and not record.repeated


def _attempt(record: DocumentsShown) -> tuple[str, ...]:
    return (record.tenant, record.user, record.request_id, str(record.attempt))


def _is_plain(word: str) -> bool:
    return bool(word) and word.isascii() and word.isprintable() and not set(word) & {'"', "\\"}
