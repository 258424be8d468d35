"""What is recorded of an answer: its audit record, its measures, and the documents that it showed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager

from msgspec.structs import replace

from cicada.answering.parts import AnswerPart, Cited, Finished, Listed, Text
from cicada.conversation.delivery import Delivery
from cicada.conversation.model import AnswerRecord, Connection, Head, Lease, Question, RequestKey, Status, StoredEvent
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import Passage
from cicada.observability.audit import DocumentsShown, Outcome, ShownDocument, ShownDocuments, shown_to
from cicada.observability.telemetry import Telemetry, recording


def documents_in(parts: Iterable[AnswerPart]) -> Iterator[ShownDocument]:
    """The documents of cited passages and of listed rows; other parts show none of their own."""
    for part in parts:
        if isinstance(part, Cited):
            yield from (document_of(each.passage) for each in part.passages)
        elif isinstance(part, Listed):
            yield from map(document_of, part.rows)


def document_of(shown: Passage | DocumentRow) -> ShownDocument:
    return ShownDocument(shown.document.base_key.knowledge_base, shown.document.document_id, shown.version)


def shown_on(
    connection: Connection,
    request_id: str,
    outcome: Outcome,
    shown: Iterable[Passage | DocumentRow],
    now: float,
    *path: str,
) -> DocumentsShown:
    """The record of what a command other than a question has shown, on the connection that it came from."""
    record = shown_to(connection.principal, request_id, 0, outcome, tuple(map(document_of, shown)), now)
    return replace(record, connection_id=connection.connection_id, path=path)


class Measurement:
    """Begins with the answer. `clock` gives seconds. `shown`: where the documents are noted that the answer shows."""

    def __init__(self, clock: Callable[[], float], shown: ShownDocuments | None = None) -> None:
        self._clock = clock
        self._start = clock()
        self._first_text: float | None = None
        self._telemetry = Telemetry(clock, shown)

    def recording(self) -> AbstractContextManager[None]:
        """Inside, in this context, what the answer gathers is recorded."""
        return recording(self._telemetry)

    def note(self, parts: list[AnswerPart]) -> None:
        """Call with each batch of parts after it was sent."""
        if self._first_text is None and any(isinstance(part, Text) for part in parts):
            self._first_text = self._clock()

    def counted(self, finished: Finished) -> Finished:
        """Add the tokens of all model calls to the last event, and what was done if a model did not write."""
        read, written = self._telemetry.tokens
        return replace(
            finished,
            path=(*finished.path, *self._telemetry.steps),
            input_tokens=finished.input_tokens + read,
            output_tokens=finished.output_tokens + written,
        )

    def record(self, finished: Finished) -> AnswerRecord:
        """Record a complete answer; `finished` is what `counted` returned."""
        plan = finished.plan
        return AnswerRecord(
            path=finished.path,
            scores=self._scores(),
            confidence=finished.confidence,
            timings=self._milliseconds(),
            intent=plan.intent.value if plan else "",
            knowledge_base=plan.knowledge_base if plan else "",
            strategy=plan.shape.value if plan else "",
            input_tokens=finished.input_tokens,
            output_tokens=finished.output_tokens,
            listing=finished.listing,
            refused_calls=self._telemetry.refused_calls,
            checked_sentences=finished.checked.sentences if finished.checked else 0,
            unsupported_sentences=len(finished.checked.unsupported) if finished.checked else 0,
            stopped=finished.stopped.value if finished.stopped else "",
        )

    def failed(self, code: str) -> AnswerRecord:
        """Record an answer that ended in an error with this code."""
        read, written = self._telemetry.tokens
        return AnswerRecord(
            path=self._telemetry.steps,
            scores=self._scores(),
            timings=self._milliseconds(),
            input_tokens=read,
            output_tokens=written,
            code=code,
            refused_calls=self._telemetry.refused_calls,
        )

    def _scores(self) -> tuple[float | None, ...]:
        return tuple(None if each is None else round(each, 4) for each in self._telemetry.scores)

    def _milliseconds(self) -> dict[str, int]:
        """The milliseconds of each phase, to the first text, and to the end."""
        marks = {"total": self._clock()}
        if self._first_text is not None:
            marks["firstToken"] = self._first_text
        times = {name: round((moment - self._start) * 1000) for name, moment in marks.items()}
        return self._telemetry.milliseconds | times


_OUTCOMES: dict[Status, Outcome] = {Status.COMPLETE: "complete", Status.FAILED: "failed", Status.CANCELLED: "cancelled"}


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
    """The records of the attempts before this one that have shown anything.

    Attempts that ended have theirs already, which cannot be told from the events: a record too many is better than one
    too few.
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
