from __future__ import annotations

import uuid

import pytest
from msgspec.structs import replace

from cicada.conversation.limits import DEAREST_ENTRY, UsageLimits
from cicada.conversation.model import Charge, Charged, RequestKey, Usage
from cicada.conversation.ports import UsageTable
from cicada.conversation.protocol import Cancelled
from cicada.errors import ConfigurationError, FloodError, LimitExceededError, UnavailableError
from cicada.identity import Principal
from tests.fakes.usage_table import DisturbedUsageTable, InMemoryUsageTable
from tests.unit.conversation.situation import ANN, BOB, KEY, LEASE_SECONDS, Situation, send_message


def limits_on(here: Situation, table: UsageTable, per_minute: int, in_flight: int) -> UsageLimits:
    return UsageLimits(table, here.log, here.clock, per_minute, in_flight, max(1200, 20 * per_minute))


class Limited(Situation):
    """A conversation with limits."""

    per_minute = 60
    in_flight = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        self.table = DisturbedUsageTable(InMemoryUsageTable())
        limits = limits_on(self, self.table, self.per_minute, self.in_flight)
        self.limits = limits
        self.accepter = replace(self.accepter, limits=limits)

    def send(self, request_id: str | None = None, message: str = "Who?") -> RequestKey:
        sent = request_id or str(uuid.uuid4())
        self.limits.enter(ANN, DEAREST_ENTRY, asks=True)
        self.accepter.accept(send_message(message, sent), self.connection())
        return RequestKey(ANN, sent)

    def finish(self, key: RequestKey) -> None:
        self.delivery(self.lease(key)).send(Cancelled())


class Hurried(Limited):
    """A conversation in which the rate is what matters."""

    per_minute = 4
    in_flight = 100


@pytest.fixture
def here() -> Limited:
    return Limited()


def refusal(here: Limited, request_id: str | None = None) -> LimitExceededError:
    with pytest.raises(LimitExceededError) as caught:
        here.send(request_id)
    return caught.value


def fail(step: str) -> None:
    raise UnavailableError("The database could not be reached.")


def full(here: Limited) -> list[RequestKey]:
    return [here.send() for _ in range(here.in_flight)]


def test_of_a_refused_message_nothing_is_stored_or_queued(here: Limited) -> None:
    queued = full(here)
    steps: list[str] = []
    here.log.before = steps.append
    admissions = here.table.admissions
    refused = str(uuid.uuid4())
    error = refusal(here, refused)
    assert steps == []
    assert here.table.admissions == admissions
    assert here.queue.requests == queued
    assert here.log.head(RequestKey(ANN, refused)) is None
    assert "3 questions under way at once; wait for an answer" in str(error)
    assert (error.code, error.retryable, error.retry_after_seconds) == ("rate_limited", True, 5)


def test_a_repeat_of_an_accepted_request_is_not_admitted_again(here: Limited) -> None:
    first, *_ = full(here)
    admitted = here.table.get(ANN).admitted
    for _ in range(5):
        here.send(first.request_id)
    assert here.table.get(ANN).admitted == admitted
    assert [event["type"] for event in here.received("c1")] == ["accepted"] * 5


def test_a_repeat_of_a_request_of_long_ago_is_not_admitted_again(here: Limited) -> None:
    first = here.send()
    here.finish(first)
    full(here)
    admitted = here.table.get(ANN).admitted
    assert first.request_id not in admitted
    here.send(first.request_id)
    assert here.table.get(ANN).admitted == admitted


def test_a_refused_message_is_accepted_once_an_answer_has_ended(here: Limited) -> None:
    _, second, _ = full(here)
    refused = str(uuid.uuid4())
    refusal(here, refused)
    here.finish(second)
    here.send(refused)
    refusal(here)


def test_ended_requests_make_way_only_for_room_the_oldest_first(here: Limited) -> None:
    """Looking one up costs a read of the log."""
    sent = [f"{9 - number}e57d004-2b97-4e7a-b45f-5387367791cd" for number in range(4)]
    kept = []
    for request_id in sent:
        here.finish(here.send(request_id))
        here.clock.now += 1
        kept.append(set(here.table.get(ANN).admitted))
    assert kept == [set(sent[:1]), set(sent[:2]), set(sent[:3]), set(sent[1:])]


