"""What every request log does: the fake and DynamoDB alike."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from msgspec.structs import replace

from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.conversation.model import (
    AnswerFeedback,
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
from cicada.documents.catalogue import Aggregate, ListedPage, Sort
from cicada.documents.model import AnyOf, Exists, NoneOf, Range
from cicada.errors import LeaseLostError, SessionNotFoundError
from cicada.identity import Principal
from cicada.observability.audit import ShownDocument
from tests.contract.requests_table import TABLE, requests_table
from tests.fakes.clock import Clock
from tests.fakes.request_log import InMemoryRequestLog

ANN = Principal("acme", "ann")
BOB = Principal("acme", "bob")
ID = "7e57d004-2b97-4e7a-b45f-5387367791cd"
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
    code="",
    listing=ListedPage(
        "scripts",
        "store",
        FILTERS,
        Sort("effective", descending=True, of="max"),
        aggregates=(Aggregate("count"), Aggregate("sum", "pages")),
        group=("kind", "site"),
        fields=("owner",),
        limit=7,
        offset=14,
        documents=("sop-qa-003.md", "sop-qa-006.md"),
    ),
)


def new_request(
    clock: Clock, principal: Principal = ANN, request_id: str = ID, session_id: str = "s1", message: str = "Who?"
) -> NewRequest:
    question = Question(message, session_id, "scripts", ("macbeth",), FILTERS)
    return NewRequest(RequestKey(principal, request_id), question, "conn-1", clock(), clock() + 3600)


def leased(log: RequestLog, clock: Clock) -> Lease:
    request = new_request(clock)
    log.create(request, ACCEPTED)
    lease = log.take_lease(request.key, clock(), clock() + 15)
    assert lease is not None
    return lease


def head_of(log: RequestLog, key: RequestKey) -> Head:
    head = log.head(key)
    assert head is not None
    return head


def test_a_new_request_is_queued_with_its_first_event(log: RequestLog, clock: Clock) -> None:
    request = new_request(clock)
    assert log.create(request, ACCEPTED)
    head = head_of(log, request.key)
    assert (head.status, head.last_seq, head.attempt, head.connection_id) == (Status.QUEUED, 1, 0, "conn-1")
    assert log.question(request.key) == request.question
    assert list(log.events(request.key, 0, 1)) == [StoredEvent(1, ACCEPTED)]


def test_a_key_is_created_once_and_the_second_time_changes_nothing(log: RequestLog, clock: Clock) -> None:
    log.create(new_request(clock), ACCEPTED)
    assert not log.create(new_request(clock, message="Another?"), ACCEPTED)
    question = log.question(RequestKey(ANN, ID))
    assert question is not None
    assert question.message == "Who?"


def test_the_same_request_id_of_another_user_is_another_request(log: RequestLog, clock: Clock) -> None:
    log.create(new_request(clock), ACCEPTED)
    assert log.head(RequestKey(BOB, ID)) is None
    assert log.attach(RequestKey(BOB, ID), "conn-bob") is None
    assert log.request_cancel(RequestKey(BOB, ID)) is None
    assert log.create(new_request(clock, BOB), ACCEPTED)


def test_an_expired_request_is_not_found(log: RequestLog, clock: Clock) -> None:
    log.create(new_request(clock), ACCEPTED)
    clock.now += 3601
    key = RequestKey(ANN, ID)
    assert (log.head(key), log.question(key), log.attach(key, "conn-2")) == (None, None, None)
    assert log.sessions(ANN, None, 10) == []


def test_a_live_lease_keeps_others_out_and_an_expired_one_does_not(log: RequestLog, clock: Clock) -> None:
    first = leased(log, clock)
    assert log.take_lease(first.key, clock(), clock() + 15) is None
    clock.now += 16
    second = log.take_lease(first.key, clock(), clock() + 15)
    assert second is not None
    assert (first.attempt, second.attempt) == (1, 2)


def test_a_final_status_is_never_leased_again(log: RequestLog, clock: Clock) -> None:
    lease = leased(log, clock)
    log.store(lease, StoredEvent(2, '{"type":"cancelled"}'))
    log.advance(lease, 2, clock() + 15, Status.CANCELLED)
    clock.now += 100
    assert log.take_lease(lease.key, clock(), clock() + 15) is None


def test_a_repeated_final_update_is_no_lost_lease(log: RequestLog, clock: Clock) -> None:
    lease = leased(log, clock)
    log.store(lease, StoredEvent(2, '{"type":"cancelled"}'))
    first = log.advance(lease, 2, clock() + 15, Status.COMPLETE)
    assert log.advance(lease, 2, clock() + 15, Status.COMPLETE) == first


def test_feedback_is_kept_with_the_request_and_the_last_one_counts(log: RequestLog, clock: Clock) -> None:
    lease = leased(log, clock)
    good, bad = AnswerFeedback("good", 1.5), AnswerFeedback("bad", 2.5, ("wrong", "other"), "It ends in “May”.")
    for said in (good, bad, None, good):
        rated = log.rate(lease.key, said)
        assert rated is not None and rated.feedback == said
        assert log.head(lease.key) == rated
    assert log.advance(lease, 1, clock() + 15, Status.PROCESSING).feedback == good
    assert log.rate(RequestKey(BOB, lease.key.request_id), bad) is None


def test_a_record_is_kept_until_the_next_one(log: RequestLog, clock: Clock) -> None:
    lease = leased(log, clock)
    assert log.advance(lease, 1, clock() + 15, Status.PROCESSING).record is None
    log.advance(lease, 1, clock() + 15, Status.PROCESSING, RECORD)
    assert log.advance(lease, 1, clock() + 15, Status.PROCESSING).record == RECORD
    assert log.advance(lease, 2, clock() + 15, Status.FAILED, AnswerRecord(code="internal")).record == AnswerRecord(
        code="internal"
    )
    assert head_of(log, lease.key).record == AnswerRecord(code="internal")


def test_who_has_lost_the_lease_can_neither_advance_nor_overwrite(log: RequestLog, clock: Clock) -> None:
    old = leased(log, clock)
    clock.now += 16
    new = log.take_lease(old.key, clock(), clock() + 15)
    assert new is not None
    log.store(new, StoredEvent(2, '{"type":"cancelled"}'))
    with pytest.raises(LeaseLostError):
        log.store(old, StoredEvent(2, '{"type":"chunk","content":"stale"}'))
    with pytest.raises(LeaseLostError):
        log.advance(old, 2, clock() + 15, Status.PROCESSING)


def test_what_an_event_shows_is_kept_with_it_for_the_next_processor(log: RequestLog, clock: Clock) -> None:
    lease = leased(log, clock)
    shown = Shown(1, (ShownDocument("scripts", 'a "b" ü.md', "v1"), ShownDocument("scripts", "c.md", "v2")))
    events = [StoredEvent(2, '{"type":"sources","sources":[]}', shown), StoredEvent(3, '{"type":"chunk"}')]
    for event in events:
        log.store(lease, event)
    assert list(log.events(lease.key, 1, 3)) == events


def test_what_a_dead_processor_left_beyond_the_head_is_overwritten(log: RequestLog, clock: Clock) -> None:
    old = leased(log, clock)
    log.store(old, StoredEvent(2, '{"type":"chunk","content":"left"}'))
    clock.now += 16
    new = log.take_lease(old.key, clock(), clock() + 15)
    assert new is not None
    assert new.last_seq == 1
    log.store(new, StoredEvent(2, '{"type":"reset","reason":"again"}'))
    log.advance(new, 2, clock() + 15, Status.PROCESSING)
    assert [event.body for event in log.events(old.key, 1, 2)] == ['{"type":"reset","reason":"again"}']


def test_pointing_and_cancelling_show_in_the_next_advance(log: RequestLog, clock: Clock) -> None:
    lease = leased(log, clock)
    log.attach(lease.key, "conn-2")
    log.request_cancel(lease.key)
    head = log.advance(lease, 1, clock() + 15, Status.PROCESSING)
    assert (head.connection_id, head.cancel_requested) == ("conn-2", True)


def test_forgetting_a_connection_leaves_a_newer_one_alone(log: RequestLog, clock: Clock) -> None:
    lease = leased(log, clock)
    log.attach(lease.key, "conn-2")
    log.forget_connection(lease.key, "conn-1")
    assert head_of(log, lease.key).connection_id == "conn-2"
    log.forget_connection(lease.key, "conn-2")
    assert head_of(log, lease.key).connection_id is None


def test_long_answers_are_read_in_order_over_several_pages(log: RequestLog, clock: Clock) -> None:
    lease = leased(log, clock)
    long = "x" * 30_000
    for seq in range(2, 102):
        log.store(lease, StoredEvent(seq, f'{{"type":"chunk","content":"{seq} {long}"}}'))
    log.advance(lease, 101, clock() + 15, Status.PROCESSING)
    assert [event.seq for event in log.events(lease.key, 40, 101)] == list(range(41, 102))


def test_sessions_and_turns_come_newest_first_and_page(log: RequestLog, clock: Clock) -> None:
    ids = [f"7e57d004-2b97-4e7a-b45f-53873677910{number}" for number in range(4)]
    for number, (request_id, session) in enumerate(zip(ids, ["s1", "s2", "s1", "s3"], strict=True)):
        clock.now += 10
        log.create(new_request(clock, request_id=request_id, session_id=session, message=f"m{number}"), ACCEPTED)
    log.create(new_request(clock, BOB, session_id="s1"), ACCEPTED)
    assert [(row.session_id, row.title) for row in log.sessions(ANN, None, 10)] == [
        ("s3", "m3"),
        ("s1", "m0"),
        ("s2", "m1"),
    ]
    assert log.sessions(ANN, None, 10)[0] == SessionRow("s3", "m3", clock(), "scripts")
    assert log.session(ANN, "s3") == SessionRow("s3", "m3", clock(), "scripts")
    assert log.session(BOB, "s3") is None
    turns = log.turns(ANN, "s1", None, 10)
    assert [turn.request_id for turn in turns] == [ids[2], ids[0]]
    assert [turn.request_id for turn in log.turns(ANN, "s1", turns[0].created_at, 10)] == [ids[0]]
    latest, *_ = log.sessions(ANN, None, 2)
    assert [row.session_id for row in log.sessions(ANN, latest.last_at, 10)] == ["s1", "s2"]
    assert len(log.sessions(ANN, None, 2)) == 2


def test_questions_are_read_together_as_far_as_they_are_there(log: RequestLog, clock: Clock) -> None:
    keys = [RequestKey(ANN, f"7e57d004-2b97-4e7a-b45f-5387367791{number:02}") for number in range(3)]
    for key, kept in zip(keys[:2], (10, 999), strict=True):
        created = new_request(clock, request_id=key.request_id, session_id="s1", message=f"Who is {key.request_id}?")
        log.create(replace(created, expires_at=clock() + kept), ACCEPTED)
    assert [log.questions(keys)[key].message for key in keys[:2]] == [f"Who is {key.request_id}?" for key in keys[:2]]
    clock.now += 11
    assert set(log.questions([*keys, RequestKey(BOB, keys[1].request_id)])) == {keys[1]}
    assert log.questions([]) == {}


def test_a_session_keeps_the_knowledge_base_that_it_began_with(log: RequestLog, clock: Clock) -> None:
    log.create(new_request(clock), ACCEPTED)
    clock.now += 10
    later = new_request(clock, request_id="7e57d004-2b97-4e7a-b45f-538736779101")
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


def test_a_pinned_session_is_before_all_others_also_after_a_later_message(log: RequestLog, clock: Clock) -> None:
    for number, session in enumerate(("a", "b", "c")):
        clock.now += 10
        log.create(new_request(clock, request_id=f"r{number}", session_id=session), ACCEPTED)
    log.pin_session(ANN, "a", pinned=True)
    log.pin_session(ANN, "a", pinned=True)
    clock.now += 10
    log.create(new_request(clock, request_id="r3", session_id="b"), ACCEPTED)
    log.create(new_request(clock, request_id="r4", session_id="a"), ACCEPTED)
    first = SessionRow("a", "Who?", clock.now, "scripts", pinned=True)
    assert log.session(ANN, "a") == first
    assert log.sessions(ANN, None, 1) == [first]
    assert [row.session_id for row in log.sessions(ANN, first.order, 5)] == ["b", "c"]
    log.pin_session(ANN, "a", pinned=False)
    log.pin_session(ANN, "a", pinned=False)
    assert log.session(ANN, "a") == replace(first, pinned=False)


def test_an_expired_pinned_session_does_not_end_the_list_of_the_others(log: RequestLog, clock: Clock) -> None:
    log.create(new_request(clock, request_id="r0", session_id="pinned"), ACCEPTED)
    log.pin_session(ANN, "pinned", pinned=True)
    clock.now += 3601
    for number in (1, 2):
        clock.now += 1
        log.create(new_request(clock, request_id=f"r{number}", session_id=f"s{number}"), ACCEPTED)
    assert [row.session_id for row in log.sessions(ANN, None, 2)] == ["s2", "s1"]


def test_a_session_keeps_the_title_that_it_was_given(log: RequestLog, clock: Clock) -> None:
    assert not log.name_session(ANN, "a", "Never asked")
    for number, session in enumerate(("a", "b")):
        clock.now += 10
        log.create(new_request(clock, request_id=f"r{number}", session_id=session), ACCEPTED)
    assert log.name_session(ANN, "a", "The Queen is dead")
    clock.now += 10
    log.create(new_request(clock, request_id="r2", session_id="a", message="And then?"), ACCEPTED)
    assert [row.title for row in log.sessions(ANN, None, 5)] == ["The Queen is dead", "Who?"]


def test_as_many_questions_are_read_as_are_asked_for_and_none_that_is_gone(log: RequestLog, clock: Clock) -> None:
    requests = [new_request(clock, request_id=f"r{number}", message=f"Who is {number}?") for number in range(130)]
    for request in requests:
        log.create(request, ACCEPTED)
    keys = [each.key for each in requests]
    log.delete_requests(keys[:3])
    found = log.questions([*keys, RequestKey(BOB, "r7")])
    assert found == {each.key: each.question for each in requests[3:]}


def test_a_deleted_session_leaves_nothing_and_another_users_stays(log: RequestLog, clock: Clock) -> None:
    lease = leased(log, clock)
    log.store(lease, StoredEvent(2, "{}"))
    bobs = new_request(clock, BOB)
    log.create(bobs, ACCEPTED)
    session = log.session(ANN, "s1")
    assert session
    assert log.delete_session(ANN, session)
    log.delete_requests([lease.key])
    assert (log.session(ANN, "s1"), log.sessions(ANN, None, 5), log.turns(ANN, "s1", None, 5)) == (None, [], [])
    assert (log.head(lease.key), log.question(lease.key)) == (None, None)
    assert log.session(BOB, "s1")
    assert log.question(bobs.key)


def test_a_deleted_session_takes_no_message_and_is_not_changed(log: RequestLog, clock: Clock) -> None:
    asked = new_request(clock)
    log.create(asked, ACCEPTED)
    session = log.session(ANN, "s1")
    assert session
    assert [log.delete_session(ANN, session) for _ in range(2)] == [True, True]
    assert not log.create(asked, ACCEPTED)
    log.delete_requests([asked.key])
    for request_id in (asked.key.request_id, "r2"):
        with pytest.raises(SessionNotFoundError):
            log.create(new_request(clock, request_id=request_id), ACCEPTED)
    assert not log.name_session(ANN, "s1", "Again")
    assert (log.session(ANN, "s1"), log.turns(ANN, "s1", None, 5)) == (None, [])
    assert (list(log.session_ids(ANN)), list(log.session_ids(BOB))) == (["s1"], [])
    log.session_deleted(ANN, "s1")
    log.session_deleted(ANN, "never")
    assert list(log.session_ids(ANN)) == []
    with pytest.raises(SessionNotFoundError):
        log.create(new_request(clock), ACCEPTED)


def test_a_session_that_was_asked_meanwhile_is_not_deleted(log: RequestLog, clock: Clock) -> None:
    log.create(new_request(clock), ACCEPTED)
    session = log.session(ANN, "s1")
    assert session
    clock.now += 1
    log.create(new_request(clock, request_id="r2"), ACCEPTED)
    assert not log.delete_session(ANN, session)
    assert log.session(ANN, "s1") is not None


def random_history(log: RequestLog, clock: Clock, chance: random.Random) -> list[object]:
    """What forty random steps of two processors and a client return."""
    leases: list[Lease] = []
    seen: list[object] = []
    key = RequestKey(ANN, ID)
    for _ in range(40):
        clock.now += chance.choice([0, 1, 7])
        step = chance.choice(["create", "lease", "store", "store", "advance", "advance", "point", "forget", "cancel"])
        seen.append((step, _step(step, log, clock, chance, key, leases)))
    head = log.head(key)
    seen.append(head)
    return seen


def _step(
    step: str, log: RequestLog, clock: Clock, chance: random.Random, key: RequestKey, leases: list[Lease]
) -> object:
    connection = chance.choice(["conn-1", "conn-2"])
    seq = chance.randint(2, 5)
    status = chance.choice([Status.PROCESSING, Status.PROCESSING, Status.PROCESSING, Status.COMPLETE])
    if step == "create":
        return log.create(new_request(clock), ACCEPTED)
    if step == "lease":
        lease = log.take_lease(key, clock(), clock() + 10)
        leases += [lease] if lease else []
        return lease
    if step == "point":
        return log.attach(key, connection)
    if step == "cancel":
        return log.request_cancel(key)
    if not leases:
        return None
    if step == "forget":
        log.forget_connection(key, connection)
        return None
    try:
        lease = chance.choice(leases)
        if step == "store":
            log.store(lease, StoredEvent(seq, f'{{"attempt":{lease.attempt}}}'))
            return None
        return log.advance(lease, seq, clock() + 10, status)
    except LeaseLostError:
        return "lease lost"


def test_of_all_who_want_to_queue_a_take_over_one_may_until_the_time_is_up(log: RequestLog, clock: Clock) -> None:
    log.create(new_request(clock), ACCEPTED)
    key = RequestKey(ANN, ID)
    now = clock.now
    claims = [log.claim_takeover(key, 0, now + later, now + later + 15) for later in (0, 0, 14, 15, 15.001, 16)]
    assert claims == [True, False, False, False, True, False]
    assert head_of(log, key).takeover_until == pytest.approx(now + 30.001)


def test_no_take_over_is_queued_from_an_attempt_that_another_has_followed(log: RequestLog, clock: Clock) -> None:
    log.create(new_request(clock), ACCEPTED)
    key = RequestKey(ANN, ID)
    assert log.take_lease(key, clock.now, clock.now + 15)
    assert not log.claim_takeover(key, 0, clock.now + 20, clock.now + 35)
    assert log.claim_takeover(key, 1, clock.now + 20, clock.now + 35)
    assert not log.claim_takeover(RequestKey(BOB, ID), 0, clock.now, clock.now + 15)
