"""The tokens of a tenant's day in the requests table: pk = <tenant>, sk = TOKENS#<day>."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cicada.adapters.dynamodb.table import Item, Table
from cicada.conversation.model import DayOfTokens, TokensUsed

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


_DAY = "TOKENS#"


class DynamoTokenCounter:
    """One row for each tenant and day. Answers that end at the same moment are all counted."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._table = Table(client, table)

    def used(self, tenant: str, day: str) -> int:
        row = self._table.get(_key(tenant, day)) or {}
        return int(row.get("tokens", {}).get("N", "0"))

    def by_day(self, tenant: str, first: str) -> dict[str, DayOfTokens]:
        """The tokens of each day from `first` on that has any."""
        values = {":tenant": {"S": tenant}, ":first": {"S": f"{_DAY}{first}"}, ":last": {"S": f"{_DAY}9999"}}
        rows = self._table.query("pk = :tenant AND sk BETWEEN :first AND :last", values)
        return {item["sk"]["S"].removeprefix(_DAY): _day(item) for item in rows}

    def add(self, tenant: str, day: str, tokens: TokensUsed, expires_at: float) -> None:
        values = {
            ":total": {"N": str(tokens.total)},
            ":read": {"N": str(tokens.read)},
            ":written": {"N": str(tokens.written)},
            ":expiry": {"N": str(int(expires_at))},
        }
        change = "ADD tokens :total, tokensRead :read, tokensWritten :written SET expiresAt = :expiry"
        self._table.update(_key(tenant, day), change, "", values)


def _key(tenant: str, day: str) -> Item:
    """No user's row: the key of one has the user's id behind the tenant."""
    return {"pk": {"S": tenant}, "sk": {"S": f"{_DAY}{day}"}}


def _day(item: Item) -> DayOfTokens:
    """The day; its parts are not known where an earlier release has counted some of it."""
    total, read, written = (int(item.get(name, {"N": "0"})["N"]) for name in ("tokens", "tokensRead", "tokensWritten"))
    return DayOfTokens(total, TokensUsed(read, written) if read + written == total else None)