def test_each_user_has_limits_of_their_own(here: Limited) -> None:
    full(here)
    assert here.ask(principal=BOB) is not None


def test_a_request_whose_processor_has_died_gives_its_place_back(here: Limited) -> None:
    first, *_ = full(here)
    here.lease(first)
    refusal(here)
    here.clock.now += LEASE_SECONDS
    here.send()
    refusal(here)


def test_a_processor_that_goes_on_keeps_its_place(here: Limited) -> None:
    deliveries = [here.delivery(here.lease(key)) for key in full(here)]
    for _ in range(200):
        here.clock.now += LEASE_SECONDS - 1
        for delivery in deliveries:
            delivery.heartbeat()
    refusal(here)


@pytest.mark.parametrize(("lost", "seconds"), [("store", 30), ("queue", 900)])
def test_a_request_that_was_admitted_but_never_stored_or_queued_gives_its_place_back(
    here: Limited, lost: str, seconds: float
) -> None:
    if lost == "store":
        here.log.before = fail
    here.queue.failure = UnavailableError("The request queue could not be reached.")
    for _ in range(here.in_flight):
        with pytest.raises(UnavailableError):
            here.send()
    here.log.before, here.queue.failure = lambda step: None, None
    here.clock.now += seconds - 1
    refusal(here)
    here.clock.now += 1
    here.send()


def test_a_message_that_could_not_be_stored_does_not_count_twice(here: Limited) -> None:
    here.log.before = fail
    with pytest.raises(UnavailableError):
        here.send(KEY.request_id)
    usage = here.table.get(ANN)
    here.log.before = lambda step: None
    here.send(KEY.request_id)
    after = here.table.get(ANN)
    assert after.admitted == usage.admitted
    assert after.theoretical_arrival == usage.theoretical_arrival + DEAREST_ENTRY * 60 / 1200
    assert here.queue.requests == [KEY]


def test_a_lowered_limit_holds_at_once(here: Limited) -> None:
    keys = full(here)
    lowered = limits_on(here, here.table, 60, 1)
    for key in keys[:2]:
        here.finish(key)
    with pytest.raises(LimitExceededError):
        lowered.admit(KEY)
    here.finish(keys[2])
    lowered.admit(KEY)
    assert list(here.table.get(ANN).admitted) == [KEY.request_id]


def test_a_minutes_messages_may_come_at_once_and_the_next_one_has_to_wait() -> None:
    here = Hurried()
    full_rate = [here.send() for _ in range(here.per_minute)]
    error = refusal(here)
    assert (error.code, error.retryable) == ("rate_limited", True)
    # The refusal is charged too.
    assert error.retry_after_seconds == 16
    assert str(error) == "Your commands come too fast; send this one again in 16 seconds."
    assert here.queue.requests == full_rate


def test_exactly_a_minutes_commands_may_come_at_once() -> None:
    here = Situation()
    limits = limits_on(here, InMemoryUsageTable(), 9, 9)
    for _ in range(12):
        limits.enter(ANN, 100)
    with pytest.raises(LimitExceededError):
        limits.enter(ANN, 1)


def test_of_one_the_refusal_speaks_as_of_one() -> None:
    here = Situation()
    slow, lone = (limits_on(here, InMemoryUsageTable(), *each) for each in ((1, 9), (9, 1)))
    for limits, said in ((slow, "You can send 1 message a minute, "), (lone, "You can have 1 question under way ")):
        limits.enter(ANN, DEAREST_ENTRY, asks=True)
        limits.admit(KEY)
        here.clock.now += 1
        limits.enter(ANN, DEAREST_ENTRY, asks=True)
        with pytest.raises(LimitExceededError, match=said):
            limits.admit(RequestKey(ANN, "another"))


def test_whoever_waits_as_long_as_told_is_accepted() -> None:
    here = Hurried()
    for _ in range(here.per_minute):
        here.send()
    for _ in range(10):
        here.clock.now += refusal(here).retry_after_seconds
        here.send()


def test_what_is_refused_is_charged_for_the_refusal_alone() -> None:
    here = Hurried()
    for _ in range(here.per_minute):
        here.send()
    assert [refusal(here).retry_after_seconds for _ in range(9)] == [16, 16, 16, 16, 17, 17, 17, 17, 18]


