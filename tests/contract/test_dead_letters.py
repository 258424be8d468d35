"""What every dead-letter queue and every reopener does: the fakes, SQS and DynamoDB alike."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.sqs import SqsRequestQueue, read_request_message, request_message
from cicada.conversation.model import Head, Lease, NewRequest, Question, RequestKey, Status, StoredEvent
from cicada.conversation.ports import RequestLog
from cicada.errors import ConfigurationError
from cicada.identity import Principal
from cli.operator.dead_letters import (
    DeadLetterQueue,
    DynamoRequestReopener,
    Redriven,
    Redriver,
    RequestReopener,
    SqsDeadLetterQueue,
)
from tests.contract.request_queues import Queues, request_queues
from tests.contract.requests_table import TABLE, requests_table
from tests.fakes.clock import Clock
from tests.fakes.dead_letters import InMemoryDeadLetters
from tests.fakes.request_log import InMemoryRequestLog

ANN = Principal("acme", "ann")
KEYS = [RequestKey(ANN, f"7e57d004-2b97-4e7a-b45f-{number:012d}") for number in range(25)]
RESET = '{"type":"reset","reason":"Again."}'


@dataclass(frozen=True)
class LettersUnderTest:
    """A queue, the way in, and the messages that processors receive."""

    queue: DeadLetterQueue
    dead_letter: Callable[[RequestKey, str], None]
    give_up: Callable[[str], None]
    requeued: Callable[[], list[RequestKey]]


@pytest.fixture(params=["memory", "sqs"])
def letters(request: pytest.FixtureRequest) -> Iterator[LettersUnderTest]:
    if request.param == "memory":
        fake = InMemoryDeadLetters()

        def put(letter: RequestKey | str, reason: str | None = None) -> None:
            fake.put(read_request_message(letter) if isinstance(letter, str) else letter, reason, 1.0)

        yield LettersUnderTest(fake, put, put, lambda: fake.requeued)
    else:
        with request_queues() as queues:
            yield sqs_letters(queues)


def sqs_letters(queues: Queues) -> LettersUnderTest:
    def give_up(body: str) -> None:
        """What SQS moves to the dead-letter queue after the last delivery: the body, in its session's group."""
        group, once = "s1", uuid.uuid4().hex
        queues.client.send_message(
            QueueUrl=queues.dead_letters_url, MessageBody=body, MessageGroupId=group, MessageDeduplicationId=once
        )

    def requeued() -> list[RequestKey]:
        return [read_request_message(json.dumps(body)) for body in queues.bodies(queues.requests_url)]

    dead_letter = SqsRequestQueue(queues.client, queues.requests_url, queues.dead_letters_url).dead_letter
    return LettersUnderTest(sqs_queue(queues), dead_letter, give_up, requeued)


def sqs_queue(queues: Queues) -> SqsDeadLetterQueue:
    return SqsDeadLetterQueue(queues.client, queues.requests_url, queues.dead_letters_url, wait_seconds=0)


def body_of(key: RequestKey) -> str:
    return json.dumps(request_message(key))


def seen(queue: DeadLetterQueue) -> list[tuple[RequestKey | None, str | None]]:
    return [(letter.key, letter.reason) for letter in queue.letters()]


def test_letters_of_both_kinds_are_seen_and_looking_does_not_take_them(letters: LettersUnderTest) -> None:
    for _ in range(2):
        letters.dead_letter(KEYS[0], "stream_broken")
    letters.give_up(body_of(KEYS[1]))
    look = letters.queue.letters()
    next(look)
    look.close()
    for _ in range(2):
        assert sorted(seen(letters.queue), key=str) == [(KEYS[0], "stream_broken")] * 2 + [(KEYS[1], None)]
    assert letters.queue.count() == 3


def test_more_letters_than_one_batch_are_seen_each_once(letters: LettersUnderTest) -> None:
    for key in KEYS:
        letters.dead_letter(key, "internal")
    assert sorted(key.request_id for key, _ in seen(letters.queue) if key) == [key.request_id for key in KEYS]


def test_a_letter_that_is_removed_is_not_seen_again(letters: LettersUnderTest) -> None:
    for key in KEYS[:3]:
        letters.dead_letter(key, "internal")
    for letter in letters.queue.letters():
        if letter.key == KEYS[1]:
            letters.queue.remove(letter)
    assert {key for key, _ in seen(letters.queue)} == {KEYS[0], KEYS[2]}


def test_letters_of_one_session_are_all_taken_when_each_is_removed(letters: LettersUnderTest) -> None:
    for key in KEYS:
        letters.give_up(body_of(key))
    for letter in letters.queue.letters():
        letters.queue.remove(letter)
    assert letters.queue.count() == 0


def test_a_request_is_queued_again_however_often(letters: LettersUnderTest) -> None:
    for _ in range(3):
        letters.queue.requeue(KEYS[0])
    assert letters.requeued() == [KEYS[0]] * 3


def test_a_redriven_request_waits_for_no_other_message() -> None:
    with request_queues() as queues:
        for _ in range(2):
            sqs_queue(queues).requeue(KEYS[0])
            [message] = queues.client.receive_message(QueueUrl=queues.requests_url, MaxNumberOfMessages=10)["Messages"]
            assert read_request_message(message["Body"]) == KEYS[0]


@pytest.mark.parametrize("body", ["hello", "[]", '{"reason":"internal"}', '{"tenant":"a","user":"b"}'])
def test_what_names_no_request_is_seen_as_that(body: str) -> None:
    with request_queues() as queues:
        sqs_letters(queues).give_up(body)
        assert seen(sqs_queue(queues)) == [(None, None)]


