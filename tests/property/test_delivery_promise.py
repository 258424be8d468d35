"""The promise: a client that resumes assembles exactly the generated text, whatever was lost on the way.

A client, and processors that die, step in at any moment between two steps of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cicada.conversation.delivery import Delivery
from cicada.conversation.protocol import AnyEventBody, Chunk, Complete, Reset, Usage
from cicada.errors import LeaseLostError
from tests.unit.conversation.situation import KEY, LEASE_SECONDS, Situation

WORDS = [f"word{number} " for number in range(6)]
WHOLE = Complete(usage=Usage(), timings={}, path=("general",), confidence=None)


class Died(Exception):
    """The processor's process has ended here."""


@dataclass
class Client:
    """Keeps events by number, as clients do, and comes back over a new connection each time."""

    here: Situation
    connection: str = "c1"
    seen: dict[int, dict[str, Any]] = field(default_factory=dict)
    reconnects: int = 1

    def read(self) -> None:
        for event in self.here.received(self.connection):
            if event["seq"] in self.seen:
                assert self.seen[event["seq"]] == event
            self.seen[event["seq"]] = event

    def whole_until(self) -> int:
        """The last number before the first gap."""
        last = 0
        while last + 1 in self.seen:
            last += 1
        return last

    def leave(self) -> None:
        self.read()
        self.here.channel.closed.add(self.connection)

    def come_back(self) -> None:
        self.leave()
        self.reconnects += 1
        self.connection = f"c{self.reconnects}"
        self.here.resumer.resume(KEY, self.whole_until(), self.connection)
        self.read()

    def text(self) -> str:
        parts: list[str] = []
        for seq in range(1, self.whole_until() + 1):
            if self.seen[seq]["type"] == "chunk":
                parts.append(self.seen[seq]["content"])
            elif self.seen[seq]["type"] == "reset":
                parts.clear()
        return "".join(parts)


@dataclass
class Chance:
    """Decides at each step whether another actor steps in; at most one does at a time."""

    here: Situation
    client: Client
    decisions: list[str]
    busy: bool = False

    def step(self, *_: object) -> None:
        if self.busy or not self.decisions:
            return
        self.busy = True
        try:
            self.act(self.decisions.pop())
        finally:
            self.busy = False

    def act(self, decision: str) -> None:
        if decision == "die":
            raise Died
        acts: dict[str, Callable[[], None]] = {"leave": self.client.leave, "come back": self.client.come_back}
        acts.get(decision, lambda: None)()


def deliver(delivery: Delivery, events: Sequence[AnyEventBody]) -> None:
    for event in events:
        delivery.send(event)


def answer(here: Situation) -> None:
    """What processors do until one of them has finished: each begins again where the last one died."""
    for attempt in range(30):
        here.clock.now += LEASE_SECONDS + 1
        lease = here.log.take_lease(KEY, here.clock(), here.clock() + LEASE_SECONDS)
        if lease is None:
            return
        again = [Reset(reason="again")] if lease.last_seq > 1 else []
        try:
            deliver(here.delivery(lease), [*again, *(Chunk(content=f"{attempt}:{word}") for word in WORDS), WHOLE])
        except Died:
            continue


@settings(max_examples=300)
@given(st.lists(st.sampled_from(["leave", "come back", "nothing", "nothing", "die"]), max_size=60))
def test_a_client_that_comes_and_goes_assembles_exactly_the_last_answer(decisions: list[str]) -> None:
    here = Situation()
    here.ask()
    client = Client(here)
    client.seen[1] = {"requestId": KEY.request_id, "seq": 1, "type": "accepted", "sessionId": KEY.request_id}
    chance = Chance(here, client, decisions)
    here.log.before = chance.step
    here.channel.before_post = chance.step
    answer(here)
    decisions.clear()
    client.come_back()
    head = here.head()
    assert client.whole_until() == head.last_seq == max(client.seen)
    assert client.seen[head.last_seq]["type"] == "complete"
    assert client.text() == "".join(f"{head.attempt - 1}:{word}" for word in WORDS)


@settings(max_examples=100)
@given(st.lists(st.sampled_from(["leave", "come back", "nothing"]), max_size=40))
def test_a_client_that_is_there_at_the_end_has_missed_nothing(decisions: list[str]) -> None:
    here = Situation()
    here.ask()
    client = Client(here)
    client.seen[1] = {"requestId": KEY.request_id, "seq": 1, "type": "accepted", "sessionId": KEY.request_id}
    here.channel.before_post = chance = Chance(here, client, [*decisions, "come back"]).step
    here.log.before = chance
    answer(here)
    client.read()
    if client.connection not in here.channel.closed:
        assert client.whole_until() == here.head().last_seq


def test_a_processor_that_is_thought_dead_cannot_spoil_the_answer_of_its_successor() -> None:
    here = Situation()
    here.ask()
    old = here.delivery()
    old.send(Chunk(content="old "))
    here.clock.now += LEASE_SECONDS + 1
    new = here.delivery()
    for event in (Reset(reason="again"), Chunk(content="new "), Chunk(content="words")):
        new.send(event)
        with pytest.raises(LeaseLostError):
            old.send(Chunk(content="spoilt"))
    new.send(WHOLE)
    client = Client(here)
    client.come_back()
    assert client.text() == "new words"
