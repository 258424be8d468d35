"""Resume a request on another connection: attach it first, then read the events (docs/delivery.md)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from cicada.audit.model import DocumentsShown, ShownDocument
from cicada.conversation.model import Head, RequestKey
from cicada.conversation.ports import Channel, RequestLog, RequestQueue
from cicada.conversation.protocol import Pending, frame, stored_frame
from cicada.errors import ConnectionGoneError, RequestNotFoundError

# A margin after a lease's end: clocks differ, and the condition is strict.
_AFTER_LEASE_SECONDS = 0.5
# By then a queued processor has started, or never will: a cold start and the queue's delivery take less.
_TAKEOVER_SECONDS = 10.0


def _unaudited(record: DocumentsShown) -> None:
    """The default audit does nothing."""


class Resumer(Struct, frozen=True):
    """`audit` is called with the documents that were shown again; it does not fail.

    `queue_patience_seconds`: how long a request waits in its session's order before it is queued outside it."""

    log: RequestLog
    queue: RequestQueue
    channel: Channel
    clock: Callable[[], float]
    queue_patience_seconds: float
    audit: Callable[[DocumentsShown], object] = _unaudited

    def resume(self, key: RequestKey, after_seq: int, connection_id: str) -> str | None:
        """Replay the events after `after_seq` to the connection and direct the later ones to it.

        Returns the `pending` frame for a request that has not ended. An answer whose processor has died is queued
        again, in a group of its own, because the session's group waits for the dead one. Raises `RequestNotFoundError`
        for a request that does not exist or is another user's.
        """
        head = self.log.attach(key, connection_id)
        if head is None:
            raise RequestNotFoundError("There is no such request. It may have expired; ask again with a new requestId.")
        wait = None if head.status.final else self._wait(key, head)
        shown: dict[ShownDocument, None] = {}
        try:
            for event in self.log.events(key, after_seq, head.last_seq):
                self.channel.post(connection_id, stored_frame(event.body, request_id=key.request_id, seq=event.seq))
                shown |= dict.fromkeys(event.shown.documents if event.shown else ())
        except ConnectionGoneError:
            self.log.forget_connection(key, connection_id)
        if shown:
            self.audit(self._replayed(key, head, tuple(shown), connection_id))
        return frame(Pending(retry_after_seconds=round(wait, 1)), request_id=key.request_id) if wait else None

    def _replayed(
        self, key: RequestKey, head: Head, documents: tuple[ShownDocument, ...], connection_id: str
    ) -> DocumentsShown:
        who = key.principal
        return DocumentsShown(
            at=self.clock(),
            tenant=who.tenant,
            user=who.user,
            login=who.login,
            request_id=key.request_id,
            attempt=head.attempt,
            connection_id=connection_id,
            knowledge_base=documents[0].knowledge_base,
            outcome="replayed",
            documents=documents,
        )

    def _wait(self, key: RequestKey, head: Head) -> float:
        """Seconds until the next `resume`. Queues a takeover if the lease has run out or no processor came in time."""
        until = head.lease_until if head.attempt > 0 else head.created_at + self.queue_patience_seconds
        patience = until - self.clock()
        if patience >= 0:
            return patience + _AFTER_LEASE_SECONDS
        self.queue.enqueue_takeover(key, head.attempt)
        return _TAKEOVER_SECONDS
