"""The requests of the DynamoDB adapters, checked directly: moto ignores consistency and time to live."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from cicada.adapters.dynamodb import request_log as dynamo_request_log
from cicada.adapters.dynamodb.connection_table import DynamoConnectionTable
from cicada.adapters.dynamodb.entry_store import DynamoEntryStore
from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.dynamodb.usage_table import DynamoUsageTable
from cicada.agents.model import AgentKind, EntryScope
from cicada.conversation.limits import UsageLimits
from cicada.conversation.model import AnswerRecord, Lease, NewRequest, Question, RequestKey, Status, StoredEvent
from cicada.documents.catalogue import ListedPage, Sort
from cicada.documents.model import Exists
from cicada.errors import ThrottledError, UnavailableError
from cicada.identity import Principal
from cli.operator.dead_letters import DynamoRequestReopener
from tests.contract.connections_table import TABLE as CONNECTIONS
from tests.contract.connections_table import connections_table
from tests.contract.dynamo_requests import cancelled, pauses_of, requests_of
from tests.contract.requests_table import TABLE, requests_table
from tests.fakes.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ANN = Principal("acme", "ann")
KEY = RequestKey(ANN, "7e57d004-2b97-4e7a-b45f-5387367791cd")
ACCEPTED = '{"type":"accepted","sessionId":"s1"}'
PROFILES = EntryScope(ANN, "scripts", AgentKind.PROFILES)
QUESTION, KEPT_SECONDS = Question("Who?", "s1", "scripts"), 3600


class Tables:
    """Every adapter on one table: the keys of each are its own."""

    def __init__(self, client: DynamoDBClient) -> None:
        self.client, self.clock = client, Clock()
        self.log = DynamoRequestLog(client, TABLE, self.clock)
        self.usage = DynamoUsageTable(client, TABLE)
        self.entries = DynamoEntryStore(client, TABLE)

    def create(self, key: RequestKey = KEY) -> bool:
        until = self.clock() + KEPT_SECONDS
        return self.log.create(NewRequest(key, QUESTION, "c1", self.clock(), until), ACCEPTED)

    def leased(self) -> Lease:
        self.create()
        lease = self.log.take_lease(KEY, self.clock(), self.clock() + 15)
        assert lease is not None
        return lease

    def rows(self, index: str | None = None) -> list[dict[str, Any]]:
        return list(self.client.scan(TableName=TABLE, **({"IndexName": index} if index else {}))["Items"])  # type: ignore[arg-type]

    def times_to_live(self) -> dict[str, str]:
        """When each row may go, by its sort key."""
        described = self.client.describe_time_to_live(TableName=TABLE)["TimeToLiveDescription"]
        return {item["sk"]["S"]: item[described["AttributeName"]]["N"] for item in self.rows()}


@pytest.fixture
def tables() -> Iterator[Tables]:
    with requests_table() as client:
        yield Tables(client)


READS: dict[str, Callable[[Tables], object]] = {
    "the head of a request": lambda tables: tables.log.head(KEY),
    "the question of a request": lambda tables: tables.log.question(KEY),
    "the events of a request": lambda tables: list(tables.log.events(KEY, 0, 1)),
    "the usage of a user": lambda tables: tables.usage.get(ANN),
    "the profiles": lambda tables: tables.entries.live(PROFILES),
    "the earlier states of profiles": lambda tables: tables.entries.earlier(PROFILES, 0.0),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_read_asks_for_what_was_written_before_it(tables: Tables, read: Callable[[Tables], object]) -> None:
    tables.create()
    sent = requests_of(tables.client)
    read(tables)
    assert [(each.is_read, each.parameters.get("ConsistentRead")) for each in sent] == [(True, True)]


def test_a_connection_is_read_as_it_was_just_written() -> None:
    with connections_table() as client:
        sent = requests_of(client)
        DynamoConnectionTable(client, CONNECTIONS).get("c1")
        assert [(each.operation, each.parameters.get("ConsistentRead")) for each in sent] == [("GetItem", True)]


def test_lists_of_sessions_and_turns_are_read_from_the_index_which_refuses_consistent_reads(tables: Tables) -> None:
    sent = requests_of(tables.client)
    tables.log.sessions(ANN, None, 7)
    tables.log.turns(ANN, "s1", None, 7)
    for each in sent:
        assert (each.operation, each.parameters["IndexName"], each.parameters["Limit"]) == ("Query", "history", 7)
        assert "ConsistentRead" not in each.parameters


def test_all_rows_of_a_request_are_kept_as_long_as_the_request(tables: Tables) -> None:
    lease = tables.leased()
    tables.clock.now += 60
    tables.log.store(lease, StoredEvent(2, '{"type":"cancelled"}'))
    tables.log.advance(lease, 2, tables.clock() + 15, Status.CANCELLED)
    rows = ("HEAD", "E#00000001", "E#00000002", "SESSION#s1")
    assert tables.times_to_live() == dict.fromkeys(rows, str(int(lease.expires_at)))


def test_an_event_does_not_write_the_index_of_the_history(tables: Tables) -> None:
    """DynamoDB writes an index again when an attribute in it changes, and an answer has hundreds of events."""
    lease, before = tables.leased(), tables.rows("history")
    tables.log.store(lease, StoredEvent(2, '{"type":"complete"}'))
    tables.log.advance(lease, 2, tables.clock() + 15, Status.COMPLETE)
    assert tables.rows("history") == before
    assert len(before) == 2


def test_a_request_that_is_redriven_is_kept_no_longer(tables: Tables) -> None:
    lease = tables.leased()
    tables.log.store(lease, StoredEvent(2, '{"type":"error"}'))
    head = tables.log.advance(lease, 2, tables.clock() + 15, Status.FAILED)
    before = tables.times_to_live()
    tables.clock.now += 60
    assert DynamoRequestReopener(tables.client, TABLE).reopen(KEY, head, '{"type":"reset"}')
    assert tables.times_to_live() == before


def test_a_session_is_kept_as_long_as_its_latest_request(tables: Tables) -> None:
    tables.create()
    tables.clock.now += 60
    tables.create(RequestKey(ANN, "7e57d004-2b97-4e7a-b45f-5387367791ce"))
    assert tables.times_to_live()["SESSION#s1"] == str(int(tables.clock() + KEPT_SECONDS))


def test_usage_is_kept_for_a_day_which_is_longer_than_any_request_is_under_way(tables: Tables) -> None:
    UsageLimits(tables.usage, tables.log, tables.clock, 60, 10, 1200).admit(KEY)
    assert tables.times_to_live() == {"USAGE": str(int(tables.clock()) + 24 * 3600)}


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    return pauses_of(monkeypatch, dynamo_request_log)


IN_SESSION = ("None", "None", "TransactionConflict")


def test_two_messages_of_one_session_at_the_same_moment_are_both_stored(tables: Tables, pauses: list[float]) -> None:
    with cancelled(tables.client, IN_SESSION, IN_SESSION, ()):
        assert tables.create()
    assert len(pauses) == 2


def test_a_session_that_stays_taken_is_given_up_within_a_second(tables: Tables, pauses: list[float]) -> None:
    with cancelled(tables.client, *[IN_SESSION] * 6), pytest.raises(ThrottledError):
        tables.create()
    assert sum(pauses) < 1


def test_a_repeat_that_meets_a_conflict_is_a_repeat(tables: Tables, pauses: list[float]) -> None:
    with cancelled(tables.client, ("ConditionalCheckFailed", "None", "TransactionConflict")):
        assert not tables.create()
    assert pauses == []


def test_a_transaction_that_is_cancelled_for_another_reason_is_no_repeat(tables: Tables, pauses: list[float]) -> None:
    full = ("None", "None", "ItemCollectionSizeLimitExceeded")
    with cancelled(tables.client, *[full] * 6), pytest.raises(UnavailableError):
        tables.create()


def test_a_record_of_a_newer_version_is_read_without_what_it_adds(tables: Tables) -> None:
    page = ListedPage("scripts", "store", (Exists("owner"),), Sort("title"), offset=20)
    record = AnswerRecord(path=("script_query",), scores=(0.5,), listing=page)
    tables.log.advance(tables.leased(), 1, tables.clock() + 15, Status.COMPLETE, record)
    [row] = [row for row in tables.rows() if row["sk"]["S"] == "HEAD"]
    written = json.loads(row["answerRecord"]["S"])
    newer = written | {"mood": "good", "listing": written["listing"] | {"colour": "red"}}
    tables.client.put_item(TableName=TABLE, Item=row | {"answerRecord": {"S": json.dumps(newer)}})
    read = tables.log.head(KEY)
    assert read is not None
    assert read.record == record
