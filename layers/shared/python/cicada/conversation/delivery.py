"""Events on their way to a connection: stored first, then sent."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from cicada.conversation.model import AnswerRecord, Head, Lease, RequestKey, Shown, Status, StoredEvent
from cicada.conversation.ports import Channel, RequestLog
from cicada.conversation.protocol import (
    AnyEventBody,
    Cancelled,
    Complete,
    Failed,
    event_body,
    failed,
    frame,
    stored_frame,
)
from cicada.errors import CicadaError, ConnectionGoneError, DependencyError
from cicada.observability.audit import ShownDocuments


def send_last_frame(connection_id: str, reason: CicadaError, channel: Channel) -> None:
    """Raises `DependencyError` if it may be open still. The frame is a courtesy: one that is lost changes nothing."""
    with suppress(ConnectionGoneError, DependencyError):
        channel.post(connection_id, frame(failed(reason)))
    channel.close(connection_id)


# Shorter waits are not looked into.
_NOTICEABLE_SECONDS = 5.0


def waiting_seconds(
    log: RequestLog, key: RequestKey, session_id: str, sent_at: float, now: float, lease_seconds: float
) -> float:
    """The seconds from `sent_at` to `now`, without those in which the session's answer before it was generated.

    The answers of a session come one after another, so a request that its user sent too early waits for no processor.
    If the log cannot be read, the whole time counts: an answer must not fail for a measurement.
    """
    waited = now - sent_at
    if waited <= _NOTICEABLE_SECONDS or session_id == key.request_id:
        return max(0.0, waited)
    try:
        return max(0.0, now - max(sent_at, _answered_before(log, key, session_id, lease_seconds)))
    except DependencyError:
        return waited


def _answered_before(log: RequestLog, key: RequestKey, session_id: str, lease_seconds: float) -> float:
    """When the session's answer before this one prolonged its lease for the last time; 0 if there is none."""
    head = log.head(key)
    turns = log.turns(key.principal, session_id, head.created_at, 1) if head else []
    before = log.head(RequestKey(key.principal, turns[0].request_id)) if turns else None
    return before.lease_until - lease_seconds if before else 0.0


_FINAL_STATUS: dict[type[AnyEventBody], Status] = {
    Complete: Status.COMPLETE,
    Cancelled: Status.CANCELLED,
    Failed: Status.FAILED,
}


class Delivery:
    """The events of one lease, numbered from its `last_seq` on. Not thread-safe.

    `shown`: the documents that the answer shows; each is stored with the first event that is sent after it was noted.
    `connection_id`: the connection of the last event, empty if there was none. `ended`: the final status and the record
    that was kept with it, None before the last event.
    """

    def __init__(
        self, lease: Lease, log: RequestLog, channel: Channel, clock: Callable[[], float], lease_seconds: float
    ) -> None:
        self._lease = lease
        self._log = log
        self._channel = channel
        self._clock = clock
        self._lease_seconds = lease_seconds
        self._seq = lease.last_seq
        self.cancel_requested = False
        self.shown = ShownDocuments(f"{lease.key.request_id}#{lease.attempt}")
        self.connection_id = ""
        self.ended: tuple[Status, AnswerRecord] | None = None

    def send(self, event: AnyEventBody, record: AnswerRecord | None = None) -> None:
        """Store the event, advance the head, and post the event to the connection that the head names.

        `record` is kept on the head: it comes with the last event.
        Raises `LeaseLostError` if another processor has taken over. A gone connection is not an error.
        """
        body = event_body(event)
        seq = self._seq + 1
        new = self.shown.take()
        self._log.store(self._lease, StoredEvent(seq, body, Shown(self._lease.attempt, new) if new else None))
        status = _FINAL_STATUS.get(type(event), Status.PROCESSING)
        head = self._advance(seq, status, record)
        if status.final:
            self.ended = (status, record or AnswerRecord())
        self._post(head, stored_frame(body, request_id=self._lease.key.request_id, seq=seq))

    def heartbeat(self) -> None:
        """Prolong the lease while there is nothing to send; notices a cancel or a lost lease."""
        self._advance(self._seq, Status.PROCESSING)

    def _advance(self, seq: int, status: Status, record: AnswerRecord | None = None) -> Head:
        head = self._log.advance(self._lease, seq, self._clock() + self._lease_seconds, status, record)
        self._seq = seq
        self.cancel_requested = head.cancel_requested
        return head

    def _post(self, head: Head, frame: str) -> None:
        if head.connection_id is None:
            return
        self.connection_id = head.connection_id
        try:
            self._channel.post(head.connection_id, frame)
        except ConnectionGoneError:
            self._log.forget_connection(self._lease.key, head.connection_id)
        except DependencyError:
            # The event is stored; the client notices the gap or the silence and resumes.
            return
