"""The conversation's ports. All failures are `DependencyError`s unless said otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from cicada.conversation.model import (
    AnswerFeedback,
    AnswerRecord,
    Charge,
    Charged,
    Connection,
    Head,
    Lease,
    NewRequest,
    Question,
    RequestKey,
    SessionRow,
    Share,
    Status,
    StoredEvent,
    TurnRow,
    Usage,
)
from cicada.identity import Principal


class RequestLog(Protocol):
    """Requests and their events. Every method is one atomic step; reads are consistent."""

    def create(self, request: NewRequest, accepted: str) -> bool:
        """Store the request as queued, with `accepted` as event 1. False, and no change, if the key exists.

        Raises `SessionNotFoundError`, and changes nothing, if the request's session was deleted.
        """
        ...

    def question(self, key: RequestKey) -> Question | None: ...

    def head(self, key: RequestKey) -> Head | None: ...

    def attach(self, key: RequestKey, connection_id: str) -> Head | None:
        """Direct later events to this connection; returns the head after the update."""
        ...

    def forget_connection(self, key: RequestKey, connection_id: str) -> None:
        """Clear the request's connection if it is still this one."""
        ...

    def events(self, key: RequestKey, after_seq: int, last_seq: int) -> Iterator[StoredEvent]:
        """Events after_seq < seq <= last_seq in order, read page by page."""
        ...

    def take_lease(self, key: RequestKey, now: float, until: float) -> Lease | None:
        """A lease with the next attempt, if the request is not final and no other lease is live at `now`."""
        ...

    def store(self, lease: Lease, event: StoredEvent) -> None:
        """Write the event's row; `advance` makes it valid. `LeaseLostError` if a later attempt wrote it."""
        ...

    def advance(self, lease: Lease, seq: int, until: float, status: Status, record: AnswerRecord | None = None) -> Head:
        """Make events up to `seq` valid, prolong the lease, set the status; returns the head. Or `LeaseLostError`.

        `record` is kept on the head; without one it stays as it is.
        """
        ...

    def claim_takeover(self, key: RequestKey, attempt: int, now: float, until: float) -> bool:
        """The right to queue a take-over from this attempt. Nobody else gets it before `until`."""
        ...

    def request_cancel(self, key: RequestKey) -> Head | None:
        """Ask the processor to stop; it sees this in its next `advance`."""
        ...

    def rate(self, key: RequestKey, feedback: AnswerFeedback | None) -> Head | None:
        """Keep the user's feedback in the place of an earlier one; None removes it."""
        ...

    def sessions(self, principal: Principal, before: float | None, limit: int) -> list[SessionRow]:
        """The user's sessions by `order`, the highest first, below `before`; at most 100."""
        ...

    def session(self, principal: Principal, session_id: str) -> SessionRow | None: ...

    def name_session(self, principal: Principal, session_id: str, title: str) -> bool:
        """Give the session a title of the user's. False if there is no such session."""
        ...

    def pin_session(self, principal: Principal, session_id: str, *, pinned: bool) -> None:
        """Put the session before all others, or back among them. No effect on one that is there already."""
        ...

    def delete_session(self, principal: Principal, session: SessionRow) -> bool:
        """Replace the session's row by a mark. False, and no change, if a message has come since it was read.

        The mark has the session's id and expires when the session would have. While it is there, `create` refuses a
        message of the session, and the session is not found.
        """
        ...

    def session_deleted(self, principal: Principal, session_id: str) -> None:
        """Note on a session's mark that its requests are deleted too."""
        ...

    def session_ids(self, principal: Principal) -> Iterator[str]:
        """Ids of the user's sessions, and of those whose deletion was interrupted."""
        ...

    def delete_requests(self, keys: Sequence[RequestKey]) -> None:
        """Delete the requests with all their events."""
        ...

    def questions(self, keys: Sequence[RequestKey]) -> Mapping[RequestKey, Question]:
        """The questions of the requests, as far as they are there; one that has just come may be missing."""
        ...

    def turns(self, principal: Principal, session_id: str, before: float | None, limit: int) -> list[TurnRow]:
        """The session's requests, newest first."""
        ...


class ShareTable(Protocol):
    """Which sessions may be read by others of their tenant, and under which ids. Reads are consistent.

    A session's row in the request log decides whether the session is shared; a deleted session is not.
    """

    def share(self, principal: Principal, session_id: str, share_id: str) -> str | None:
        """Share the session under this id, or go on sharing it under the one that it has; the id.

        None, and no change, if there is no such session.
        """
        ...

    def end(self, principal: Principal, session_id: str) -> bool:
        """Stop sharing the session. False if there is no such session; no effect on one that is not shared."""
        ...

    def renew(self, principal: Principal, share_id: str, expires_at: float) -> None:
        """Let the id lead to its session until then. No effect on an id that leads nowhere or is another user's."""
        ...

    def forget(self, principal: Principal, share_id: str) -> None:
        """Let the id of a session that is not shared any more lead nowhere."""
        ...

    def find(self, tenant: str, share_id: str) -> Share | None:
        """Where the id leads among the tenant's users. The session may be gone, or not be shared any more."""
        ...


class RequestQueue(Protocol):
    """Hands requests to the processors."""

    def enqueue(self, key: RequestKey, session_id: str) -> None:
        """Queue the request in its session's order. A repeat within five minutes has no effect."""
        ...

    def enqueue_takeover(self, key: RequestKey, attempt: int) -> None:
        """Queue the request outside its session's order, because the processor of `attempt` has died.

        An immediate repeat has no effect. A later one has, because the new processor may have died before its lease.
        """
        ...

    def dead_letter(self, key: RequestKey, reason: str) -> None:
        """Put the request into the dead-letter queue for an operator."""
        ...


class Channel(Protocol):
    """Posts frames to open connections."""

    def post(self, connection_id: str, frame: str) -> None:
        """`ConnectionGoneError` if the connection no longer exists."""
        ...

    def close(self, connection_id: str) -> None:
        """Close the connection; no effect if it no longer exists."""
        ...


class ConnectionTable(Protocol):
    """The open connections."""

    def add(self, connection: Connection, expires_at: float) -> None: ...

    def get(self, connection_id: str) -> Connection | None: ...

    def of(self, principal: Principal) -> list[Connection]:
        """The user's connections, oldest first. Eventually consistent: one of the last second may be missing."""
        ...

    def remove(self, connection_id: str) -> None: ...


class UsageTable(Protocol):
    """A row for each user, which every command changes and reads in one step. Reads are strongly consistent."""

    def get(self, principal: Principal) -> Usage: ...

    def charge(self, principal: Principal, charge: Charge, expires_at: float) -> Charged: ...

    def admit(
        self, principal: Principal, charge: Charge, before: Usage, admitted: Mapping[str, float], expires_at: float
    ) -> Charged:
        """Charge and replace the admitted requests; refused too if they are not those of `before` any more."""
        ...

    def revoke(self, principal: Principal, before: float, expires_at: float) -> None:
        """Revoke the access tokens that were issued before this time. A later revocation stays as it is."""
        ...
