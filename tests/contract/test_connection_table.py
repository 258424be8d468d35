"""What every table of connections does: the fake and DynamoDB alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cicada.adapters.dynamodb.connection_table import DynamoConnectionTable
from cicada.conversation.model import Connection
from cicada.conversation.ports import ConnectionTable
from cicada.errors import ConfigurationError
from cicada.identity import Principal
from tests.contract.connections_table import TABLE, connections_table
from tests.fakes.conversation import InMemoryConnections

NOW = 1_800_000_000.0
# Ids as API Gateway makes them.
FIRST = Connection("dE3fGcb1IAMCJcQ=", Principal("acme", "ann"), NOW + 600, NOW)
SECOND = Connection("dE3fGcb1IAMCJcR=", Principal("other", "bob"), NOW + 900, NOW + 300)


@pytest.fixture(params=["memory", "dynamo"])
def table(request: pytest.FixtureRequest) -> Iterator[ConnectionTable]:
    if request.param == "memory":
        yield InMemoryConnections()
    else:
        with connections_table() as client:
            yield DynamoConnectionTable(client, TABLE)


def test_a_connection_is_found_until_it_is_removed(table: ConnectionTable) -> None:
    assert table.get(FIRST.connection_id) is None
    for each in (FIRST, SECOND):
        table.add(each, NOW + 7200)
        assert table.get(each.connection_id) == each
    for _ in range(2):
        table.remove(FIRST.connection_id)
        assert [table.get(each.connection_id) for each in (FIRST, SECOND)] == [None, SECOND]


def test_the_groups_of_its_user_are_kept(table: ConnectionTable) -> None:
    for groups in (frozenset({"legal", 'té nant,"#'}), frozenset[str]()):
        table.add(Connection("c1", Principal("acme", "ann", groups), NOW + 600, NOW), NOW + 7200)
        found = table.get("c1")
        assert found
        assert found.principal.groups == groups


def test_an_id_that_is_added_again_is_the_newer_connection(table: ConnectionTable) -> None:
    newer = Connection(FIRST.connection_id, SECOND.principal, NOW + 900, NOW + 300)
    table.add(FIRST, NOW + 7200)
    table.add(newer, NOW + 7200)
    assert table.get(FIRST.connection_id) == newer


def test_a_users_connections_are_listed_oldest_first(table: ConnectionTable) -> None:
    ann, namesake = Principal("acme", "ann", frozenset({"legal"}), "ann@acme"), Principal("other", "ann")
    opened = [Connection(f"c{number}", ann, NOW + 600, NOW - 60, NOW - number) for number in range(3)]
    for each in (*opened, Connection("c9", namesake, NOW + 600, NOW - 60, NOW), SECOND):
        table.add(each, NOW + 7200)
    assert table.of(Principal("acme", "ann")) == [opened[2], opened[1], opened[0]]
    assert table.of(ann)[0].principal.groups == ann.groups
    table.remove("c1")
    assert [each.connection_id for each in table.of(ann)] == ["c2", "c0"]
    assert table.of(Principal("acme", "an")) == []


def test_all_connections_of_a_user_are_listed_though_they_take_several_pages() -> None:
    """DynamoDB returns at most 1 MB at once."""
    with connections_table() as client:
        table = DynamoConnectionTable(client, TABLE)
        many = Principal("acme", "ann", frozenset(f"{number}{'x' * 1000}" for number in range(100)))
        for number in range(15):
            table.add(Connection(f"c{number}", many, NOW + 600, NOW - 60, NOW + number), NOW + 7200)
        assert [each.connection_id for each in table.of(many)] == [f"c{number}" for number in range(15)]


def test_rows_have_a_time_to_live() -> None:
    with connections_table() as client:
        DynamoConnectionTable(client, TABLE).add(FIRST, NOW + 7200.9)
        [item] = client.scan(TableName=TABLE)["Items"]
        assert item["expiresAt"] == {"N": str(int(NOW) + 7200)}


def test_a_row_of_an_earlier_version_counts_as_older_than_every_revocation() -> None:
    with connections_table() as client:
        table = DynamoConnectionTable(client, TABLE)
        table.add(FIRST, NOW + 7200)
        key = {"pk": {"S": FIRST.connection_id}}
        client.update_item(TableName=TABLE, Key=key, UpdateExpression="REMOVE tokenIssuedAt")
        found = table.get(FIRST.connection_id)
        assert found is not None
        assert found.token_issued_at == 0


def test_a_missing_table_is_no_unknown_connection() -> None:
    with connections_table() as client, pytest.raises(ConfigurationError):
        DynamoConnectionTable(client, "missing").get(FIRST.connection_id)
