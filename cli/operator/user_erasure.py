"""Deletes what the tables hold of one user: all rows, whether or not an index or a session still leads to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cicada.adapters.aws_errors import dynamo_errors
from cicada.adapters.dynamodb.request_items import read_head
from cicada.adapters.dynamodb.table import delete_partition, delete_rows, items
from cicada.identity import Principal

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Item = dict[str, Any]
_OF_A_REVOCATION = {"pk", "sk", "revokedBefore", "expiresAt"}
# A share's row is among those of the tenant.
_OWN = "pk = :owner OR begins_with(pk, :ownersRequests) OR (pk = :tenant AND sharedBy = :user)"


class DynamoErasure:
    """Reads every row of the requests table, because a row that has lost its session must be found too.

    If it is interrupted, run it again: what is deleted already is not found any more.
    """

    def __init__(self, client: DynamoDBClient, requests: str, entries: str, connections: str) -> None:
        self._client = client
        self._requests = requests
        self._entries = entries
        self._connections = connections

    def answers_under_way(self, principal: Principal, now: float) -> int:
        """The user's requests that a processor is answering: it would write rows after they were deleted."""
        heads = self._rows(self._requests, f"({_OWN}) AND sk = :head", _own(principal) | {":head": {"S": "HEAD"}})
        return sum(not head.status.final and head.lease_until > now for head in map(read_head, heads))

    def has_rows(self, principal: Principal) -> bool:
        """Whether there is anything to erase."""
        return any(
            set(row) - _OF_A_REVOCATION
            for rows in (self._connections_of(principal), self._requests_of(principal), self._entries_of(principal))
            for row in rows
        )

    def erase_connections(self, principal: Principal) -> int:
        """Delete the user's connections; after that no command of an open one is accepted."""
        return self._delete(self._connections, [{"pk": row["pk"]} for row in self._connections_of(principal)])

    def erase_requests(self, principal: Principal) -> Mapping[str, int]:
        """The number of rows by what they are: requests, events, sessions, shares and usage.

        Of a revocation the moment stays until it expires: without it tokens from before would be accepted again.
        """
        rows = [row for row in self._requests_of(principal) if set(row) - _OF_A_REVOCATION]
        of_user, others = _parted(rows)
        self._delete(self._requests, [_key(row) for row in others])
        for row in of_user:
            self._erase_usage(row)
        counts = {"requests": 0, "events": 0, "sessions": 0, "shares": 0, "usage": 0}
        for row in rows:
            counts[_kind(row["sk"]["S"])] += 1
        return counts

    def erase_entries(self, principal: Principal) -> Mapping[str, int]:
        """Profiles and theories, with their earlier states."""
        counts = {"profiles": 0, "theories": 0}
        for sort_key in delete_partition(self._client, self._entries, principal.owner):
            counts["profiles" if sort_key.startswith("PROFILES#") else "theories"] += 1
        return counts

    def _connections_of(self, principal: Principal) -> Iterator[Item]:
        values = {":tenant": {"S": principal.tenant}, ":user": {"S": principal.user}}
        names = {"#tenant": "tenant", "#user": "user"}
        return self._rows(self._connections, "#tenant = :tenant AND #user = :user", values, names)

    def _requests_of(self, principal: Principal) -> Iterator[Item]:
        return self._rows(self._requests, _OWN, _own(principal))

    def _entries_of(self, principal: Principal) -> Iterator[Item]:
        return self._rows(self._entries, "pk = :owner", {":owner": {"S": principal.owner}})

    def _erase_usage(self, row: Item) -> None:
        """Another process may write a revocation at the same moment; it stays too."""
        with dynamo_errors():
            try:
                self._client.delete_item(
                    TableName=self._requests, Key=_key(row), ConditionExpression="attribute_not_exists(revokedBefore)"
                )
            except self._client.exceptions.ConditionalCheckFailedException:
                names = {f"#{number}": name for number, name in enumerate(sorted(set(row) - _OF_A_REVOCATION))}
                self._client.update_item(
                    TableName=self._requests,
                    Key=_key(row),
                    UpdateExpression=f"REMOVE {', '.join(names)}",
                    ExpressionAttributeNames=names,
                )

    def _rows(
        self, table: str, condition: str, values: Mapping[str, Any], names: Mapping[str, str] | None = None
    ) -> Iterator[Item]:
        scan: dict[str, Any] = {
            "TableName": table,
            "ConsistentRead": True,
            "FilterExpression": condition,
            "ExpressionAttributeValues": values,
            **({"ExpressionAttributeNames": names} if names else {}),
        }
        return items(self._client.scan, scan)

    def _delete(self, table: str, keys: list[Item]) -> int:
        delete_rows(self._client, table, keys)
        return len(keys)


def _own(principal: Principal) -> dict[str, Any]:
    return {
        ":owner": {"S": principal.owner},
        ":ownersRequests": {"S": f"{principal.owner}#"},
        ":tenant": {"S": principal.tenant},
        ":user": {"S": principal.user},
    }


def _key(row: Item) -> Item:
    return {"pk": row["pk"], "sk": row["sk"]}


def _parted(rows: list[Item]) -> tuple[list[Item], list[Item]]:
    """The user's row, if there is one, and all others."""
    return [row for row in rows if row["sk"]["S"] == "USAGE"], [row for row in rows if row["sk"]["S"] != "USAGE"]


def _kind(sort_key: str) -> str:
    if sort_key == "HEAD":
        return "requests"
    if sort_key.startswith("E#"):
        return "events"
    if sort_key.startswith("SHARE#"):
        return "shares"
    return "sessions" if sort_key.startswith("SESSION#") else "usage"
