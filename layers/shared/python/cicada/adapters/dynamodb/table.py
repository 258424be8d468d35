"""Calls of a DynamoDB table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from cicada.adapters.aws_errors import Retry, dynamo_errors
from cicada.errors import ThrottledError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Item = dict[str, Any]

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
KEYS_AT_ONCE = 100
# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
_DELETED_AT_ONCE = 25
_UNREAD = Retry(attempts=4, base_seconds=0.05, cap_seconds=0.5)
_UNWRITTEN = Retry(attempts=8, base_seconds=0.05, cap_seconds=2)
# Of transactions that meet each other.
CONFLICTS = Retry(attempts=6, base_seconds=0.02, cap_seconds=0.3)
FAILED, CONFLICT = "ConditionalCheckFailed", "TransactionConflict"


class CancelledError(Exception):
    """A transaction was not made: the condition of a write did not hold, or another one wrote at the same moment.

    `reasons`: one for each write, `FAILED`, `CONFLICT` or another code.
    """

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(*reasons)
        self.reasons = reasons


class Table:
    """A table by its name. Failures are raised as `dynamo_errors` raises them.

    In expressions `#name` stands for the attribute `name`, as it must where DynamoDB has reserved the name.
    """

    def __init__(self, client: DynamoDBClient, name: str) -> None:
        self.client: Any = client
        self.name = name

    def get(self, key: Item) -> Item | None:
        """The item with this key, read strongly consistently."""
        with dynamo_errors():
            found: Item | None = self.client.get_item(TableName=self.name, Key=key, ConsistentRead=True).get("Item")
        return found

    def get_live(self, key: Item, now: float) -> Item | None:
        """The same; None if it has expired by now, in epoch seconds: DynamoDB deletes expired items late."""
        item = self.get(key)
        return item if item and int(item["expiresAt"]["N"]) > now else None

    def batch(self, keys: Sequence[Item], *, consistent: bool = True) -> list[Item]:
        """The items with these keys. Unknown keys have none. Raises `ThrottledError` if some stay unread."""
        starts = range(0, len(keys), KEYS_AT_ONCE)
        return [item for start in starts for item in self._batch(keys[start : start + KEYS_AT_ONCE], consistent)]

    def _batch(self, keys: Sequence[Item], consistent: bool) -> list[Item]:
        """DynamoDB may leave keys unread when it is busy; they are asked for again."""
        wanted: Sequence[Item] = keys
        found: list[Item] = []

        def read() -> None:
            nonlocal wanted
            with dynamo_errors():
                reply = self.client.batch_get_item(
                    RequestItems={self.name: {"Keys": wanted, "ConsistentRead": consistent}}
                )
            found.extend(reply["Responses"].get(self.name, []))
            wanted = reply.get("UnprocessedKeys", {}).get(self.name, {}).get("Keys", [])
            if wanted:
                raise ThrottledError("The database has no room for a read now; try again.")

        _UNREAD.call(read)
        return found

    def query(self, condition: str, values: Item, **more: Any) -> Iterator[Item]:
        """The items whose keys meet the condition, read page by page. `more`: further parameters of the call."""
        for page in self.pages(condition, values, **more):
            yield from page["Items"]

    def pages(self, condition: str, values: Item, **more: Any) -> Iterator[dict[str, Any]]:
        """The pages of `query`. All but the last one have a `LastEvaluatedKey`."""
        names = _names(condition, more.get("FilterExpression", ""))
        asked = {"TableName": self.name, "KeyConditionExpression": condition, "ExpressionAttributeValues": values}
        return pages(self.client.query, asked | names | more)

    def put(self, item: Item, condition: str = "", values: Item | None = None) -> bool:
        """Whether the condition held, and the item was written."""
        return _written(self.client.put_item, self.put_of(item, condition, values)) is not None

    def update(self, key: Item, change: str, condition: str, values: Item, **more: Any) -> dict[str, Any] | None:
        """The reply; None if the condition did not hold. `more`: further parameters of the call."""
        return _written(self.client.update_item, self.update_of(key, change, condition, values) | more)

    def delete(self, key: Item) -> None:
        with dynamo_errors():
            self.client.delete_item(TableName=self.name, Key=key)

    def put_of(self, item: Item, condition: str = "", values: Item | None = None) -> dict[str, Any]:
        """The parameters of a `put`, also as a part of a transaction."""
        return {"TableName": self.name, "Item": item, **_conditional(condition, values)}

    def update_of(self, key: Item, change: str, condition: str, values: Item) -> dict[str, Any]:
        """The parameters of an `update`, also as a part of a transaction."""
        changed = {"TableName": self.name, "Key": key, "UpdateExpression": change}
        return changed | _conditional(condition, values) | _names(change, condition)

    def delete_of(self, key: Item, condition: str = "", values: Item | None = None) -> dict[str, Any]:
        """The parameters of a deletion as a part of a transaction."""
        return {"TableName": self.name, "Key": key, **_conditional(condition, values)}

    def transact(self, writes: Sequence[Item]) -> None:
        """Make all of the writes or none: `CancelledError`."""
        with dynamo_errors():
            try:
                self.client.transact_write_items(TransactItems=writes)
            except ClientError as error:
                reasons = [str(reason.get("Code")) for reason in error.response.get("CancellationReasons", [])]
                if {FAILED, CONFLICT}.isdisjoint(reasons):
                    raise
                raise CancelledError(reasons) from error


def _conditional(condition: str, values: Item | None) -> dict[str, Any]:
    given = {"ConditionExpression": condition, "ExpressionAttributeValues": values}
    return {name: value for name, value in given.items() if value}


def _names(*expressions: str) -> dict[str, Any]:
    names = {f"#{name}": name for name in re.findall(r"#(\w+)", " ".join(expressions))}
    return {"ExpressionAttributeNames": names} if names else {}


def _written(write: Callable[..., dict[str, Any]], request: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        with dynamo_errors():
            return write(**request)
    except ClientError:
        # ConditionalCheckFailedException: all other codes are translated.
        return None


def items(read: Callable[..., Any], request: Mapping[str, Any]) -> Iterator[Item]:
    """The items of all pages of `read`, a client's `query` or `scan`. A page is asked for when its first item is."""
    for page in pages(read, request):
        yield from page["Items"]


def pages(read: Callable[..., Any], request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The pages, each asked for when it is wanted. All but the last one have a `LastEvaluatedKey`."""
    asked = dict(request)
    while True:
        with dynamo_errors():
            page = read(**asked)
        yield page
        if "LastEvaluatedKey" not in page:
            return
        asked["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def delete_partition(client: DynamoDBClient, table: str, partition: str) -> list[str]:
    """Delete all rows whose `pk` is this; returns their sort keys."""
    rows = Table(client, table).query(
        "pk = :pk", {":pk": {"S": partition}}, ConsistentRead=True, ProjectionExpression="pk, sk"
    )
    keys = list(rows)
    delete_rows(client, table, keys)
    return [each["sk"]["S"] for each in keys]


def delete_rows(client: DynamoDBClient, table: str, keys: Sequence[Mapping[str, Any]]) -> None:
    """Delete the rows with these keys. `ThrottledError` if DynamoDB stays busy: then some may be left."""
    for start in range(0, len(keys), _DELETED_AT_ONCE):
        _delete_together(client, table, keys[start : start + _DELETED_AT_ONCE])


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
