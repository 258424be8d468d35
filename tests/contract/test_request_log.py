"""What every request log does: the fake and DynamoDB alike."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from msgspec.structs import replace

from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.conversation.model import (
    AnswerRecord,
    Head,
    Lease,
    NewRequest,
    Question,
    RequestKey,
    SessionRow,
    Shown,
    Status,
    StoredEvent,
)
from cicada.conversation.ports import RequestLog
from cicada.documents.catalogue import ListedPage, Sort
from cicada.documents.model import AnyOf, Exists, NoneOf, Range
from cicada.errors import LeaseLostError
from cicada.identity import Principal
from cicada.observability.audit import ShownDocument
from tests.contract.requests_table import TABLE, requests_table
from tests.fakes.clock import Clock
from tests.fakes.request_log import InMemoryRequestLog

ANN = Principal("acme", "ann")
BOB = Principal("acme", "bob")
ID = "7e57d004-2b97-4e7a-b45f-5387367791cd"
KEY = RequestKey(ANN, ID)
ACCEPTED = '{"type":"accepted","sessionId":"s1"}'


@contextmanager
def opened(kind: str, clock: Clock) -> Iterator[RequestLog]:
    if kind == "memory":
        yield InMemoryRequestLog(clock)
    else:
        with requests_table() as client:
            yield DynamoRequestLog(client, TABLE, clock)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "dynamo"])
def log(request: pytest.FixtureRequest, clock: Clock) -> Iterator[RequestLog]:
    with opened(request.param, clock) as log:
        yield log


FILTERS = (
    AnyOf("kind", frozenset({"a", "b"})),
    NoneOf("public", frozenset({True})),
    AnyOf("pages", frozenset({1.0, 2.5})),
    Range("effective", least="2026-01-01", below="2027-01-01"),
    Range("pages", above=1.0, most=9.0),
    Exists("owner"),
    Exists("retired", present=False),
)
RECORD = AnswerRecord(
    path=("script_query", "plan:rules", "retrieve"),
    scores=(None, 0.25, 1.0),
    confidence=0.5,
    timings={"total": 1200, "firstToken": 640},
    intent="script_query",
    strategy="Hybrid",
    input_tokens=900,
    output_tokens=40,
    listing=ListedPage("scripts", "store", FILTERS, Sort("effective", True), count_by="kind", limit=7, offset=14),
)


def new_request(
    clock: Clock, principal: Principal = ANN, request_id: str = ID, session_id: str = "s1", message: str = "Who?"
) -> NewRequest:
    question = Question(message, session_id, "scripts", ("macbeth",), FILTERS)
    return NewRequest(RequestKey(principal, request_id), question, "conn-1", clock(), clock() + 3600)


def leased(log: RequestLog, clock: Clock) -> Lease:
    log.create(new_request(clock), ACCEPTED)
    return lease_of(log, clock)


def lease_of(log: RequestLog, clock: Clock) -> Lease:
    lease = log.take_lease(KEY, clock(), clock() + 15)
    assert lease is not None
    return lease


def taken_over(log: RequestLog, clock: Clock) -> Lease:
    clock.now += 16
    return lease_of(log, clock)


def head_of(log: RequestLog) -> Head:
    head = log.head(KEY)
    assert head is not None
    return head


def advance(log: RequestLog, lease: Lease, seq: int, clock: Clock, status: Status = Status.PROCESSING) -> Head:
    return log.advance(lease, seq, clock() + 15, status)


def test_a_key_is_created_once_and_queued_with_its_first_event(log: RequestLog, clock: Clock) -> None:
    request = new_request(clock)
    assert log.create(request, ACCEPTED)
    assert not log.create(new_request(clock, message="Another?"), "{}")
    head = head_of(log)
    assert (head.status, head.last_seq, head.attempt, head.connection_id) == (Status.QUEUED, 1, 0, "conn-1")
    assert log.question(KEY) == request.question
    assert list(log.events(KEY, 0, 1)) == [StoredEvent(1, ACCEPTED)]


def test_the_same_request_id_of_another_user_is_another_request(log: RequestLog, clock: Clock) -> None:
    log.create(new_request(clock), ACCEPTED)
    assert log.head(RequestKey(BOB, ID)) is None
    assert log.attach(RequestKey(BOB, ID), "conn-bob") is None
    assert log.request_cancel(RequestKey(BOB, ID)) is None
    assert log.create(new_request(clock, BOB), ACCEPTED)


def test_an_expired_request_is_not_found(log: RequestLog, clock: Clock) -> None:
    log.create(new_request(clock), ACCEPTED)
    clock.now += 3601
    assert (log.head(KEY), log.question(KEY), log.attach(KEY, "conn-2")) == (None, None, None)
    assert log.sessions(ANN, None, 10) == []


def test_a_live_lease_keeps_others_out_and_an_expired_one_does_not(log: RequestLog, clock: Clock) -> None:
    first = leased(log, clock)
    assert log.take_lease(KEY, clock(), clock() + 15) is None
    assert (first.attempt, taken_over(log, clock).attempt) == (1, 2)


def test_a_final_status_is_never_leased_again_and_may_be_repeated(log: RequestLog, clock: Clock) -> None:
    lease = leased(log, clock)
    log.store(lease, StoredEvent(2, '{"type":"cancelled"}'))
    first = advance(log, lease, 2, clock, Status.CANCELLED)
    assert advance(log, lease, 2, clock, Status.CANCELLED) == first
    clock.now += 100
    assert log.take_lease(KEY, clock(), clock() + 15) is None


def test_a_record_is_kept_until_the_next_one(log: RequestLog, clock: Clock) -> None:
    lease, failed = leased(log, clock), AnswerRecord(code="internal")
    for given, kept in ((None, None), (RECORD, RECORD), (None, RECORD), (failed, failed)):
        assert log.advance(lease, 1, clock() + 15, Status.PROCESSING, given).record == kept
    assert head_of(log).record == failed


def test_who_has_lost_the_lease_can_neither_advance_nor_overwrite(log: RequestLog, clock: Clock) -> None:
    old = leased(log, clock)
    log.store(taken_over(log, clock), StoredEvent(2, '{"type":"cancelled"}'))
    with pytest.raises(LeaseLostError):
        log.store(old, StoredEvent(2, '{"type":"chunk","content":"stale"}'))
    with pytest.raises(LeaseLostError):
        advance(log, old, 2, clock)


def test_what_an_event_shows_is_kept_with_it_for_the_next_processor(log: RequestLog, clock: Clock) -> None:
    lease = leased(log, clock)
    shown = Shown(1, (ShownDocument("scripts", 'a "b" ü.md', "v1"), ShownDocument("scripts", "c.md", "v2")))
    events = [StoredEvent(2, '{"type":"sources","sources":[]}', shown), StoredEvent(3, '{"type":"chunk"}')]
    for event in events:
        log.store(lease, event)
    assert list(log.events(lease.key, 1, 3)) == events


def test_what_a_dead_processor_left_beyond_the_head_is_overwritten(log: RequestLog, clock: Clock) -> None:
    log.store(leased(log, clock), StoredEvent(2, '{"type":"chunk","content":"left"}'))
    new = taken_over(log, clock)
    assert new.last_seq == 1
    log.store(new, StoredEvent(2, '{"type":"reset","reason":"again"}'))
    advance(log, new, 2, clock)
    assert [event.body for event in log.events(KEY, 1, 2)] == ['{"type":"reset","reason":"again"}']


def test_attaching_and_cancelling_show_in_the_next_advance(log: RequestLog, clock: Clock) -> None:
    lease = leased(log, clock)
    log.attach(KEY, "conn-2")
    log.request_cancel(KEY)
    head = advance(log, lease, 1, clock)
    assert (head.connection_id, head.cancel_requested) == ("conn-2", True)


def test_forgetting_a_connection_leaves_a_newer_one_alone(log: RequestLog, clock: Clock) -> None:
    leased(log, clock)
    log.attach(KEY, "conn-2")
    for forgotten, left in (("conn-1", "conn-2"), ("conn-2", None)):
        log.forget_connection(KEY, forgotten)
        assert head_of(log).connection_id == left


def test_long_answers_are_read_in_order_over_several_pages(log: RequestLog, clock: Clock) -> None:
    lease = leased(log, clock)
    for seq in range(2, 102):
        log.store(lease, StoredEvent(seq, "x" * 30_000))
    advance(log, lease, 101, clock)
    assert [event.seq for event in log.events(KEY, 40, 101)] == list(range(41, 102))


def test_sessions_and_turns_come_newest_first_and_page(log: RequestLog, clock: Clock) -> None:
    for number, session in enumerate(("s1", "s2", "s1", "s3")):
        clock.now += 10
        log.create(new_request(clock, request_id=f"{number}", session_id=session, message=f"m{number}"), ACCEPTED)
    log.create(new_request(clock, BOB, session_id="s1"), ACCEPTED)
    rows = log.sessions(ANN, None, 10)
    assert [(row.session_id, row.title) for row in rows] == [("s3", "m3"), ("s1", "m0"), ("s2", "m1")]
    assert rows[0] == log.session(ANN, "s3") == SessionRow("s3", "m3", clock(), "scripts")
    assert log.session(BOB, "s3") is None
    assert log.sessions(ANN, rows[0].last_at, 10) == rows[1:]
    assert log.sessions(ANN, None, 2) == rows[:2]
    turns = log.turns(ANN, "s1", None, 10)
    assert [turn.request_id for turn in turns] == ["2", "0"]
    assert log.turns(ANN, "s1", turns[0].created_at, 10) == turns[1:]


def test_a_session_keeps_the_knowledge_base_that_it_began_with(log: RequestLog, clock: Clock) -> None:
    log.create(new_request(clock), ACCEPTED)
    clock.now += 10
    later = new_request(clock, request_id="later")
    log.create(replace(later, question=replace(later.question, knowledge_base="shop")), ACCEPTED)
    assert log.session(ANN, "s1") == SessionRow("s1", "Who?", clock(), "scripts")


@pytest.mark.parametrize("seed", range(12))
def test_random_histories_go_alike_in_memory_and_in_dynamodb(seed: int) -> None:
    histories = []
    for kind in ("memory", "dynamo"):
        clock = Clock()
        with opened(kind, clock) as log:
            histories.append(random_history(log, clock, random.Random(seed)))
    assert histories[0] == histories[1]


def random_history(log: RequestLog, clock: Clock, chance: random.Random) -> list[object]:
    """What forty random steps of two processors and a client return."""
    leases: list[Lease] = []
    seen: list[object] = []
    for _ in range(40):
        clock.now += chance.choice([0, 1, 7])
        step = chance.choice(["create", "lease", "store", "store", "advance", "advance", "attach", "forget", "cancel"])
        seen.append((step, _step(step, log, clock, chance, leases)))
    return [*seen, log.head(KEY)]


def _step(step: str, log: RequestLog, clock: Clock, chance: random.Random, leases: list[Lease]) -> object:
    connection, seq = chance.choice(["conn-1", "conn-2"]), chance.randint(2, 5)
    status = chance.choice([Status.PROCESSING] * 3 + [Status.COMPLETE])
    if step == "lease":
        lease = log.take_lease(KEY, clock(), clock() + 10)
        leases += [lease] if lease else []
        return lease
    if step in ("store", "advance"):
        if not leases:
            return None
        lease = chance.choice(leases)
        try:
            if step == "advance":
                return log.advance(lease, seq, clock() + 10, status)
            return log.store(lease, StoredEvent(seq, f'{{"attempt":{lease.attempt}}}'))  # type: ignore[func-returns-value]
        except LeaseLostError:
            return "lease lost"
    steps: dict[str, Callable[[], object]] = {
        "create": lambda: log.create(new_request(clock), ACCEPTED),
        "attach": lambda: log.attach(KEY, connection),
        "forget": lambda: log.forget_connection(KEY, connection),
        "cancel": lambda: log.request_cancel(KEY),
    }
    return steps[step]()


def test_of_all_who_want_to_queue_a_take_over_one_may_until_the_time_is_up(log: RequestLog, clock: Clock) -> None:
    log.create(new_request(clock), ACCEPTED)
    now = clock.now
    claims = [log.claim_takeover(KEY, 0, now + later, now + later + 15) for later in (0, 0, 14, 15, 15.001, 16)]
    assert claims == [True, False, False, False, True, False]
    assert head_of(log).takeover_until == pytest.approx(now + 30.001)


def test_no_take_over_is_queued_from_an_attempt_that_another_has_followed(log: RequestLog, clock: Clock) -> None:
    leased(log, clock)
    assert not log.claim_takeover(KEY, 0, clock.now + 20, clock.now + 35)
    assert log.claim_takeover(KEY, 1, clock.now + 20, clock.now + 35)
    assert not log.claim_takeover(RequestKey(BOB, ID), 0, clock.now, clock.now + 15)
