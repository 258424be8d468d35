"""Resume a request on another connection: attach it first, then read the events (docs/delivery.md)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from cicada.conversation.limits import EVENT, QUEUED_AGAIN, UsageLimits
from cicada.conversation.model import Head, RequestKey
from cicada.conversation.ports import Channel, RequestLog, RequestQueue
from cicada.conversation.protocol import Pending, frame, stored_frame
from cicada.conversation.withholding import Withholding
from cicada.errors import ConnectionGoneError, RequestNotFoundError
from cicada.observability.audit import DocumentsShown, ShownDocument, shown_to
from cicada.observability.telemetry import ignore

# A margin after a lease's end: clocks differ, and the condition is strict.
_AFTER_LEASE_SECONDS = 0.5
QUEUE_PATIENCE_SECONDS = 30.0
"""How long a request waits in its session's order before it is queued outside it."""


class Resumer(Struct, frozen=True):
    """Replays stored events. `withholding`: what of them the user may still see.

    `audit` is called with the documents that were shown again; it does not fail.

    `lease_seconds`: in this time no more than one take-over is queued. A queued processor has started by then, or never
    will: a cold start and the queue's delivery take less.
    """

    log: RequestLog
    queue: RequestQueue
    channel: Channel
    clock: Callable[[], float]
    withholding: Withholding
    limits: UsageLimits
    audit: Callable[[DocumentsShown], object] = ignore
    lease_seconds: float = 15

    def resume(self, key: RequestKey, after_seq: int, connection_id: str) -> str | None:
        """Replay the events after `after_seq` to the connection and direct the later ones to it.

        Returns the `pending` frame for a request that has not ended. An answer whose processor has died is queued
        again, in a group of its own, because the session's group waits for the dead one. Raises `RequestNotFoundError`
        for a request that does not exist or is another user's, `LimitExceededError` if the user has to wait for so many
        events.
        """
        head = self.log.attach(key, connection_id)
        if head is None:
            raise RequestNotFoundError("There is no such request. It may have expired; ask again with a new requestId.")
        wait = None if head.status.final else self._wait(head)
        is_abandoned = wait is not None and wait < 0
        cost = EVENT * max(0, head.last_seq - after_seq) + QUEUED_AGAIN * is_abandoned
        if cost:
            self.limits.spend(key.principal, cost)
        if is_abandoned:
            wait = self._queue_again(key, head)
        self._replay(key, after_seq, head, connection_id)
        return frame(Pending(retry_after_seconds=round(wait, 1)), request_id=key.request_id) if wait else None

    def _replay(self, key: RequestKey, after_seq: int, head: Head, connection_id: str) -> None:
        """Post the events as the user may see them now, and record which documents were shown again."""
        shown: dict[ShownDocument, None] = {}
        # All documents of a request are in one base. An event before that with the sources may be the one that names
        # them as shown.
        withheld: set[str] = set()
        try:
            for stored in self.log.events(key, after_seq, head.last_seq):
                again = self.withholding.shown(key.principal, stored)
                body = stored_frame(again.event.body, request_id=key.request_id, seq=stored.seq)
                self.channel.post(connection_id, body)
                shown |= dict.fromkeys(stored.shown.documents if stored.shown else ())
                withheld |= {each.document_id for each in again.withheld}
        except ConnectionGoneError:
            self.log.forget_connection(key, connection_id)
        finally:
            # What was posted before a failure was shown.
            if documents := tuple(each for each in shown if each.document_id not in withheld):
                record = shown_to(key.principal, key.request_id, head.attempt, "replayed", documents, self.clock())
                self.audit(replace(record, connection_id=connection_id))

    def _wait(self, head: Head) -> float:
        """Seconds until a take-over is due; negative if the lease has run out or no processor came in time."""
        until = head.lease_until if head.attempt > 0 else head.created_at + QUEUE_PATIENCE_SECONDS
        patience = max(until, head.takeover_until) - self.clock()
        return patience + _AFTER_LEASE_SECONDS if patience >= 0 else patience

    def _queue_again(self, key: RequestKey, head: Head) -> float:
        """Seconds until the next `resume`. Of several at the same moment one queues."""
        now = self.clock()
        if self.log.claim_takeover(key, head.attempt, now, now + self.lease_seconds):
            self.queue.enqueue_takeover(key, head.attempt)
        return self.lease_seconds + _AFTER_LEASE_SECONDS
