"""Give requests of the dead-letter queue another chance (docs/operations/dead-letters.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from enum import StrEnum

from msgspec import Struct

from cicada.conversation.model import DeadLetter, Head, RequestKey, Status
from cicada.conversation.ports import DeadLetterQueue, RequestLog, RequestReopener
from cicada.conversation.protocol import Reset, event_body

_RESET = Reset(reason="The answer failed and is being generated again.")


class Redriven(StrEnum):
    """The result for a dead letter. `running` and `unreadable` ones stay in the queue, others are removed."""

    QUEUED = "queued"
    ENDED = "ended"
    EXPIRED = "expired"
    RUNNING = "running"
    UNREADABLE = "unreadable"


class Redriver(Struct, frozen=True):
    """An operator's commands on the dead-letter queue."""

    dead_letters: DeadLetterQueue
    log: RequestLog
    reopener: RequestReopener
    clock: Callable[[], float]

    def look(self) -> list[DeadLetter]:
        """The visible letters, oldest first; nothing is changed."""
        with closing(self.dead_letters.letters()) as letters:
            return sorted(letters, key=lambda letter: letter.sent_at)

    def redrive(self) -> Iterator[tuple[DeadLetter, Redriven]]:
        """Redrive each visible letter and yield the result.

        The letter is removed last: after a crash the next redrive finds it, and a request that is queued twice is
        answered once.
        """
        with closing(self.dead_letters.letters()) as letters:
            for letter in letters:
                yield letter, self._redrive(letter)

    def _redrive(self, letter: DeadLetter) -> Redriven:
        if letter.key is None:
            return Redriven.UNREADABLE
        outcome = self._reopen(letter.key, self.log.head(letter.key))
        if outcome is Redriven.QUEUED:
            self.dead_letters.requeue(letter.key)
        if outcome is not Redriven.RUNNING:
            self.dead_letters.remove(letter)
        return outcome

    def _reopen(self, key: RequestKey, head: Head | None) -> Redriven:
        if head is None:
            return Redriven.EXPIRED
        if head.status in (Status.COMPLETE, Status.CANCELLED):
            return Redriven.ENDED
        if head.status is Status.QUEUED:
            return Redriven.QUEUED
        if head.status is Status.PROCESSING and head.lease_until >= self.clock():
            return Redriven.RUNNING
        # Refused if a processor has taken the request since the head was read.
        return Redriven.QUEUED if self.reopener.reopen(key, head, event_body(_RESET)) else Redriven.RUNNING
