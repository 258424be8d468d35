"""Deletes rows of a table, many at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cicada.adapters.aws_errors import Retry, dynamo_errors
from cicada.adapters.dynamodb.pages import items
from cicada.errors import ThrottledError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
_AT_ONCE = 25
_UNWRITTEN = Retry(attempts=8, base_seconds=0.05, cap_seconds=2)


def delete_partition(client: DynamoDBClient, table: str, partition: str) -> list[str]:
    """Delete all rows whose `pk` is this; returns their sort keys."""
    query: dict[str, Any] = {
        "TableName": table,
        "ConsistentRead": True,
        "KeyConditionExpression": "pk = :pk",
        "ProjectionExpression": "pk, sk",
        "ExpressionAttributeValues": {":pk": {"S": partition}},
    }
    keys = list(items(client.query, query))
    delete_rows(client, table, keys)
    return [each["sk"]["S"] for each in keys]


def delete_rows(client: DynamoDBClient, table: str, keys: Sequence[Mapping[str, Any]]) -> None:
    """Delete the rows with these keys. `ThrottledError` if DynamoDB stays busy: then some may be left."""
    for start in range(0, len(keys), _AT_ONCE):
        _delete_together(client, table, keys[start : start + _AT_ONCE])


def _delete_together(client: DynamoDBClient, table: str, keys: Sequence[Mapping[str, Any]]) -> None:
    """DynamoDB may leave some undeleted when it is busy; they are asked for again."""
    left: list[Any] = [{"DeleteRequest": {"Key": key}} for key in keys]

    def delete() -> None:
        nonlocal left
        with dynamo_errors():
            reply: Any = client.batch_write_item(RequestItems={table: left})
        left = reply.get("UnprocessedItems", {}).get(table, [])
        if left:
            raise ThrottledError("DynamoDB is busy; run it again, and it goes on where it stopped.")

    _UNWRITTEN.call(delete)