def test_other_commands_take_from_the_same_bucket() -> None:
    here = Hurried()
    for _ in range(1200 - 3 * 300):
        here.limits.enter(ANN, 1)
    for _ in range(3):
        here.send()
    with pytest.raises(LimitExceededError, match="Your commands come too fast; send this one again in 1 second"):
        here.limits.enter(ANN, 1)
    here.limits.enter(BOB, 1)


def test_a_command_that_would_cause_more_than_is_left_is_refused_and_costs_nothing_more() -> None:
    here = Hurried()
    here.limits.enter(ANN, 3)
    here.limits.spend(ANN, 1000)
    before = here.table.get(ANN)
    with pytest.raises(LimitExceededError) as caught:
        here.limits.spend(ANN, 300)
    assert here.table.get(ANN) == before
    here.clock.now += caught.value.retry_after_seconds
    here.limits.enter(ANN, 3)
    here.limits.spend(ANN, 300)


def test_the_dearest_command_is_possible_with_a_full_bucket() -> None:
    here = Hurried()
    here.limits.enter(ANN, DEAREST_ENTRY)
    here.limits.spend(ANN, 1_000_000)


def test_whoever_goes_on_while_refused_is_flooding() -> None:
    here = Hurried()
    here.limits.enter(ANN, 1)
    here.limits.spend(ANN, 1200 - DEAREST_ENTRY)
    sent, refused = 0, LimitExceededError("", 0)
    while not isinstance(refused, FloodError):
        sent += 1
        try:
            here.limits.enter(ANN, 1)
        except LimitExceededError as error:
            refused = error
    assert 190 <= sent <= 210
    here.clock.now += refused.retry_after_seconds
    here.limits.enter(ANN, 1)


def test_a_user_who_has_paused_has_a_whole_minutes_messages_and_no_more() -> None:
    here = Hurried()
    here.send()
    here.clock.now += 3600
    for _ in range(here.per_minute):
        here.send()
    refusal(here)


@pytest.mark.parametrize("per_minute", [1, 7, 59, 60, 1000])
def test_the_rate_is_kept_whatever_the_fractions_of_a_second(per_minute: int) -> None:
    here = Situation()
    limits = limits_on(here, InMemoryUsageTable(), per_minute, 10_000)
    for number in range(per_minute):
        limits.enter(ANN, DEAREST_ENTRY, asks=True)
        limits.admit(RequestKey(ANN, str(number)))
    with pytest.raises(LimitExceededError):
        limits.enter(ANN, DEAREST_ENTRY, asks=True)


@pytest.mark.parametrize(("per_minute", "in_flight"), [(0, 10), (60, 0), (-1, 10)])
def test_limits_that_let_nobody_in_are_refused(per_minute: int, in_flight: int) -> None:
    here = Situation()
    with pytest.raises(ConfigurationError):
        UsageLimits(InMemoryUsageTable(), here.log, here.clock, per_minute, in_flight, 1200)


def test_a_user_whose_messages_keep_overtaking_each_other_is_told_to_wait() -> None:
    class Overtaken(InMemoryUsageTable):
        def admit(self, principal: object, charge: object, before: Usage, *others: object) -> Charged:
            return Charged(False, Usage(before.version + 1))

    here = Situation()
    limits = limits_on(here, Overtaken(), 60, 10)
    with pytest.raises(LimitExceededError) as caught:
        limits.admit(KEY)
    assert caught.value.retry_after_seconds == 1


class Kept(InMemoryUsageTable):
    """Notes until when each row is to be kept."""

    def __init__(self) -> None:
        super().__init__()
        self.until: list[float] = []

    def charge(self, principal: Principal, charge: Charge, expires_at: float) -> Charged:
        self.until.append(expires_at)
        return super().charge(principal, charge, expires_at)


def test_a_row_outlives_the_bucket_that_it_counts() -> None:
    here, table = Limited(), Kept()
    limits = limits_on(here, table, here.per_minute, here.in_flight)
    limits.enter(ANN, 1)
    limits.enter_anyhow(ANN, 1)
    limits.spend(ANN, 1)
    assert len(table.until) == 3
    assert all(until > here.clock() + 60 for until in table.until)
