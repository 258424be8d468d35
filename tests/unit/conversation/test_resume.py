from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.conversation.limits import UsageLimits
from cicada.conversation.model import RequestKey
from cicada.conversation.protocol import Chunk
from cicada.conversation.resume import QUEUE_PATIENCE_SECONDS
from cicada.errors import LimitExceededError, RequestNotFoundError, ThrottledError, UnavailableError
from tests.fakes.usage_table import InMemoryUsageTable
from tests.unit.conversation.situation import BOB, ID, KEY, LEASE_SECONDS, WHOLE, Situation, retry_after


@pytest.fixture
def here() -> Situation:
    made = Situation()
    made.ask()
    return made


@pytest.mark.parametrize(("after", "replayed"), [(0, [1, 2, 3, 4]), (1, [2, 3, 4]), (3, [4]), (4, []), (99, [])])
def test_events_after_the_last_one_seen_are_replayed_in_order(here: Situation, after: int, replayed: list[int]) -> None:
    delivery = here.delivery()
    for word in "abc":
        delivery.send(Chunk(content=word))
    here.resumer.resume(KEY, after, "c2")
    assert here.numbers("c2") == replayed
    assert here.head().connection_id == "c2"


def test_it_points_first_and_then_reads(here: Situation) -> None:
    steps: list[str] = []
    here.log.before = steps.append
    here.channel.before_post = lambda connection_id, frame: steps.append("post")
    here.resumer.resume(KEY, 0, "c2")
    assert steps == ["point", "events", "post"]


@pytest.mark.parametrize("between", ["point", "events"])
def test_an_event_that_comes_before_or_after_the_pointing_is_not_missed(here: Situation, between: str) -> None:
    delivery = here.delivery()
    delivery.send(Chunk(content="a"))

    def step_in(step: str) -> None:
        if step == between:
            here.log.before = lambda step: None
            delivery.send(Chunk(content="b"))

    here.log.before = step_in
    here.resumer.resume(KEY, 1, "c2")
    delivery.send(Chunk(content="c"))
    assert sorted(set(here.numbers("c2"))) == [2, 3, 4]


def test_an_event_that_is_stored_but_does_not_count_yet_is_not_replayed(here: Situation) -> None:
    delivery = here.delivery()

    def step_in(step: str) -> None:
        if step == "advance":
            here.log.before = lambda step: None
            here.resumer.resume(KEY, 0, "c2")
            assert here.numbers("c2") == [1]

    here.log.before = step_in
    delivery.send(Chunk(content="a"))
    assert here.numbers("c2") == [1, 2]


@pytest.mark.parametrize("key", [RequestKey(BOB, ID), RequestKey(KEY.principal, ID.upper())])
def test_a_request_that_is_not_the_users_does_not_exist(here: Situation, key: RequestKey) -> None:
    with pytest.raises(RequestNotFoundError):
        here.resumer.resume(key, 0, "c-bob")
    assert here.channel.frames == {}
    assert here.head().connection_id == "c1"


def test_an_expired_request_does_not_exist(here: Situation) -> None:
    here.clock.now += 3601
    with pytest.raises(RequestNotFoundError):
        here.resumer.resume(KEY, 0, "c2")


def test_a_connection_that_is_gone_again_while_events_are_replayed_is_forgotten(here: Situation) -> None:
    delivery = here.delivery()
    for word in "abc":
        delivery.send(Chunk(content=word))

    def leave_after_two(connection_id: str, frame: str) -> None:
        if len(here.numbers("c2")) == 2:
            here.channel.closed.add("c2")

    here.channel.before_post = leave_after_two
    here.resumer.resume(KEY, 0, "c2")
    assert here.numbers("c2") == [1, 2]
    assert here.head().connection_id is None
    here.resumer.resume(KEY, 2, "c3")
    assert here.numbers("c3") == [3, 4]


def test_a_connection_that_is_gone_does_not_take_a_newer_one_with_it(here: Situation) -> None:
    def reconnect(connection_id: str, frame: str) -> None:
        here.log.attach(KEY, "c3")

    here.channel.closed.add("c2")
    here.channel.before_post = reconnect
    here.resumer.resume(KEY, 0, "c2")
    assert here.head().connection_id == "c3"


