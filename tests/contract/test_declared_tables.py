"""What is written fits the tables that the CDK app declares: their time to live, and the index of the history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cicada.adapters.dynamodb.connection_table import DynamoConnectionTable
from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.dynamodb.usage_table import DynamoUsageTable
from cicada.conversation.model import Charge, Connection, NewRequest, Question, RequestKey, Status, StoredEvent
from cicada.identity import Principal
from tests.contract import connections_table, requests_table
from tests.fakes.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ANN = Principal("acme", "ann")
KEY = RequestKey(ANN, "7e57d004-2b97-4e7a-b45f-5387367791cd")
LATER = 1_900_000_000


def rows(client: DynamoDBClient, table: str, index: str | None = None) -> list[dict[str, Any]]:
    scan: dict[str, Any] = {"TableName": table} | ({"IndexName": index} if index else {})
    return list(client.scan(**scan)["Items"])


def expiry_attribute(client: DynamoDBClient, table: str) -> str:
    return client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]["AttributeName"]


def test_every_row_of_a_request_is_deleted_by_the_tables_time_to_live() -> None:
    with requests_table.requests_table() as client:
        log = DynamoRequestLog(client, requests_table.TABLE, Clock())
        write_request(log)
        answer(log)
        DynamoUsageTable(client, requests_table.TABLE).charge(ANN, Charge(1, 0, 60), LATER)
        written = rows(client, requests_table.TABLE)
        assert sorted(row["sk"]["S"].partition("#")[0] for row in written) == ["E", "E", "HEAD", "SESSION", "USAGE"]
        attribute = expiry_attribute(client, requests_table.TABLE)
        assert [row[attribute] for row in written] == [{"N": str(LATER)}] * len(written)


def test_every_row_of_a_connection_is_deleted_by_the_tables_time_to_live() -> None:
    with connections_table.connections_table() as client:
        table = DynamoConnectionTable(client, connections_table.TABLE)
        table.add(Connection("c1", ANN, LATER - 3600, LATER - 7200), LATER)
        [row] = rows(client, connections_table.TABLE)
        assert row[expiry_attribute(client, connections_table.TABLE)] == {"N": str(LATER)}


def test_an_event_does_not_write_the_index_of_the_history() -> None:
    """DynamoDB writes an index again when an attribute in it changes, and an answer has hundreds of events."""
    with requests_table.requests_table() as client:
        log = DynamoRequestLog(client, requests_table.TABLE, Clock())
        write_request(log)
        before = rows(client, requests_table.TABLE, "history")
        answer(log)
        assert rows(client, requests_table.TABLE, "history") == before
        assert len(before) == 2


def write_request(log: DynamoRequestLog) -> None:
    now = Clock()()
    log.create(NewRequest(KEY, Question("Who?", "s1", "scripts"), "c1", now, LATER), '{"type":"accepted"}')


def answer(log: DynamoRequestLog) -> None:
    lease = log.take_lease(KEY, Clock()(), Clock()() + 15)
    assert lease
    log.store(lease, StoredEvent(2, '{"type":"complete"}'))
    log.advance(lease, 2, Clock()() + 15, Status.COMPLETE)
