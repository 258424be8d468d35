"""Reads many items: those of a query or a scan, which DynamoDB gives page by page, and those of given keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cicada.adapters.aws_errors import Retry, dynamo_errors
from cicada.errors import ThrottledError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
KEYS_AT_ONCE = 100
_UNREAD = Retry(attempts=4, base_seconds=0.05, cap_seconds=0.5)


def items(read: Callable[..., Any], request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
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


def batch_read(
    client: DynamoDBClient, table: str, keys: Sequence[dict[str, Any]], *, consistent: bool = True
) -> list[dict[str, Any]]:
    """The items of these keys, at most `KEYS_AT_ONCE`. Unknown keys have none.

    DynamoDB may leave keys unread when it is busy; they are asked for again. Raises `ThrottledError`.
    """
    wanted: list[Any] = list(keys)
    found: list[dict[str, Any]] = []

    def read() -> None:
        nonlocal wanted
        with dynamo_errors():
            reply: Any = client.batch_get_item(RequestItems={table: {"Keys": wanted, "ConsistentRead": consistent}})
        found.extend(reply["Responses"].get(table, []))
        unread: dict[str, Any] = reply.get("UnprocessedKeys", {})
        wanted = unread.get(table, {}).get("Keys", [])
        if wanted:
            raise ThrottledError("The database has no room for a read now; try again.")

    _UNREAD.call(read)
    return found
