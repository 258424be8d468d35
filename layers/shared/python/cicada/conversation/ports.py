"""What a conversation needs from the outside. All failures are `DependencyError`s unless said otherwise."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Protocol

from cicada.conversation.model import (
    Connection,
    DeadLetter,
    Head,
    Lease,
    NewRequest,
    Question,
    RequestKey,
    SessionRow,
    Status,
    StoredEvent,
    TurnRow,
    Usage,
)
from cicada.identity.principal import Principal


class RequestLog(Protocol):
    """Requests and their events. Every method is one atomic step; reads are consistent."""

    def create(self, request: NewRequest, accepted: str) -> bool:
        """Store the request as queued, with `accepted` as event 1. False, and no change, if the key exists."""
        ...

    def question(self, key: RequestKey) -> Question | None: ...

    def head(self, key: RequestKey) -> Head | None: ...

    def attach(self, key: RequestKey, connection_id: str) -> Head | None:
        """Send what comes from now on to this connection; returns the head at this very moment."""
        ...

    def forget_connection(self, key: RequestKey, connection_id: str) -> None:
        """Point to no connection, unless the request points to another one by now."""
        ...

    def events(self, key: RequestKey, after_seq: int, last_seq: int) -> Iterator[StoredEvent]:
        """Events after_seq < seq <= last_seq in order, read page by page."""
        ...

    def take_lease(self, key: RequestKey, now: float, until: float) -> Lease | None:
        """A lease with the next attempt, if the request is not final and no other lease is live at `now`."""
        ...

    def store(self, lease: Lease, event: StoredEvent) -> None:
        """Write the event's row. It counts once `advance` says so. `LeaseLostError` if a later attempt wrote it."""
        ...

    def advance(self, lease: Lease, seq: int, until: float, status: Status) -> Head:
        """Make events up to `seq` count, prolong the lease, set the status; returns the head. Or `LeaseLostError`."""
        ...

    def request_cancel(self, key: RequestKey) -> Head | None:
        """Ask whoever answers to stop; the processor sees it in its next `advance`."""
        ...

    def sessions(self, principal: Principal, before: float | None, limit: int) -> list[SessionRow]:
        """The user's sessions, most recently used first."""
        ...

    def turns(self, principal: Principal, session_id: str, before: float | None, limit: int) -> list[TurnRow]:
        """The session's requests, newest first."""
        ...


class RequestQueue(Protocol):
    """Hands requests to the processors."""

    def enqueue(self, key: RequestKey, session_id: str) -> None:
        """In the order of the session. Repeating it within five minutes has no effect."""
        ...

    def enqueue_takeover(self, key: RequestKey, attempt: int) -> None:
        """Beside the session's order, because the processor of `attempt` has died.

        Repeating it at once has no effect; later it has, as the processor that came may have died before its lease.
        """
        ...

    def dead_letter(self, key: RequestKey, reason: str) -> None:
        """Put the request aside for an operator to look at."""
        ...


class Channel(Protocol):
    """Posts frames to open connections."""

    def post(self, connection_id: str, frame: str) -> None:
        """`ConnectionGoneError` if the connection does not exist any more."""
        ...


class ConnectionTable(Protocol):
    """The open connections."""

    def add(self, connection: Connection, expires_at: float) -> None: ...

    def get(self, connection_id: str) -> Connection | None: ...

    def remove(self, connection_id: str) -> None: ...


class UsageTable(Protocol):
    """What each user has asked for of late. Reads are consistent."""

    def get(self, principal: Principal) -> Usage: ...

    def replace(self, principal: Principal, before: Usage, after: Usage, expires_at: float) -> bool:
        """Store `after` with the next version, in one step. False, and no change, if `before` is not the newest."""
        ...


class DeadLetterQueue(Protocol):
    """The requests that were set aside, and the way back into the queue."""

    def count(self) -> int:
        """About how many letters there are."""
        ...

    def letters(self) -> Generator[DeadLetter]:
        """Each letter that can be seen now, once. Other readers do not see it until the iterator has ended."""
        ...

    def requeue(self, key: RequestKey) -> None:
        """Hand the request to a processor, beside its session's order; never dropped as a repeat."""
        ...

    def remove(self, letter: DeadLetter) -> None: ...


class RequestReopener(Protocol):
    """Makes an ended request one that waits for a processor."""

    def reopen(self, key: RequestKey, head: Head, reset: str) -> bool:
        """Queued again, with its attempts forgiven; of a failed request the last event becomes `reset`. One step.

        False, and no change, if the head is not as given any more.
        """
        ...
