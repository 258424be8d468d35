"""`cicada restore`: rows of a table that DynamoDB restored under another name, on moto."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from cli import deployment_target
from cli.deployment_target import DeploymentTarget
from tests.cli.conftest import Shell
from tests.contract.declared import create_table, declared_table

COPY = "requests-restored"
NEVER = 4_102_444_800  # in the year 2100


def row(name: str, text: str, **more: Any) -> dict[str, Any]:
    return {"pk": {"S": name}, "sk": {"S": "HEAD"}, "text": {"S": text}, **more}


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A stack whose table has one row, and a copy of it that was restored."""
    with declared_table("requests") as client:
        client.put_item(TableName="requests", Item=row("kept", "newer"))
        client.create_table(
            TableName=COPY,
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
        )
        monkeypatch.setattr(DeploymentTarget, "client", lambda *_, **__: client)
        target = DeploymentTarget({"RequestsTable": "requests", "ReadersTable": "readers"}, {})
        monkeypatch.setattr(deployment_target, "open_target", lambda _: target)
        yield client


def texts(client: Any) -> dict[str, str]:
    return {each["pk"]["S"]: each["text"]["S"] for each in client.scan(TableName="requests")["Items"]}


def test_lost_rows_come_back_and_newer_ones_stay(client: Any, shell: Shell) -> None:
    for each in (
        row("lost", "earlier", expiresAt={"N": str(NEVER)}),
        row("kept", "earlier"),
        row("expired", "earlier", expiresAt={"N": "1"}),
    ):
        client.put_item(TableName=COPY, Item=each)
    assert shell("restore", "requests", "--from", COPY) == 0
    assert shell.out() == "1 rows restored, 1 were there, 1 have expired.\n"
    assert texts(client) == {"lost": "earlier", "kept": "newer"}
    assert shell("restore", "requests", "--from", COPY, "--json") == 0
    assert shell.json() == {"restored": 0, "kept": 2, "expired": 1}


def test_what_is_no_copy_is_refused(client: Any, shell: Shell) -> None:
    create_table(client, "readers")
    for table, copy, said in (
        ("requests", "requests", "requests is the table that the stage uses"),
        ("requests", "request-restored", "There is no table request-restored"),
        ("readers", COPY, f"{COPY} has other keys than readers"),
    ):
        assert shell("restore", table, "--from", copy) == 2
        assert said in shell.err()
    assert texts(client) == {"kept": "newer"}


def test_a_copy_that_dynamodb_still_fills_is_refused(
    client: Any, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = client.describe_table

    def filling(TableName: str) -> Any:  # noqa: N803 - boto3's
        found = described(TableName=TableName)
        return {"Table": found["Table"] | {"TableStatus": "CREATING"}}

    monkeypatch.setattr(client, "describe_table", filling)
    assert shell("restore", "requests", "--from", COPY) == 1
    assert f"{COPY} is not complete yet; try again" in shell.err()
