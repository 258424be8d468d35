from __future__ import annotations

import pytest

from cicada.conversation.model import Status, StoredEvent
from cicada.conversation.protocol import AnyEventBody, Cancelled, Chunk, Failed, Reset, event_body
from cicada.errors import ConfigurationError, ConnectionGoneError, LeaseLostError, ThrottledError, UnavailableError
from tests.unit.conversation.situation import KEY, LEASE_SECONDS, WHOLE, Situation

REFUSED = Failed(error="No.", code="internal", retryable=False)


@pytest.fixture
def here() -> Situation:
    made = Situation()
    made.ask()
    return made


def stored(here: Situation) -> list[StoredEvent]:
    return list(here.log.events(KEY, 0, here.head().last_seq))


def test_an_event_is_stored_then_the_connection_is_looked_up_then_it_is_sent(here: Situation) -> None:
    delivery = here.delivery()
    steps: list[str] = []
    here.log.before = steps.append
    here.channel.before_post = lambda connection_id, frame: steps.append(f"post to {connection_id}")
    delivery.send(Chunk(content="a"))
    assert steps == ["store", "advance", "post to c1"]


def test_it_is_sent_to_the_connection_of_the_moment_after_it_was_stored(here: Situation) -> None:
    delivery = here.delivery()

    def reconnect(step: str) -> None:
        if step == "advance":
            here.log.before = lambda step: None
            here.log.attach(KEY, "c2")

    here.log.before = reconnect
    delivery.send(Chunk(content="a"))
    assert (here.numbers("c1"), here.numbers("c2")) == ([], [2])


def test_numbers_go_on_from_the_last_event_of_the_lease(here: Situation) -> None:
    first = here.delivery()
    first.send(Chunk(content="a"))
    first.send(Chunk(content="b"))
    here.clock.now += LEASE_SECONDS + 1
    second = here.delivery()
    second.send(Reset(reason="again"))
    second.send(Chunk(content="c"))
    assert here.numbers("c1") == [2, 3, 4, 5]
    assert [event.seq for event in stored(here)] == [1, 2, 3, 4, 5]


def test_a_heartbeat_prolongs_the_lease_and_sends_nothing(here: Situation) -> None:
    delivery = here.delivery()
    delivery.send(Chunk(content="a"))
    here.clock.now += LEASE_SECONDS - 1
    delivery.heartbeat()
    head = here.head()
    assert (head.lease_until, head.last_seq) == (here.clock() + LEASE_SECONDS, 2)
    assert here.numbers("c1") == [2]


@pytest.mark.parametrize(
    ("event", "status"),
    [
        (Chunk(content="a"), Status.PROCESSING),
        (Reset(reason="again"), Status.PROCESSING),
        (WHOLE, Status.COMPLETE),
        (Cancelled(), Status.CANCELLED),
        (REFUSED, Status.FAILED),
    ],
)
def test_the_last_event_and_the_final_status_are_one_step(here: Situation, event: AnyEventBody, status: Status) -> None:
    here.delivery().send(event)
    assert (here.head().status, here.head().last_seq) == (status, 2)


def test_a_cancel_is_learnt_of_by_the_next_event_or_heartbeat(here: Situation) -> None:
    delivery = here.delivery()
    delivery.send(Chunk(content="a"))
    assert not delivery.cancel_requested
    here.log.request_cancel(KEY)
    assert not delivery.cancel_requested
    delivery.heartbeat()
    assert delivery.cancel_requested


def test_a_gone_connection_does_not_stop_the_answer(here: Situation) -> None:
    delivery = here.delivery()
    here.channel.closed.add("c1")
    for word in "abc":
        delivery.send(Chunk(content=word))
    assert here.head().connection_id is None
    assert here.numbers("c1") == []
    assert [event.body for event in stored(here)][1:] == [event_body(Chunk(content=word)) for word in "abc"]
    here.log.attach(KEY, "c2")
    delivery.send(WHOLE)
    assert here.numbers("c2") == [5]


def test_a_gone_connection_is_asked_once(here: Situation) -> None:
    delivery = here.delivery()
    posts: list[str] = []

    def gone(connection_id: str, frame: str) -> None:
        posts.append(connection_id)
        raise ConnectionGoneError("The connection does not exist any more.")

    here.channel.before_post = gone
    delivery.send(Chunk(content="a"))
    delivery.send(Chunk(content="b"))
    assert posts == ["c1"]


def test_a_gone_connection_does_not_take_a_newer_one_with_it(here: Situation) -> None:
    delivery = here.delivery()

    def reconnect(connection_id: str, frame: str) -> None:
        here.log.attach(KEY, "c2")

    here.channel.closed.add("c1")
    here.channel.before_post = reconnect
    delivery.send(Chunk(content="a"))
    assert here.head().connection_id == "c2"


@pytest.mark.parametrize("failure", [ThrottledError("Fewer posts."), UnavailableError("Out of reach.")])
def test_a_channel_that_fails_does_not_stop_the_answer(here: Situation, failure: Exception) -> None:
    delivery = here.delivery()

    def fail(connection_id: str, frame: str) -> None:
        here.channel.before_post = lambda connection_id, frame: None
        raise failure

    here.channel.before_post = fail
    delivery.send(Chunk(content="a"))
    delivery.send(Chunk(content="b"))
    assert here.numbers("c1") == [3]
    assert len(stored(here)) == 3
    assert here.head().connection_id == "c1"


def test_a_function_that_may_not_post_is_its_operators_to_mend(here: Situation) -> None:
    def refuse(connection_id: str, frame: str) -> None:
        raise ConfigurationError("The function may not post to connections.")

    here.channel.before_post = refuse
    with pytest.raises(ConfigurationError):
        here.delivery().send(Chunk(content="a"))
    assert len(stored(here)) == 2


def test_who_has_lost_the_lease_sends_nothing(here: Situation) -> None:
    old = here.delivery()
    old.send(Chunk(content="a"))
    here.clock.now += LEASE_SECONDS + 1
    new = here.delivery()
    with pytest.raises(LeaseLostError):
        old.send(Chunk(content="b"))
    new.send(Reset(reason="again"))
    with pytest.raises(LeaseLostError):
        old.send(Chunk(content="b"))
    with pytest.raises(LeaseLostError):
        old.heartbeat()
    assert here.numbers("c1") == [2, 3]
    assert [event["type"] for event in here.received("c1")] == ["chunk", "reset"]
    assert stored(here)[-1].body == event_body(Reset(reason="again"))


def test_what_could_not_be_stored_is_not_sent_and_its_number_is_used_again(here: Situation) -> None:
    delivery = here.delivery()

    def fail(step: str) -> None:
        here.log.before = lambda step: None
        raise UnavailableError("The database could not be reached.")

    for step in ("store", "advance"):
        here.log.before = lambda now, step=step: fail(now) if now == step else None  # type: ignore[misc]
        with pytest.raises(UnavailableError):
            delivery.send(Chunk(content="lost"))
        assert here.numbers("c1") == []
    delivery.send(Chunk(content="a"))
    assert here.numbers("c1") == [2]
    assert [event.body for event in stored(here)][1:] == [event_body(Chunk(content="a"))]
