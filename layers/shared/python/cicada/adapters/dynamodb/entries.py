"""The table of entries, which users save: each has its owner as `pk` and its own key as `sk`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cicada.adapters.aws_errors import dynamo_errors

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Item = dict[str, Any]


class DynamoEntries:
    """Entries as DynamoDB items. Failures are `DependencyError`s or `ConfigurationError`s."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table

    def list(self, owner: str, prefix: str) -> Iterator[Item]:
        """The owner's entries whose sort key begins with `prefix`, in key order, read page by page."""
        query: dict[str, Any] = {
            "TableName": self._table,
            "ConsistentRead": True,
            "KeyConditionExpression": "pk = :owner AND begins_with(sk, :prefix)",
            "ExpressionAttributeValues": {":owner": {"S": owner}, ":prefix": {"S": prefix}},
        }
        while True:
            with dynamo_errors():
                page = self._client.query(**query)
            yield from page["Items"]
            if "LastEvaluatedKey" not in page:
                return
            query["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def get(self, owner: str, sort_key: str) -> Item | None:
        with dynamo_errors():
            reply = self._client.get_item(TableName=self._table, Key=_key(owner, sort_key), ConsistentRead=True)
        return reply.get("Item")

    def put(self, owner: str, sort_key: str, attributes: Item) -> None:
        with dynamo_errors():
            self._client.put_item(TableName=self._table, Item=_key(owner, sort_key) | attributes)

    def delete(self, owner: str, sort_key: str) -> bool:
        """False if there was none."""
        with dynamo_errors():
            reply = self._client.delete_item(TableName=self._table, Key=_key(owner, sort_key), ReturnValues="ALL_OLD")
        return bool(reply.get("Attributes"))


def _key(owner: str, sort_key: str) -> Item:
    return {"pk": {"S": owner}, "sk": {"S": sort_key}}
