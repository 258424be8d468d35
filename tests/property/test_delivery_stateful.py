"""The real code of accepting, processing, delivering and resuming, run one port call at a time by a scheduler.

Hypothesis decides who goes on, who dies, what the network does and when leases run out.
"""

from __future__ import annotations

from contextlib import closing

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from cicada.answering.process import Processed
from cicada.conversation.model import Status
from cicada.conversation.resume import QUEUE_PATIENCE_SECONDS
from cicada.errors import RequestConflictError, RequestNotFoundError
from tests.property.delivery_world import ANNS, World
from tests.property.stepped_machine import SteppedMachine, some
from tests.property.stepped_ports import WORDS
from tests.unit.conversation.situation import ANN, LEASE_SECONDS

_ACTORS_AT_ONCE = 5


class Delivering(SteppedMachine):
    """Ann asks, and everything that can happen to her answer happens."""

    world: World
    may_cancel: bool

    @initialize(breaks=st.lists(st.integers(0, WORDS), max_size=3), cancels=st.integers(0, 3))
    def begin(self, breaks: list[int], cancels: int) -> None:
        self.world = World(breaks)
        # Else hardly an answer would come to its end.
        self.may_cancel = cancels == 3
        self.world.connect()
        assert self.world.connection
        self.world.send(self.world.connection)

    def teardown(self) -> None:
        if hasattr(self, "world"):
            with closing(self.world):
                self.world.finish()

    # ---- who begins something ----

    def _room(self) -> bool:
        return len(self.world.actors) < _ACTORS_AT_ONCE

    def _there(self) -> bool:
        return self.world.connection is not None

    @precondition(lambda self: self._room() and self._there())
    @rule()
    def send_again(self) -> None:
        self.world.send(self.world.connection or "")

    @precondition(lambda self: self._room() and self._there())
    @rule()
    def resume(self) -> None:
        self.world.resume(self.world.connection or "")

    @precondition(lambda self: self._room() and self.world.queue.messages)
    @rule(which=some)
    def deliver_a_message(self, which: int) -> None:
        self.world.deliver(which % len(self.world.queue.messages))

    @precondition(lambda self: self._room() and self.may_cancel)
    @rule()
    def cancel(self) -> None:
        self.world.cancel()

    @precondition(lambda self: self._room())
    @rule(asks=st.booleans())
    def bob_tries_the_same_request_id(self, asks: bool) -> None:
        if asks:
            self.world.send("bob", "Bob's own question")
        else:
            self.world.resume("bob")

    # ---- what becomes of it ----

    @rule(seconds=st.sampled_from([1.0, LEASE_SECONDS + 1, QUEUE_PATIENCE_SECONDS + 1]))
    def let_time_pass(self, seconds: float) -> None:
        self.world.clock.now += seconds

    # ---- the network ----

    def _frames(self) -> bool:
        return bool(self.world.channel.under_way.get(self.world.connection or ""))

    @precondition(_frames)
    @rule(which=some, again=st.booleans())
    def receive(self, which: int, again: bool) -> None:
        self.world.receive(which, again=again)

    @precondition(_frames)
    @rule(which=some)
    def lose(self, which: int) -> None:
        frames = self.world.channel.under_way[self.world.connection or ""]
        frames.pop(which % len(frames))

    @precondition(_there)
    @rule()
    def leave(self) -> None:
        self.world.disconnect()

    @precondition(lambda self: not self._there())
    @rule()
    def come_back(self) -> None:
        self.world.connect()


TestDelivering = Delivering.TestCase
TestDelivering.settings = settings(
    max_examples=100, stateful_step_count=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def asked(world: World) -> None:
    """Ann's message has been accepted and queued."""
    world.connect()
    world.run(world.send("ann 1"))


def interleave(world: World, decisions: list[int]) -> None:
    """Everybody goes on to the end, in the order of the decisions."""
    for decision in decisions:
        if world.actors:
            world.step(world.actors[decision % len(world.actors)])
    while world.actors:
        world.run(world.actors[0])


@settings(max_examples=60)
@given(st.lists(some, max_size=80))
def test_a_request_sent_and_delivered_several_times_at_once_is_answered_once(decisions: list[int]) -> None:
    with closing(World()) as world:
        asked(world)
        for _ in range(2):
            world.send("ann 1")
            world.deliver(0)
        world.resume("ann 1")
        interleave(world, decisions)
        assert sorted(world.outcomes) == [Processed.COMPLETE, Processed.SKIPPED]
        assert world.queue.messages == [ANNS]
        assert len(world.generations.of(ANN)) == 1
        world.finish()
        assert world.assembly.text == world.generations.of(ANN)[0]


@settings(max_examples=60)
@given(st.lists(some, max_size=60), st.integers(0, 40))
def test_a_slow_processor_and_its_successor_give_one_answer(decisions: list[int], expires_after: int) -> None:
    with closing(World()) as world:
        asked(world)
        slow = world.deliver(0)
        for _ in range(expires_after):
            if not slow.ended:
                world.step(slow)
        world.clock.now += LEASE_SECONDS + 1
        world.deliver(0)
        interleave(world, decisions)
        assert world.outcomes.count(Processed.COMPLETE) == 1
        head = world.log.head(ANNS)
        assert head
        assert head.status is Status.COMPLETE
        world.finish()
        assert world.assembly.text in world.generations.of(ANN)


@settings(max_examples=60)
@given(st.lists(some, max_size=60), st.integers(0, 40))
def test_a_client_that_comes_back_once_and_stays_gets_everything_unasked(decisions: list[int], leaves: int) -> None:
    with closing(World()) as world:
        asked(world)
        processor = world.deliver(0)
        for _ in range(leaves):
            if not processor.ended:
                world.step(processor)
        world.disconnect()
        world.connect()
        world.resume("ann 2")
        interleave(world, decisions)
        while world.channel.under_way["ann 2"]:
            world.receive(0)
        assert world.assembly.status == "complete"
        assert world.assembly.text == world.generations.of(ANN)[0]


@settings(max_examples=50)
@given(st.lists(some, max_size=60))
def test_another_message_under_the_same_request_id_is_refused_and_changes_nothing(decisions: list[int]) -> None:
    with closing(World()) as world:
        asked(world)
        world.deliver(0)
        other = world.send("ann 1", "Another question")
        interleave(world, decisions)
        assert isinstance(other.error, RequestConflictError)
        question = world.log.question(ANNS)
        assert question
        assert question.message == "Who?"
        assert world.outcomes == [Processed.COMPLETE]


@settings(max_examples=50)
@given(st.lists(some, max_size=60))
def test_a_stranger_who_knows_the_request_id_gets_nothing_of_the_answer(decisions: list[int]) -> None:
    with closing(World()) as world:
        asked(world)
        world.deliver(0)
        stranger = world.resume("bob")
        interleave(world, decisions)
        assert isinstance(stranger.error, RequestNotFoundError)
        assert world.channel.under_way["bob"] == []
