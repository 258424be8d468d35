"""Process one queued request: take the lease, answer within the tenant's quota, deliver, end it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from msgspec import Struct, field

from cicada.answering.answer import Answerer
from cicada.answering.audit import Measurement, documents_in, ended, ended_before, interrupted
from cicada.answering.events import complete, events_of
from cicada.answering.parts import AnswerPart, Finished
from cicada.answering.ports import ConversationMemory, TokenCounter
from cicada.answering.pump import Pace, Pump
from cicada.conversation.delivery import Delivery, waiting_seconds
from cicada.conversation.model import AnswerRecord, Lease, Question, RequestKey, Status, TokensUsed
from cicada.conversation.ports import Channel, RequestLog, RequestQueue
from cicada.conversation.protocol import Cancelled, Reset, failed
from cicada.dialogue import NO_CONVERSATION
from cicada.errors import (
    CicadaError,
    ConfigurationError,
    DependencyError,
    InvalidFilterError,
    LeaseLostError,
    OutOfTimeError,
    RequestError,
    StreamBrokenError,
    ThrottledError,
    TokenQuotaError,
    UnavailableError,
    UnknownKnowledgeBaseError,
)
from cicada.observability.telemetry import ignore, phase
from cicada.observability.tracing import annotate, mark_failed

# Attempts at one answer, over all processors.
_ATTEMPTS = 3
# What a cancelled question counts, about what one by passages reads: a model says only at its end what it has used.
CANCELLED_TOKENS = TokensUsed(read=4_000, written=0)
# A day's row outlives it, for whoever looks at it later.
_KEPT = timedelta(days=7)


class TokenQuota(Struct, frozen=True):
    """How many tokens of models a tenant may use in a day, which begins at midnight UTC. `clock` gives epoch seconds.

    Tokens are counted when an answer has ended, so the answers under way when the quota is reached go beyond it.
    `report` is called with the failure to count, which is no failure of the answer.
    """

    counter: TokenCounter
    tokens_per_day: int
    clock: Callable[[], float]
    report: Callable[[CicadaError], object] = ignore

    def check(self, tenant: str) -> None:
        """Raise `TokenQuotaError` if the tenant has used its tokens of the day."""
        now = self._now()
        if self.counter.used(tenant, f"{now:%Y-%m-%d}") < self.tokens_per_day:
            return
        opens = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        raise TokenQuotaError(
            f"Your organisation has used its {self.tokens_per_day:,} tokens of today; "
            f"questions are answered again from {opens:%Y-%m-%d %H:%M} UTC.",
            int((opens - now).total_seconds()) + 1,
        )

    def add(self, tenant: str, tokens: TokensUsed) -> None:
        """Count what an answer has used."""
        now = self._now()
        if not tokens.total:
            return
        try:
            self.counter.add(tenant, f"{now:%Y-%m-%d}", tokens, (now + _KEPT).timestamp())
        except DependencyError as error:
            self.report(error)

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self.clock(), UTC)


class Processed(StrEnum):
    """The result of one delivery. `skipped`: the request has been answered, or another processor answers it."""

    COMPLETE = "complete"
    CANCELLED = "cancelled"
    FAILED = "failed"
    SKIPPED = "skipped"


class Processor(Struct, frozen=True):
    """`report` is called with the error of a failed answer. `pace`: the pace of an answer's chunks.

    `memory`: what was said before a question; without it every question is answered by itself.
    `observe` is called with the record of each answer that has ended; one that was cancelled has none.
    `waited` is called with the seconds that a request waited for its first processor. `audit` is called with what was
    shown to whom, after the last event; it does not fail. `quota`: the tokens that a tenant may use, None for no limit.
    """

    log: RequestLog
    channel: Channel
    queue: RequestQueue
    answerer: Answerer
    clock: Callable[[], float]
    lease_seconds: float
    heartbeat_seconds: float
    report: Callable[[CicadaError], None]
    pace: Pace = field(default_factory=Pace)
    memory: ConversationMemory | None = None
    observe: Callable[[RequestKey, AnswerRecord], object] = ignore
    waited: Callable[[float], object] = ignore
    audit: Callable[..., object] = ignore
    quota: TokenQuota | None = None

    def process(self, key: RequestKey, sent_at: float | None = None) -> Processed:
        """Answer the request if the lease is free. A failed answer ends with an `error` event and is dead-lettered.

        `sent_at`: when the request was queued, in epoch seconds.
        """
        now = self.clock()
        lease = self.log.take_lease(key, now, now + self.lease_seconds)
        question = self.log.question(key) if lease else None
        if lease is None or question is None:
            self._audit_again(key)
            return Processed.SKIPPED
        if sent_at is not None and lease.tries == 1:
            self.waited(waiting_seconds(self.log, key, question.session_id, sent_at, now, self.lease_seconds))
        if lease.last_seq > 1:
            earlier = self.log.events(key, 1, lease.last_seq)
            self.audit(*interrupted(lease, question, earlier, self.clock()))
        delivery = Delivery(lease, self.log, self.channel, self.clock, self.lease_seconds)
        try:
            processed = self._attempt(lease, question, delivery)
        except LeaseLostError:
            return Processed.SKIPPED
        self.audit(*ended(lease, question, delivery, self.clock()))
        if self.quota and delivery.ended:
            status, record = delivery.ended
            used = TokensUsed(record.input_tokens, record.output_tokens)
            self.quota.add(key.principal.tenant, CANCELLED_TOKENS if status is Status.CANCELLED else used)
        return processed

    def _audit_again(self, key: RequestKey) -> None:
        """A request that is delivered after its end: its processor died, maybe before it wrote the record."""
        head, question = self.log.head(key), self.log.question(key)
        if head and question and head.status.final:
            self.audit(*ended_before(key, question, head, self.log.events(key, 1, head.last_seq), self.clock()))

    def _attempt(self, lease: Lease, question: Question, delivery: Delivery) -> Processed:
        if lease.tries > _ATTEMPTS:
            return self._fail(lease, delivery, CicadaError("The answer was interrupted too often; ask again."))
        if lease.last_seq > 1:
            delivery.send(Reset(reason="The answer was interrupted and is being generated again."))
        try:
            return self._relay(lease, question, delivery)
        except StreamBrokenError:
            delivery.send(Reset(reason="The model's stream broke off; the answer is being generated again."))
        try:
            return self._relay(lease, question, delivery)
        except StreamBrokenError as error:
            return self._fail(lease, delivery, error)

    def _relay(self, lease: Lease, question: Question, delivery: Delivery) -> Processed:
        """Deliver the answer while it is generated. `StreamBrokenError` if it breaks off."""
        if delivery.cancel_requested:
            return self._cancel(delivery)
        measurement = Measurement(self.clock, delivery.shown)
        finished: Finished | None = None
        with measurement.recording(), Pump(self._parts(lease.key, question), self.pace) as pump:
            while finished is None:
                try:
                    parts = pump.take(self.heartbeat_seconds)
                except (ThrottledError, UnavailableError, OutOfTimeError, ConfigurationError) as error:
                    return self._fail(lease, delivery, error, measurement.failed(error.code))
                except (UnknownKnowledgeBaseError, InvalidFilterError, TokenQuotaError) as error:
                    return self._refuse(lease, delivery, error)
                self._deliver(parts, delivery)
                measurement.note(parts)
                if delivery.cancel_requested:
                    return self._cancel(delivery)
                finished = next((part for part in parts if isinstance(part, Finished)), None)
        return self._complete(lease, delivery, measurement, finished)

    def _complete(self, lease: Lease, delivery: Delivery, measurement: Measurement, finished: Finished) -> Processed:
        counted = measurement.counted(finished)
        record = measurement.record(counted)
        annotate(path=" ".join(record.path), searches=len(record.scores))
        delivery.send(complete(counted, record.timings), record)
        self.observe(lease.key, record)
        return Processed.COMPLETE

    def _parts(self, key: RequestKey, question: Question) -> Generator[AnswerPart]:
        if self.quota:
            self.quota.check(key.principal.tenant)
        with phase("planning"):
            before = self.memory.before(key, question.session_id) if self.memory else NO_CONVERSATION
        yield from self.answerer.answer(question, key.principal, before)

    def _deliver(self, parts: list[AnswerPart], delivery: Delivery) -> None:
        sent = False
        delivery.shown.note(documents_in(parts))
        for event in events_of(parts):
            if delivery.cancel_requested:
                return
            delivery.send(event)
            sent = True
        if not sent:
            delivery.heartbeat()

    def _cancel(self, delivery: Delivery) -> Processed:
        delivery.send(Cancelled())
        return Processed.CANCELLED

    def _refuse(self, lease: Lease, delivery: Delivery, error: RequestError) -> Processed:
        """End with the error. The question cannot be answered if it is tried again, so it is no dead letter."""
        mark_failed(error)
        record = AnswerRecord(code=error.code)
        delivery.send(failed(error), record)
        self.observe(lease.key, record)
        return Processed.FAILED

    def _fail(
        self, lease: Lease, delivery: Delivery, error: CicadaError, record: AnswerRecord | None = None
    ) -> Processed:
        self.report(error)
        mark_failed(error)
        record = record or AnswerRecord(code=error.code)
        # Dead-lettered before the last event: a crash between the two repeats both; the other order could lose one.
        self.queue.dead_letter(lease.key, error.code)
        delivery.send(failed(error), record)
        self.observe(lease.key, record)
        return Processed.FAILED
