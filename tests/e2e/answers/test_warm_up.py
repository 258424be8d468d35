"""The calls that start the functions before the first question."""

from __future__ import annotations

from typing import Any

from local.stage.aws import aws_client
from local.stage.warm_up import USER, WarmUp
from tests.chaos.target import Target


def stored(stage: Target) -> list[dict[str, Any]]:
    """The items of all tables."""
    client = aws_client(stage.config, "dynamodb")
    return [item for name in client.list_tables()["TableNames"] for item in client.scan(TableName=name)["Items"]]


def test_they_succeed_and_leave_nothing_but_how_often_they_came(stage: Target) -> None:
    warm_up = WarmUp(stage.config)
    warm_up.wait()
    assert warm_up.failed == []
    left = [item for item in stored(stage) if USER in str(item)]
    assert [item for item in left if item["sk"]["S"] != "USAGE"] == []
