"""The audit records of requests: what each attempt at an answer has shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from cicada.audit.model import DocumentsShown, Outcome, ShownDocument
from cicada.audit.shown import shown_to
from cicada.conversation.delivery import Delivery
from cicada.conversation.model import AnswerRecord, Head, Lease, Question, RequestKey, Status, StoredEvent

_OUTCOMES: dict[Status, Outcome] = {
    Status.COMPLETE: "complete",
    Status.FAILED: "failed",
    Status.CANCELLED: "cancelled",
}


def ended(lease: Lease, question: Question, delivery: Delivery, now: float) -> Iterator[DocumentsShown]:
    """The record of an attempt that has come to its last event; none of one that lost its lease."""
    if delivery.ended:
        status, record = delivery.ended
        shown = _record(
            lease.key, lease.attempt, question.knowledge_base, _OUTCOMES[status], delivery.shown.all, record, now
        )
        yield replace(shown, connection_id=delivery.connection_id)


def interrupted(
    lease: Lease, question: Question, events: Iterable[StoredEvent], now: float
) -> Iterator[DocumentsShown]:
    """The records of the attempts before this one that have shown anything. Attempts that ended have theirs already,
    which cannot be told from the events: a record too many is better than one too few.
    """
    for attempt, documents in _by_attempt(events).items():
        if attempt < lease.attempt:
            none = AnswerRecord()
            shown = _record(lease.key, attempt, question.knowledge_base, "interrupted", documents, none, now)
            yield replace(shown, repeated=True)


def ended_before(
    key: RequestKey, question: Question, head: Head, events: Iterable[StoredEvent], now: float
) -> Iterator[DocumentsShown]:
    """The record of a request that has ended, once more: its processor may have died before it wrote the record."""
    if head.status.final:
        documents, record = _by_attempt(events).get(head.attempt, ()), head.record or AnswerRecord()
        shown = _record(key, head.attempt, question.knowledge_base, _OUTCOMES[head.status], documents, record, now)
        yield replace(shown, connection_id=head.connection_id or "", repeated=True)


def _by_attempt(events: Iterable[StoredEvent]) -> dict[int, tuple[ShownDocument, ...]]:
    found: dict[int, tuple[ShownDocument, ...]] = {}
    for event in events:
        if event.shown:
            found[event.shown.attempt] = (*found.get(event.shown.attempt, ()), *event.shown.documents)
    return found


def _record(
    key: RequestKey,
    attempt: int,
    asked: str,
    outcome: Outcome,
    documents: Sequence[ShownDocument],
    record: AnswerRecord,
    now: float,
) -> DocumentsShown:
    base = record.knowledge_base or (documents[0].knowledge_base if documents else asked)
    return replace(
        shown_to(key.principal, key.request_id, attempt, outcome, tuple(documents), now, base),
        intent=record.intent,
        path=record.path,
        input_tokens=record.input_tokens,
        output_tokens=record.output_tokens,
        code=record.code,
    )
