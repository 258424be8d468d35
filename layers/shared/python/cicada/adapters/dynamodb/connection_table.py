"""The open connections in a DynamoDB table: pk = connectionId. The index `owners` has those of a user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cicada.adapters.dynamodb.table import Item, Table
from cicada.conversation.model import Connection
from cicada.identity import Principal, groups_of, groups_text

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoConnectionTable:
    """A row is deleted at `$disconnect` (best effort), when a post finds the connection gone, or by time to live."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._table = Table(client, table)

    def add(self, connection: Connection, expires_at: float) -> None:
        item = {
            "pk": {"S": connection.connection_id},
            "owner": {"S": connection.principal.owner},
            "connectedAt": {"N": f"{connection.connected_at:.3f}"},
            "tenant": {"S": connection.principal.tenant},
            "user": {"S": connection.principal.user},
            "groups": {"S": groups_text(connection.principal.groups)},
            "login": {"S": connection.principal.login},
            "tokenExpiresAt": {"N": str(int(connection.token_expires_at))},
            "tokenIssuedAt": {"N": str(int(connection.token_issued_at))},
            "expiresAt": {"N": str(int(expires_at))},
        }
        self._table.put(item)

    def get(self, connection_id: str) -> Connection | None:
        item = self._table.get({"pk": {"S": connection_id}})
        return _read(item) if item else None

    def of(self, principal: Principal) -> list[Connection]:
        owned = self._table.query("#owner = :owner", {":owner": {"S": principal.owner}}, IndexName="owners")
        return [_read(item) for item in owned]

    def remove(self, connection_id: str) -> None:
        self._table.delete({"pk": {"S": connection_id}})


def _read(item: Item) -> Connection:
    """Read a row; an earlier version wrote rows without groups, login or the time of the connection."""
    groups = groups_of(item["groups"]["S"]) if "groups" in item else frozenset()
    principal = Principal(item["tenant"]["S"], item["user"]["S"], groups, item.get("login", {}).get("S", ""))
    # A row of an earlier version does not say when its token was issued: it counts as older than every revocation.
    issued_at, connected_at = (float(item.get(name, {"N": "0"})["N"]) for name in ("tokenIssuedAt", "connectedAt"))
    return Connection(item["pk"]["S"], principal, float(item["tokenExpiresAt"]["N"]), issued_at, connected_at)