def test_a_channel_that_fails_while_events_are_replayed_is_the_clients_to_know(here: Situation) -> None:
    def fail(connection_id: str, frame: str) -> None:
        raise ThrottledError("The connection endpoint asks for fewer posts.")

    here.channel.before_post = fail
    with pytest.raises(ThrottledError):
        here.resumer.resume(KEY, 0, "c2")
    assert here.head().connection_id == "c2"


def test_an_answer_whose_processor_died_is_queued_beside_its_session(here: Situation) -> None:
    here.lease()
    here.clock.now += LEASE_SECONDS + 1
    assert retry_after(here.resumer.resume(KEY, 0, "c2")) == LEASE_SECONDS + 0.5
    assert here.queue.takeovers == [(KEY, 1)]
    here.resumer.resume(KEY, 0, "c3")
    assert here.queue.takeovers == [(KEY, 1)]


def test_an_answer_whose_processor_lives_is_not_queued_again(here: Situation) -> None:
    delivery = here.delivery()
    for _ in range(5):
        here.clock.now += LEASE_SECONDS - 1
        delivery.heartbeat()
    here.clock.now += 2
    assert retry_after(here.resumer.resume(KEY, 0, "c2")) == LEASE_SECONDS - 2 + 0.5
    assert here.queue.takeovers == []


def test_the_reply_says_when_a_resume_replaces_a_dead_processor(here: Situation) -> None:
    here.lease()
    wait = retry_after(here.resumer.resume(KEY, 0, "c2"))
    here.clock.now += wait
    here.resumer.resume(KEY, 0, "c2")
    assert here.queue.takeovers == [(KEY, 1)]
    assert wait == LEASE_SECONDS + 0.5


def test_an_answer_that_has_ended_is_not_queued_again(here: Situation) -> None:
    here.delivery().send(WHOLE)
    here.clock.now += 1000
    assert here.resumer.resume(KEY, 0, "c2") is None
    assert here.queue.takeovers == []
    assert [event["type"] for event in here.received("c2")] == ["accepted", "complete"]


@pytest.mark.parametrize(
    ("waited", "takeovers", "wait"),
    [
        (QUEUE_PATIENCE_SECONDS - 7, [], 7.5),
        (QUEUE_PATIENCE_SECONDS, [], 0.5),
        (QUEUE_PATIENCE_SECONDS + 1, [(KEY, 0)], 15.5),
    ],
)
def test_a_request_not_begun_is_queued_beside_its_session(
    here: Situation, waited: float, takeovers: list[object], wait: float
) -> None:
    here.clock.now += waited
    assert retry_after(here.resumer.resume(KEY, 0, "c2")) == wait
    assert here.queue.takeovers == takeovers


def test_a_queue_that_fails_is_the_clients_to_know(here: Situation) -> None:
    here.lease()
    here.clock.now += LEASE_SECONDS + 1
    here.queue.failure = UnavailableError("The request queue could not be reached.")
    with pytest.raises(UnavailableError):
        here.resumer.resume(KEY, 0, "c2")
    here.queue.failure = None
    here.clock.now += retry_after(here.resumer.resume(KEY, 0, "c2"))
    here.resumer.resume(KEY, 0, "c2")
    assert here.queue.takeovers == [(KEY, 1)]


def test_however_often_a_request_is_resumed_one_take_over_a_lease_is_queued(here: Situation) -> None:
    here.lease()
    here.clock.now += LEASE_SECONDS + 1
    sent = []
    here.queue.before_enqueue_takeover = lambda: sent.append(here.clock())
    began = here.clock()
    for _ in range(90):
        here.resumer.resume(KEY, 0, "c2")
        here.clock.now += 0.5
    assert [moment - began for moment in sent] == [0, 15.5, 31]


def test_events_that_the_user_cannot_pay_are_not_replayed(here: Situation) -> None:
    delivery = here.delivery()
    for number in range(50):
        delivery.send(Chunk(content=str(number)))
    delivery.send(WHOLE)
    limits = UsageLimits(InMemoryUsageTable(), here.log, here.clock, 1, 10, 60)
    here.resumer = replace(here.resumer, limits=limits)
    here.resumer.resume(KEY, 0, "c2")
    replayed = len(here.received("c2"))
    assert replayed == 52
    with pytest.raises(LimitExceededError) as caught:
        here.resumer.resume(KEY, 0, "c2")
    assert len(here.received("c2")) == replayed
    here.clock.now += caught.value.retry_after_seconds
    here.resumer.resume(KEY, 0, "c2")
    assert len(here.received("c2")) == 2 * replayed
