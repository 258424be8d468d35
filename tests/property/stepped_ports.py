"""The conversation's ports in memory, each call of which is a step that waits for the baton."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from cicada.agents.model import AgentTurn
from cicada.conversation.model import AnswerRecord, Head, Lease, NewRequest, RequestKey, Status, StoredEvent
from cicada.errors import ConnectionGoneError, StreamBrokenError
from cicada.identity import Principal
from tests.fakes.request_log import InMemoryRequestLog
from tests.property.baton import Actor, actor_here, pause

WORDS = 4


class SteppedLog(InMemoryRequestLog):
    """The log's rows are read and written by one actor at a time."""

    def create(self, request: NewRequest, accepted: str) -> bool:
        pause("create")
        return super().create(request, accepted)

    def attach(self, key: RequestKey, connection_id: str) -> Head | None:
        pause("point")
        return super().attach(key, connection_id)

    def forget_connection(self, key: RequestKey, connection_id: str) -> None:
        pause("forget")
        super().forget_connection(key, connection_id)

    def events(self, key: RequestKey, after_seq: int, last_seq: int) -> Iterator[StoredEvent]:
        for seq in range(after_seq, last_seq):
            pause("read")
            yield from super().events(key, seq, seq + 1)

    def take_lease(self, key: RequestKey, now: float, until: float) -> Lease | None:
        pause("take lease")
        return super().take_lease(key, now, until)

    def store(self, lease: Lease, event: StoredEvent) -> None:
        pause("store")
        super().store(lease, event)
        if actor := actor_here():
            actor.stored = event.body

    def advance(self, lease: Lease, seq: int, until: float, status: Status, record: AnswerRecord | None = None) -> Head:
        pause("advance")
        head = super().advance(lease, seq, until, status, record)
        if actor := actor_here():
            _tell_answer(actor)
        return head

    def claim_takeover(self, key: RequestKey, attempt: int, now: float, until: float) -> bool:
        pause("claim take-over")
        return super().claim_takeover(key, attempt, now, until)

    def request_cancel(self, key: RequestKey) -> Head | None:
        pause("cancel")
        return super().request_cancel(key)


def _tell_answer(actor: Actor) -> None:
    """A word counts, or the status after which the first one comes; see `SteppedAgent`."""
    if actor.stored.startswith(('{"type":"chunk"', '{"type":"status","stage":"agent"')):
        actor.counted.release()
    actor.stored = ""


@dataclass
class SteppedQueue:
    """Every queued message may be delivered at any time, and repeatedly.

    As on SQS a repeat within five minutes is dropped; of a take-over, one within the same ten seconds.
    """

    clock: Callable[[], float]
    messages: list[RequestKey] = field(default_factory=list)
    buried: list[RequestKey] = field(default_factory=list)
    _queued_at: dict[RequestKey, float] = field(default_factory=dict)
    _takeovers: set[tuple[RequestKey, int, float]] = field(default_factory=set)

    def enqueue(self, key: RequestKey, session_id: str) -> None:
        pause("enqueue")
        if self._queued_at.get(key, 0) < self.clock() - 300:
            self._queued_at[key] = self.clock()
            self.messages.append(key)

    def enqueue_takeover(self, key: RequestKey, attempt: int) -> None:
        pause("enqueue take-over")
        repeat = (key, attempt, self.clock() // 10)
        if repeat not in self._takeovers:
            self._takeovers.add(repeat)
            self.messages.append(key)

    def dead_letter(self, key: RequestKey, reason: str) -> None:
        pause("bury")
        self.buried.append(key)


@dataclass
class SteppedChannel:
    """Frames on their way over each open connection; `posted` keeps all that were ever accepted for one."""

    under_way: dict[str, list[str]] = field(default_factory=dict)
    posted: list[tuple[str, str]] = field(default_factory=list)

    def open(self, connection_id: str) -> None:
        self.under_way[connection_id] = []

    def close(self, connection_id: str) -> None:
        self.under_way.pop(connection_id, None)

    def post(self, connection_id: str, frame: str) -> None:
        pause("post")
        if connection_id not in self.under_way:
            raise ConnectionGoneError("The connection does not exist any more.")
        self.posted.append((connection_id, frame))
        self.under_way[connection_id].append(frame)


@dataclass
class Generations:
    """Every answer that was begun, by number: its text names the number and who asked."""

    texts: list[str] = field(default_factory=list)

    def begin(self, principal: Principal) -> list[str]:
        words = [f"{principal.user} {len(self.texts)}.{place} " for place in range(WORDS)]
        self.texts.append("".join(words))
        return words

    def of(self, principal: Principal) -> list[str]:
        return [text for text in self.texts if text.startswith(f"{principal.user} ")]


@dataclass(frozen=True)
class SteppedAgent:
    """Says one word, and the next once the last one counts, so that nothing is left to the threads' timing.

    `breaks`: for each answer in turn, the word ahead of which it breaks off; after these, answers are whole.
    """

    actor: Actor
    generations: Generations
    breaks: list[int]

    def reply(self, turn: AgentTurn) -> Iterator[str]:
        words = self.generations.begin(turn.principal)
        breaks_at = self.breaks.pop(0) if self.breaks else WORDS
        self._wait()
        for place, word in enumerate(words):
            if place == breaks_at:
                raise StreamBrokenError("The stream broke off.")
            yield word
            self._wait()

    def _wait(self) -> None:
        if not self.actor.ended:
            self.actor.counted.acquire()
