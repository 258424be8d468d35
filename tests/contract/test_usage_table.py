"""What every table of usage does, and the limits on top of it: the fake and DynamoDB alike."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.dynamodb.usage_table import DynamoUsageTable
from cicada.conversation.limits import DEAREST_ENTRY, UsageLimits
from cicada.conversation.model import Charge, Charged, NewRequest, Question, RequestKey, Status, StoredEvent, Usage
from cicada.conversation.ports import RequestLog, UsageTable
from cicada.errors import ConfigurationError, LimitExceededError
from cicada.identity import Principal
from tests.contract.requests_table import TABLE, requests_table
from tests.fakes.clock import Clock
from tests.fakes.request_log import InMemoryRequestLog
from tests.fakes.usage_table import DisturbedUsageTable, InMemoryUsageTable

ANN = Principal("acme", "ann")
BOB = Principal("acme", "bob")
NOW, LATER = 1_800_000_000.0, 1_900_000_000.0
PER_MINUTE, IN_FLIGHT = 6, 3
# The price of a question beside its entry, which the tests of the table leave out.
PRICE = 60 / PER_MINUTE - DEAREST_ENTRY * 60 / 1200


@dataclass(frozen=True)
class Ports:
    table: UsageTable
    log: RequestLog


@contextmanager
def opened(kind: str, clock: Clock) -> Iterator[Ports]:
    if kind == "memory":
        yield Ports(InMemoryUsageTable(), InMemoryRequestLog(clock))
    else:
        with requests_table() as client:
            yield Ports(DynamoUsageTable(client, TABLE), DynamoRequestLog(client, TABLE, clock))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "dynamo"])
def ports(request: pytest.FixtureRequest, clock: Clock) -> Iterator[Ports]:
    with opened(request.param, clock) as ports:
        yield ports


def limits_on(ports: Ports, clock: Clock, table: UsageTable | None = None) -> UsageLimits:
    return UsageLimits(table or ports.table, ports.log, clock, PER_MINUTE, IN_FLIGHT, 1200)


def key(number: int, principal: Principal = ANN) -> RequestKey:
    return RequestKey(principal, f"7e57d004-2b97-4e7a-b45f-{number:012d}")


def store(ports: Ports, clock: Clock, request: RequestKey) -> None:
    question = Question("Who?", "s1", "scripts")
    ports.log.create(NewRequest(request, question, "c1", clock(), clock() + 3600), '{"type":"accepted"}')


def end(ports: Ports, clock: Clock, request: RequestKey) -> None:
    lease = ports.log.take_lease(request, clock(), clock() + 15)
    if lease:
        ports.log.store(lease, StoredEvent(2, '{"type":"cancelled"}'))
        ports.log.advance(lease, 2, clock() + 15, Status.CANCELLED)


def test_usage_is_found_as_it_was_stored_and_kept_by_a_charge(ports: Ports) -> None:
    admitted = {key(1).request_id: NOW + 0.125}
    assert ports.table.get(ANN) == Usage()
    assert ports.table.admit(ANN, Charge(1.123456, NOW, NOW + 60), Usage(), admitted, LATER).paid
    assert ports.table.get(ANN) == Usage(1, NOW + 1.123456, admitted)
    assert ports.table.charge(ANN, Charge(1, NOW, NOW + 60), LATER).usage == Usage(1, NOW + 2.123456, admitted)
    assert ports.table.get(BOB) == Usage()


def test_charges_add_up_from_now_at_the_earliest(ports: Ports) -> None:
    arrivals = []
    for now in (NOW, NOW, NOW + 1, NOW + 10, NOW + 10):
        charged = ports.table.charge(ANN, Charge(2, now, now + 60), LATER)
        assert charged == Charged(True, ports.table.get(ANN))
        arrivals.append(charged.usage.theoretical_arrival - NOW)
    assert arrivals == [2, 4, 6, 12, 14]


def test_a_charge_beyond_the_latest_arrival_is_refused_and_changes_nothing(ports: Ports) -> None:
    assert ports.table.charge(ANN, Charge(4, NOW, NOW + 5), LATER).paid
    before = ports.table.get(ANN)
    for refused in (Charge(1.5, NOW, NOW + 5), Charge(6, NOW, NOW + 5), Charge(60, NOW + 30, NOW + 35)):
        assert ports.table.charge(ANN, refused, LATER) == Charged(False, before)
        assert ports.table.admit(ANN, refused, before, {"r1": NOW}, LATER) == Charged(False, before)
    assert ports.table.get(ANN) == before
    assert ports.table.charge(ANN, Charge(1, NOW, NOW + 5), LATER).paid


def test_of_two_changes_of_the_same_admitted_requests_one_is_made(ports: Ports) -> None:
    for number in range(3):
        before = ports.table.get(ANN)
        charge = Charge(1, NOW + 10 * number, NOW + 60)
        ports.table.charge(ANN, charge, LATER)
        admitted = {str(number): NOW}
        assert ports.table.admit(ANN, charge, before, admitted, LATER).paid
        after = ports.table.get(ANN)
        assert ports.table.admit(ANN, charge, before, {"other": NOW}, LATER) == Charged(False, after)
        assert ports.table.get(ANN) == after == Usage(number + 1, NOW + 10 * number + 2, admitted)


def test_a_row_without_a_charge_is_that_of_a_full_bucket() -> None:
    """Access tokens may be revoked of a user who has sent nothing yet."""
    with requests_table() as client:
        row = {"pk": {"S": ANN.owner}, "sk": {"S": "USAGE"}, "revokedBefore": {"N": "1800000000"}}
        client.put_item(TableName=TABLE, Item=row)
        charged = DynamoUsageTable(client, TABLE).charge(ANN, Charge(60, NOW, NOW + 60), LATER)
    assert charged == Charged(True, Usage(0, NOW + 60, {}, NOW))


def test_a_missing_table_is_no_user_without_usage() -> None:
    with requests_table() as client, pytest.raises(ConfigurationError):
        DynamoUsageTable(client, "missing").get(ANN)


def test_rows_have_a_time_to_live_and_take_one_write_unit() -> None:
    with requests_table() as client:
        admitted = {key(number).request_id: 1_800_000_000.125 for number in range(15)}
        owner = Principal("tenant" * 5, "7e57d004-2b97-4e7a-b45f-5387367791cd")
        charge = Charge(1.123456, NOW, NOW + 60)
        DynamoUsageTable(client, TABLE).admit(owner, charge, Usage(), admitted, LATER + 0.9)
        [item] = client.scan(TableName=TABLE)["Items"]
    assert item["expiresAt"] == {"N": str(int(LATER))}
    assert item_bytes(item) <= 1024


def item_bytes(value: object, name: str = "") -> int:
    """Bytes by https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html."""
    size = len(name.encode())
    if not isinstance(value, dict):
        return size + len(str(value).encode())
    [(kind, content), *others] = value.items()
    if others or kind not in ("S", "N", "M"):
        return sum(item_bytes(each, attribute) for attribute, each in value.items())
    if kind == "M":
        return size + 3 + sum(1 + item_bytes(each, attribute) for attribute, each in content.items())
    return size + (len(content.encode()) if kind == "S" else len(content) // 2 + 2)


def disturbed(ports: Ports, clock: Clock) -> tuple[UsageLimits, DisturbedUsageTable]:
    table = DisturbedUsageTable(ports.table)
    return limits_on(ports, clock, table), table


def test_two_messages_at_once_do_not_share_the_last_place(ports: Ports, clock: Clock) -> None:
    limits, table = disturbed(ports, clock)
    for number in range(IN_FLIGHT - 1):
        limits.admit(key(number))
        store(ports, clock, key(number))
    table.between = lambda: limits.admit(key(98))
    with pytest.raises(LimitExceededError):
        limits.admit(key(99))
    assert key(98).request_id in ports.table.get(ANN).admitted


@pytest.mark.parametrize("other", [1, 2], ids=["the same", "another"])
def test_messages_at_once_are_each_counted_once(ports: Ports, clock: Clock, other: int) -> None:
    limits, table = disturbed(ports, clock)
    table.between = lambda: limits.admit(key(other))
    limits.admit(key(1))
    both = {key(1).request_id, key(other).request_id}
    assert set(ports.table.get(ANN).admitted) == both
    assert ports.table.get(ANN).theoretical_arrival == clock() + len(both) * PRICE


def test_a_turn_costs_two_writes(ports: Ports, clock: Clock) -> None:
    limits, table = disturbed(ports, clock)
    for number in range(20):
        limits.enter(ANN, DEAREST_ENTRY, asks=True)
        limits.admit(key(number))
        store(ports, clock, key(number))
        end(ports, clock, key(number))
        clock.now += 60 / PER_MINUTE
    assert (table.charges, table.admissions) == (20, 20)
    assert len(ports.table.get(ANN).admitted) == IN_FLIGHT


@pytest.mark.parametrize("seed", range(2))
def test_random_users_are_let_in_alike_and_never_beyond_the_limits(seed: int) -> None:
    histories = []
    for kind in ("memory", "dynamo"):
        clock = Clock()
        with opened(kind, clock) as ports:
            histories.append(random_history(ports, clock, random.Random(seed)))
    assert histories[0] == histories[1]


def random_history(ports: Ports, clock: Clock, chance: random.Random) -> list[object]:
    """Forty messages of two users, some of whose requests end in between; who was let in when."""
    limits = limits_on(ports, clock)
    seen: list[object] = []
    times: dict[Principal, list[float]] = {ANN: [], BOB: []}
    under_way: dict[Principal, list[RequestKey]] = {ANN: [], BOB: []}
    for number in range(40):
        clock.now += chance.choice([0, 0.25, 1, 4, 11])
        who = chance.choice([ANN, BOB])
        try:
            limits.enter(who, DEAREST_ENTRY, asks=True)
            limits.admit(key(number, who))
        except LimitExceededError as error:
            seen.append((number, str(error), error.retry_after_seconds))
        else:
            store(ports, clock, key(number, who))
            times[who].append(clock())
            under_way[who].append(key(number, who))
            seen.append(number)
        assert len(under_way[who]) <= IN_FLIGHT
        if under_way[who] and chance.random() < 0.7:
            end(ports, clock, under_way[who].pop(chance.randrange(len(under_way[who]))))
    for each in times.values():
        assert_rate_kept(each)
    return seen


def assert_rate_kept(times: list[float]) -> None:
    """Assert that no more were let through than the burst and what the time from first to last permits."""
    for first, last in itertools.combinations(range(len(times)), 2):
        permitted = PER_MINUTE + (times[last] - times[first]) * PER_MINUTE / 60
        assert last - first + 1 <= permitted + 0.001


def test_a_revocation_is_kept_beside_what_else_the_row_says(ports: Ports, clock: Clock) -> None:
    ports.table.revoke(ANN, NOW, LATER)
    assert ports.table.get(ANN) == Usage(revoked_before=NOW)
    limits_on(ports, clock).admit(RequestKey(ANN, "r1"))
    ports.table.revoke(ANN, NOW + 2, LATER)
    usage = ports.table.get(ANN)
    assert (usage.revoked_before, list(usage.admitted)) == (NOW + 2, ["r1"])
    assert ports.table.get(BOB) == Usage()


def test_a_later_revocation_stays(ports: Ports) -> None:
    for at in (NOW + 2, NOW):
        ports.table.revoke(ANN, at, LATER)
    assert ports.table.get(ANN).revoked_before == NOW + 2
