"""The dead-letter queue in memory."""

from __future__ import annotations

from collections.abc import Callable, Generator

from cicada.conversation.model import RequestKey
from cli.operator.dead_letters import DeadLetter


class InMemoryDeadLetters:
    """`put` is what processors and SQS do. Keeps what was queued again; `before` is told of each step ahead of it."""

    def __init__(self) -> None:
        self.waiting: list[DeadLetter] = []
        self.requeued: list[RequestKey] = []
        self.before: Callable[[str], object] = lambda step: None
        self._put = 0

    def put(self, key: RequestKey | None, reason: str | None, sent_at: float) -> None:
        self._put += 1
        self.waiting.append(DeadLetter(str(self._put), key, reason, sent_at))

    def count(self) -> int:
        return len(self.waiting)

    def letters(self) -> Generator[DeadLetter]:
        yield from list(self.waiting)

    def requeue(self, key: RequestKey) -> None:
        self.before("requeue")
        self.requeued.append(key)

    def remove(self, letter: DeadLetter) -> None:
        self.before("remove")
        self.waiting.remove(letter)
