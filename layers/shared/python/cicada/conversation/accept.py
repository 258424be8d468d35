"""Accepting a question, cancelling an answer, and keeping what its user thinks of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec import Struct

from cicada.conversation.limits import QUEUED_AGAIN, UsageLimits
from cicada.conversation.listings import asked_without
from cicada.conversation.model import AnswerFeedback, Connection, NewRequest, Question, RequestKey, SessionRow, Status
from cicada.conversation.ports import RequestLog, RequestQueue, ShareTable
from cicada.conversation.protocol import (
    Accepted,
    Feedback,
    FeedbackKept,
    Filter,
    Scope,
    SendMessage,
    event_body,
    stored_frame,
)
from cicada.conversation.resume import Resumer
from cicada.documents.model import Condition, Scalar
from cicada.errors import RequestConflictError, RequestNotFoundError
from cicada.identity import Principal
from cicada.knowledge_bases.filter_language import Operator, WrittenFilter, condition
from cicada.knowledge_bases.schema import Schema, SchemaOf
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.permissions import base_of, check_base, may_ask


def cancel(key: RequestKey, log: RequestLog) -> None:
    """Ask the processor to stop; the client gets the `cancelled` event. No effect on an ended request.

    Raises `RequestNotFoundError` for a request that does not exist or is another user's.
    """
    if log.request_cancel(key) is None:
        raise RequestNotFoundError("There is no such request to cancel.")


def rate(key: RequestKey, command: Feedback, log: RequestLog, now: float) -> FeedbackKept:
    """Keep what the user thinks of an answer, with the request: it expires and is erased with it.

    Raises `RequestNotFoundError` for a request that does not exist or is another user's.
    """
    reasons = tuple(dict.fromkeys(command.reasons))
    feedback = AnswerFeedback(command.rating, now, reasons, command.comment.strip()) if command.rating else None
    if log.rate(key, feedback) is None:
        raise RequestNotFoundError("There is no such answer of yours to rate.")
    return FeedbackKept(rating=command.rating)


DEFAULT_KNOWLEDGE_BASE = "scripts"
"""The base of a question that names none and begins a session."""


class Accepter(Struct, frozen=True):
    """`retention_seconds`: how long a request and its events are kept.

    `bases`: the settings that say who may ask which base, and have the schemas that filters are checked against. They
    are read for a question that has filters or is not for the default base. `shares`: the id of a shared session lives
    on with each of its questions.
    """

    log: RequestLog
    queue: RequestQueue
    resumer: Resumer
    clock: Callable[[], float]
    retention_seconds: float
    limits: UsageLimits
    bases: Callable[[], KnowledgeBases]
    shares: ShareTable

    def accept(self, command: SendMessage, connection: Connection) -> str | None:
        """The `accepted` frame; for a repeated request, its events are replayed and the reply is that to `resume`.

        Raises `RequestConflictError` if the requestId belongs to another message, `LimitExceededError` if the user
        has sent too many, `InvalidFilterError` if the knowledge base has not what the question is restricted to,
        `UnknownKnowledgeBaseError` for a base that the user may not ask: then nothing is stored or queued. Where names
        are open, only the processor sees which bases there are, so it refuses. Of `without` it raises as
        `asked_without` does.
        """
        key = RequestKey(connection.principal, command.request_id)
        principal = connection.principal
        session = self.log.session(principal, command.session_id) if command.session_id is not None else None
        base = (session and session.knowledge_base) or DEFAULT_KNOWLEDGE_BASE
        question = question_of(command, base, partial(self._schema, principal))
        if command.without:
            of = RequestKey(principal, command.without.request_id)
            question = asked_without(command.without.condition, of, self.log, question)
        self._check_base(principal, question.knowledge_base)
        accepted = event_body(Accepted(session_id=question.session_id, knowledge_base=question.knowledge_base))
        now = self.clock()
        request = NewRequest(key, question, connection.connection_id, now, now + self.retention_seconds)
        if not self._create(request, accepted, session):
            return self._repeat(key, question, connection.connection_id)
        self.queue.enqueue(key, question.session_id)
        return stored_frame(accepted, request_id=key.request_id, seq=1)

    def _schema(self, principal: Principal, name: str) -> Schema:
        """A base that the user may not ask has no schema, as if it did not exist: an error would list its fields."""
        base = base_of(self.bases(), principal, name)
        return base.schema if may_ask(base, principal) else Schema()

    def _check_base(self, principal: Principal, name: str) -> None:
        if name != DEFAULT_KNOWLEDGE_BASE and not self.bases().open_names:
            check_base(self.bases(), principal, name, lambda: False)

    def _create(self, request: NewRequest, accepted: str, session: SessionRow | None) -> bool:
        """False for a repeat. Repeats are detected before the limits, so they neither count nor are they refused."""
        if self.log.question(request.key) is not None:
            return False
        self.limits.admit(request.key)
        if session and session.share_id:
            self.shares.renew(request.key.principal, session.share_id, request.expires_at)
        return self.log.create(request, accepted)

    def _repeat(self, key: RequestKey, question: Question, connection_id: str) -> str | None:
        if self.log.question(key) != question:
            raise RequestConflictError(
                "This requestId was used for another message; send the new one with a new requestId."
            )
        # The first attempt may have died between storing and queueing, so queue again while no processor has come: the
        # queue and the lease drop duplicates.
        head = self.log.head(key)
        if head and head.status is Status.QUEUED and head.attempt == 0:
            self.limits.spend(key.principal, QUEUED_AGAIN)
            self.queue.enqueue(key, question.session_id)
        return self.resumer.resume(key, 0, connection_id)


def question_of(command: SendMessage, default_knowledge_base: str, schema_of: SchemaOf) -> Question:
    """The question in a command. Without a sessionId the request begins a session of its own.

    Raises `InvalidFilterError`.
    """
    scope = command.scope
    knowledge_base = command.knowledge_base or default_knowledge_base
    return Question(
        message=command.message,
        session_id=command.session_id or command.request_id,
        knowledge_base=knowledge_base,
        episodes=tuple(scope.episodes) if scope else (),
        filters=_filters(scope, knowledge_base, schema_of) if scope else (),
    )


def _filters(scope: Scope, knowledge_base: str, schema_of: SchemaOf) -> tuple[Condition, ...]:
    written = [WrittenFilter(name, Operator.ANY, tuple(values)) for name, values in scope.metadata.items()]
    written += map(written_filter, scope.filters)
    if not written:
        # The schemas are read when a question needs one.
        return ()
    schema = schema_of(knowledge_base)
    return tuple(condition(schema, each) for each in written)


def written_filter(wanted: Filter) -> WrittenFilter:
    """The filter of a command, before its field is looked up."""
    values: tuple[Scalar, ...] = (*(() if wanted.value is None else (wanted.value,)), *wanted.values)
    return WrittenFilter(wanted.field, Operator(wanted.op), values)
