"""What every request queue does: the fake and SQS alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from cicada.adapters.sqs import SqsRequestQueue, read_request_message
from cicada.conversation.model import RequestKey
from cicada.conversation.ports import RequestQueue
from cicada.errors import ConfigurationError, InvalidFrameError
from cicada.identity import Principal
from tests.contract.request_queues import Queues, request_queues
from tests.fakes.clock import Clock
from tests.fakes.conversation import RecordingQueue

ANN = Principal("acme", "ann")
BOB = Principal("acme", "bob")
FIRST = RequestKey(ANN, "7e57d004-2b97-4e7a-b45f-5387367791cd")
SECOND = RequestKey(ANN, "7e57d004-2b97-4e7a-b45f-5387367791ce")


@dataclass(frozen=True)
class QueueUnderTest:
    """A queue, and what processors and operators get out of it."""

    queue: RequestQueue
    delivered: Callable[[], list[RequestKey]]
    buried: Callable[[], list[tuple[RequestKey, str]]]


@pytest.fixture(params=["memory", "sqs"])
def under_test(request: pytest.FixtureRequest) -> Iterator[QueueUnderTest]:
    if request.param == "memory":
        fake = RecordingQueue()
        yield QueueUnderTest(fake, lambda: [*fake.requests, *(key for key, _ in fake.takeovers)], lambda: fake.buried)
        return
    with request_queues() as queues:

        def buried() -> list[tuple[RequestKey, str]]:
            bodies = queues.bodies(queues.dead_letters_url)
            return [(read_request_message(json.dumps(body)), body["reason"]) for body in bodies]

        yield QueueUnderTest(sqs_queue(queues), lambda: delivered(queues), buried)


def delivered(queues: Queues) -> list[RequestKey]:
    return [read_request_message(json.dumps(body)) for body in queues.bodies(queues.requests_url)]


def received(queues: Queues) -> list[RequestKey]:
    """What one processor receives and does not delete."""
    messages = queues.client.receive_message(QueueUrl=queues.requests_url, MaxNumberOfMessages=1)["Messages"]
    return [read_request_message(message["Body"]) for message in messages]


def sqs_queue(queues: Queues, clock: Clock | None = None) -> SqsRequestQueue:
    return SqsRequestQueue(queues.client, queues.requests_url, queues.dead_letters_url, clock or Clock())


def test_the_requests_of_a_session_come_in_their_order(under_test: QueueUnderTest) -> None:
    under_test.queue.enqueue(FIRST, "s1")
    under_test.queue.enqueue(SECOND, "s1")
    assert under_test.delivered() == [FIRST, SECOND]


def test_a_repeat_has_no_effect(under_test: QueueUnderTest) -> None:
    for user in ("ann", "bob", "ann", "bob"):
        under_test.queue.enqueue(RequestKey(Principal("acme", user), FIRST.request_id), "s1")
    assert sorted(key.principal.user for key in under_test.delivered()) == ["ann", "bob"]


def test_a_takeover_is_queued_once_for_each_attempt(under_test: QueueUnderTest) -> None:
    under_test.queue.enqueue(FIRST, "s1")
    for attempt in (1, 1, 2):
        under_test.queue.enqueue_takeover(FIRST, attempt)
    assert under_test.delivered() == [FIRST, FIRST, FIRST]


def test_a_buried_request_is_kept_with_the_reason(under_test: QueueUnderTest) -> None:
    under_test.queue.dead_letter(FIRST, "stream_broken")
    assert under_test.buried() == [(FIRST, "stream_broken")]
    assert under_test.delivered() == []


def test_a_takeover_does_not_wait_for_its_session() -> None:
    with request_queues() as queues:
        queue = sqs_queue(queues)
        queue.enqueue(FIRST, "s1")
        queue.enqueue(SECOND, "s1")
        assert received(queues) == [FIRST]
        queue.enqueue_takeover(SECOND, 0)
        assert received(queues) == [SECOND]


def test_a_takeover_does_not_wait_for_one_that_has_died() -> None:
    """Nor is it taken for a repeat, if the processor died before its lease."""
    with request_queues() as queues:
        clock = Clock()
        for attempt in (1, 2, 2):
            sqs_queue(queues, clock).enqueue_takeover(FIRST, attempt)
            assert received(queues) == [FIRST]
            clock.now += 10


def test_what_was_asked_is_not_in_the_queue() -> None:
    with request_queues() as queues:
        sqs_queue(queues).enqueue(FIRST, "s1")
        assert queues.bodies(queues.requests_url) == [
            {"tenant": "acme", "user": "ann", "groups": [], "login": "", "requestId": FIRST.request_id},
        ]


def test_the_groups_of_the_user_come_with_every_message(under_test: QueueUnderTest) -> None:
    groups = frozenset({"legal", "tenant:acme"})
    key = RequestKey(Principal("acme", "ann", groups), FIRST.request_id)
    under_test.queue.enqueue(key, "s1")
    under_test.queue.enqueue_takeover(key, 1)
    under_test.queue.dead_letter(key, "internal")
    delivered = [*under_test.delivered(), *(buried for buried, _ in under_test.buried())]
    assert [each.principal.groups for each in delivered] == [groups] * 3


def test_any_names_make_a_group() -> None:
    odd = RequestKey(Principal("té nant#", "u" * 300), FIRST.request_id)
    with request_queues() as queues:
        sqs_queue(queues).enqueue(odd, "s 1" * 100)
        assert delivered(queues) == [odd]


def test_a_missing_queue_is_its_operators_to_mend() -> None:
    with request_queues() as queues, pytest.raises(ConfigurationError):
        SqsRequestQueue(queues.client, f"{queues.requests_url}-missing.fifo").enqueue(FIRST, "s1")


@pytest.mark.parametrize("body", ["", "hello", "[]", "5", "null", "{}", '{"tenant":"a","user":"b"}', '"requestId"'])
def test_a_message_that_names_no_request_is_refused(body: str) -> None:
    with pytest.raises(InvalidFrameError):
        read_request_message(body)