def test_letters_know_when_they_were_put_there() -> None:
    with request_queues() as queues:
        letters = sqs_letters(queues)
        letters.dead_letter(KEYS[0], "internal")
        [letter] = letters.queue.letters()
        assert 1_600_000_000 < letter.sent_at < 4_000_000_000


def test_a_missing_queue_is_no_empty_one() -> None:
    with request_queues() as queues, pytest.raises(ConfigurationError):
        seen(SqsDeadLetterQueue(queues.client, queues.requests_url, f"{queues.dead_letters_url}-missing.fifo", 0))


@dataclass(frozen=True)
class LogUnderTest:
    log: RequestLog
    reopener: RequestReopener
    clock: Clock


@contextmanager
def opened(kind: str) -> Iterator[LogUnderTest]:
    clock = Clock()
    if kind == "memory":
        memory = InMemoryRequestLog(clock)
        yield LogUnderTest(memory, memory, clock)
    else:
        with requests_table() as client:
            log = DynamoRequestLog(client, TABLE, clock)
            yield LogUnderTest(log, DynamoRequestReopener(client, TABLE), clock)


@pytest.fixture(params=["memory", "dynamo"])
def under_test(request: pytest.FixtureRequest) -> Iterator[LogUnderTest]:
    with opened(request.param) as made:
        yield made


def processing(here: LogUnderTest) -> tuple[Lease, Head]:
    """A request with an event and another that never came to count."""
    now = here.clock()
    here.log.create(NewRequest(KEYS[0], Question("Who?", "s1", "scripts"), "c1", now, now + 3600), "{}")
    lease = leased(here)
    here.log.store(lease, StoredEvent(2, '{"type":"chunk","content":"a"}'))
    head = here.log.advance(lease, 2, now + 15.25, Status.PROCESSING)
    here.log.store(lease, StoredEvent(3, '{"type":"error"}'))
    return lease, head


def leased(here: LogUnderTest) -> Lease:
    lease = here.log.take_lease(KEYS[0], here.clock(), here.clock() + 15)
    assert lease
    return lease


def failed(here: LogUnderTest) -> Head:
    lease, _ = processing(here)
    return here.log.advance(lease, 3, here.clock() + 15, Status.FAILED)


def test_a_failed_request_is_queued_with_a_reset_in_place_of_its_error(under_test: LogUnderTest) -> None:
    head = failed(under_test)
    assert under_test.reopener.reopen(KEYS[0], head, RESET)
    queued = replace(head, status=Status.QUEUED, lease_until=0, forgiven_attempts=head.attempt)
    assert under_test.log.head(KEYS[0]) == queued
    assert [event.body for event in under_test.log.events(KEYS[0], 1, 3)][1] == RESET
    lease = leased(under_test)
    assert (lease.attempt, lease.tries, lease.last_seq) == (2, 1, 3)
    assert under_test.log.question(KEYS[0]) is not None


def test_a_request_whose_processors_died_is_queued_and_its_events_stay(under_test: LogUnderTest) -> None:
    _, head = processing(under_test)
    assert under_test.reopener.reopen(KEYS[0], head, RESET)
    found = under_test.log.head(KEYS[0])
    assert found == replace(head, status=Status.QUEUED, lease_until=0, forgiven_attempts=1)
    assert [event.body for event in under_test.log.events(KEYS[0], 1, 2)] == ['{"type":"chunk","content":"a"}']


def test_a_head_that_has_changed_is_not_reopened(under_test: LogUnderTest) -> None:
    lease, head = processing(under_test)
    newer = under_test.log.advance(lease, 2, under_test.clock() + 30, Status.PROCESSING)
    assert not under_test.reopener.reopen(KEYS[0], head, RESET)
    assert under_test.log.head(KEYS[0]) == newer


def test_a_request_is_not_reopened_twice(under_test: LogUnderTest) -> None:
    head = failed(under_test)
    assert under_test.reopener.reopen(KEYS[0], head, RESET)
    leased(under_test)
    assert not under_test.reopener.reopen(KEYS[0], head, '{"type":"reset","reason":"Twice."}')
    assert [event.body for event in under_test.log.events(KEYS[0], 2, 3)] == [RESET]


def test_a_new_connection_or_a_cancel_does_not_keep_a_request_closed(under_test: LogUnderTest) -> None:
    head = failed(under_test)
    under_test.log.attach(KEYS[0], "c2")
    under_test.log.request_cancel(KEYS[0])
    assert under_test.reopener.reopen(KEYS[0], head, RESET)


def test_redriving_works_on_the_real_queue_and_table() -> None:
    with opened("dynamo") as here, request_queues() as queues:
        failed(here)
        letters = sqs_letters(queues)
        letters.dead_letter(KEYS[0], "stream_broken")
        letters.give_up(body_of(KEYS[0]))
        letters.give_up("no request")
        redriver = Redriver(letters.queue, here.log, here.reopener, here.clock)
        outcomes = [outcome for _, outcome in redriver.redrive()]
        assert sorted(outcomes) == [Redriven.QUEUED, Redriven.QUEUED, Redriven.UNREADABLE]
        assert [letter.key for letter in redriver.look()] == [None]
        bodies = queues.bodies(queues.requests_url)
        assert bodies == [json.loads(body_of(KEYS[0]))] * 2
