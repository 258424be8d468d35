"""Resume a request on another connection: point first, then read (docs/delivery.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cicada.conversation.model import Head, RequestKey
from cicada.conversation.ports import Channel, RequestLog, RequestQueue
from cicada.conversation.protocol import stored_frame
from cicada.errors import ConnectionGone, RequestNotFound


@dataclass(frozen=True, slots=True)
class Resumer:
    """`queue_patience_seconds`: how long a request may wait for its session's turn before it is queued beside it."""

    log: RequestLog
    queue: RequestQueue
    channel: Channel
    clock: Callable[[], float]
    queue_patience_seconds: float

    def resume(self, key: RequestKey, after_seq: int, connection_id: str) -> None:
        """Replay the events after `after_seq` to the connection and direct the later ones to it.

        Raises `RequestNotFound` for a request that does not exist or is another user's. An answer whose processor
        has died is queued again, in a group of its own, because the session's group waits for the dead one.
        """
        head = self.log.point(key, connection_id)
        if head is None:
            raise RequestNotFound("There is no such request. It may have expired; ask again with a new requestId.")
        if self._abandoned(head):
            self.queue.enqueue_takeover(key, head.attempt)
        try:
            for event in self.log.events(key, after_seq, head.last_seq):
                self.channel.post(connection_id, stored_frame(event.body, request_id=key.request_id, seq=event.seq))
        except ConnectionGone:
            self.log.forget_connection(key, connection_id)

    def _abandoned(self, head: Head) -> bool:
        """Nobody answers: the lease has run out, or no processor has come in time."""
        now = self.clock()
        if head.status.final or head.lease_until > now:
            return False
        return head.attempt > 0 or head.created_at + self.queue_patience_seconds < now
