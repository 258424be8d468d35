"""The request log in memory: each method is one step, under one lock, as one DynamoDB call is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from cicada.conversation.model import (
    AnswerFeedback,
    AnswerRecord,
    FailedRequest,
    Head,
    Lease,
    NewRequest,
    Question,
    RatedRequest,
    RequestKey,
    SessionRow,
    Status,
    StoredEvent,
    TurnRow,
)
from cicada.conversation.titles import title_of
from cicada.errors import LeaseLostError, SessionNotFoundError
from cicada.identity import Principal


class InMemoryRequestLog:
    """`clock` gives epoch seconds; expired requests are not found."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.RLock()
        self._requests: dict[RequestKey, NewRequest] = {}
        self._heads: dict[RequestKey, Head] = {}
        self._events: dict[tuple[RequestKey, int], tuple[int, StoredEvent]] = {}
        self._changes: dict[tuple[Principal, str], dict[str, Any]] = {}
        self._deleted: set[tuple[Principal, str]] = set()
        self._unfinished: set[tuple[Principal, str]] = set()

    def create(self, request: NewRequest, accepted: str) -> bool:
        with self._lock:
            if request.key in self._heads:
                return False
            if (request.key.principal, request.question.session_id) in self._deleted:
                raise SessionNotFoundError("This conversation was deleted: ask in a new one.")
            self._requests[request.key] = request
            self._events[request.key, 1] = (0, StoredEvent(1, accepted))
            self._heads[request.key] = Head(
                status=Status.QUEUED,
                session_id=request.question.session_id,
                connection_id=request.connection_id,
                last_seq=1,
                attempt=0,
                lease_until=0,
                cancel_requested=False,
                created_at=request.created_at,
                expires_at=request.expires_at,
            )
            return True

    def question(self, key: RequestKey) -> Question | None:
        return self._requests[key].question if self.head(key) else None

    def questions(self, keys: Sequence[RequestKey]) -> dict[RequestKey, Question]:
        return {key: self._requests[key].question for key in keys if self.head(key)}

    def head(self, key: RequestKey) -> Head | None:
        with self._lock:
            head = self._heads.get(key)
            return head if head and head.expires_at > self._clock() else None

    def attach(self, key: RequestKey, connection_id: str) -> Head | None:
        return self._change(key, connection_id=connection_id)

    def forget_connection(self, key: RequestKey, connection_id: str) -> None:
        with self._lock:
            if (head := self.head(key)) and head.connection_id == connection_id:
                self._change(key, connection_id=None)

    def events(self, key: RequestKey, after_seq: int, last_seq: int) -> Iterator[StoredEvent]:
        for seq in range(after_seq + 1, last_seq + 1):
            with self._lock:
                _, event = self._events[key, seq]
            yield event

    def take_lease(self, key: RequestKey, now: float, until: float) -> Lease | None:
        with self._lock:
            head = self._heads.get(key)
            if head is None or head.status.final or (head.status is Status.PROCESSING and head.lease_until >= now):
                return None
            head = replace(head, status=Status.PROCESSING, attempt=head.attempt + 1, lease_until=until)
            self._heads[key] = head
            return Lease(key, head.attempt, head.last_seq, head.expires_at, head.forgiven_attempts)

    def claim_takeover(self, key: RequestKey, attempt: int, now: float, until: float) -> bool:
        with self._lock:
            head = self._heads.get(key)
            if head is None or head.attempt != attempt or head.takeover_until >= now:
                return False
            self._change(key, takeover_until=until)
            return True

    def store(self, lease: Lease, event: StoredEvent) -> None:
        with self._lock:
            attempt, _ = self._events.get((lease.key, event.seq), (0, event))
            if attempt > lease.attempt:
                raise LeaseLostError("A later attempt has written this event.")
            self._events[lease.key, event.seq] = (lease.attempt, event)

    def advance(self, lease: Lease, seq: int, until: float, status: Status, record: AnswerRecord | None = None) -> Head:
        with self._lock:
            head = self._heads[lease.key]
            repeated = head.status is status and head.last_seq == seq
            if head.attempt != lease.attempt or not (head.status is Status.PROCESSING or repeated):
                raise LeaseLostError("The request has ended, or another processor has taken it over.")
            kept = record or head.record
            self._heads[lease.key] = replace(head, last_seq=seq, lease_until=until, status=status, record=kept)
            return self._heads[lease.key]

    def request_cancel(self, key: RequestKey) -> Head | None:
        return self._change(key, cancel_requested=True)

    def rate(self, key: RequestKey, feedback: AnswerFeedback | None) -> Head | None:
        return self._change(key, feedback=feedback)

    def rated(self, tenant: str, since: float, most: int) -> tuple[list[RatedRequest], bool]:
        found = ((asked, self._heads[asked.key].feedback) for asked in self._asked(tenant, since))
        rated = [RatedRequest(*_named(asked), feedback) for asked, feedback in found if feedback]
        return rated[:most], len(rated) <= most

    def failed(self, tenant: str, since: float, most: int) -> tuple[list[FailedRequest], bool]:
        heads = ((asked, self._heads[asked.key]) for asked in self._asked(tenant, since))
        found = ((asked, head.record) for asked, head in heads if head.status is Status.FAILED)
        failed = [FailedRequest(*_named(asked), record.code if record else "") for asked, record in found]
        return failed[:most], len(failed) <= most

    def _asked(self, tenant: str, since: float) -> list[NewRequest]:
        return self._newest_first(lambda each: each.key.principal.tenant == tenant and each.created_at >= since)

    def reopen(self, key: RequestKey, head: Head, reset: str) -> bool:
        with self._lock:
            found = self.head(key)
            if found is None or _position(found) != _position(head):
                return False
            if head.status is Status.FAILED:
                self._events[key, head.last_seq] = (head.attempt, StoredEvent(head.last_seq, reset))
            self._change(key, status=Status.QUEUED, lease_until=0.0, forgiven_attempts=head.attempt)
            return True

    def sessions(self, principal: Principal, before: float | None, limit: int) -> list[SessionRow]:
        with self._lock:
            latest: dict[str, SessionRow] = {}
            for request in self._newest_first(lambda request: request.key.principal == principal):
                session = request.question.session_id
                row = latest.get(session, SessionRow(session, "", request.created_at))
                asked = request.question
                latest[session] = replace(row, title=title_of(asked.message), knowledge_base=asked.knowledge_base)
            changed = [replace(row, **self._changes.get((principal, name), {})) for name, row in latest.items()]
            there = [row for row in changed if (principal, row.session_id) not in self._deleted]
            rows = sorted(there, key=lambda row: -row.order)
            return [row for row in rows if before is None or row.order < before][:limit]

    def session(self, principal: Principal, session_id: str) -> SessionRow | None:
        return next((row for row in self.sessions(principal, None, 1_000) if row.session_id == session_id), None)

    def name_session(self, principal: Principal, session_id: str, title: str) -> bool:
        if self.session(principal, session_id) is None:
            return False
        self._changes.setdefault((principal, session_id), {})["title"] = title
        return True

    def pin_session(self, principal: Principal, session_id: str, *, pinned: bool) -> None:
        self._changes.setdefault((principal, session_id), {})["pinned"] = pinned

    def delete_session(self, principal: Principal, session: SessionRow) -> bool:
        found = self.session(principal, session.session_id)
        if found and found.order != session.order:
            return False
        self._changes.pop((principal, session.session_id), None)
        self._deleted.add((principal, session.session_id))
        self._unfinished.add((principal, session.session_id))
        return True

    def mark_shared(self, principal: Principal, session_id: str, share_id: str) -> None:
        """What `InMemoryShareTable` writes into the session's row; an empty id takes the mark away."""
        self._changes.setdefault((principal, session_id), {})["share_id"] = share_id

    def expiry(self, principal: Principal, session_id: str) -> float:
        """When the session's row expires."""
        latest = self._newest_first(
            lambda each: each.key.principal == principal and each.question.session_id == session_id
        )
        return latest[0].expires_at

    def session_deleted(self, principal: Principal, session_id: str) -> None:
        self._unfinished.discard((principal, session_id))

    def session_ids(self, principal: Principal) -> Iterator[str]:
        there = [row.session_id for row in self.sessions(principal, None, 1_000)]
        return iter(sorted({*there, *(name for owner, name in self._unfinished if owner == principal)}))

    def delete_requests(self, keys: Sequence[RequestKey]) -> None:
        with self._lock:
            for key in keys:
                self._requests.pop(key, None)
                self._heads.pop(key, None)
                self._events = {at: event for at, event in self._events.items() if at[0] != key}

    def turns(self, principal: Principal, session_id: str, before: float | None, limit: int) -> list[TurnRow]:
        with self._lock:
            found = self._newest_first(
                lambda request: request.key.principal == principal and request.question.session_id == session_id
            )
            rows = [TurnRow(request.key.request_id, request.created_at) for request in found]
            return [row for row in rows if before is None or row.created_at < before][:limit]

    def _newest_first(self, wanted: Callable[[NewRequest], bool]) -> list[NewRequest]:
        live = [request for request in self._requests.values() if wanted(request) and self.head(request.key)]
        # The last one stored is the newest of requests of one moment.
        live.reverse()
        return sorted(live, key=lambda request: -request.created_at)

    def _change(self, key: RequestKey, **values: object) -> Head | None:
        with self._lock:
            head = self.head(key)
            if head is None:
                return None
            self._heads[key] = replace(head, **values)
            return self._heads[key]


def _named(request: NewRequest) -> tuple[str, float, str]:
    return request.key.request_id, request.created_at, request.question.knowledge_base


def _position(head: Head) -> tuple[object, ...]:
    return head.status, head.attempt, head.last_seq, head.lease_until


STEPS = {name: name for name in ("create", "events", "store", "advance", "turns")}
STEPS |= {"attach": "point", "forget_connection": "forget"}


class DisturbedRequestLog(InMemoryRequestLog):
    """Calls `before` with the step's name ahead of each step: to note their order, to step in between, to fail."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self.before: Callable[[str], None] = lambda step: None

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name not in STEPS:
            return found

        def disturbed(*given: Any, **named: Any) -> Any:
            self.before(STEPS[name])
            return found(*given, **named)

        return disturbed
