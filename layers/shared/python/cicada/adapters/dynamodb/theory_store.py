"""Theories in the table of entries.

pk                sk                       attributes
<tenant>#<user>   THEORY#<title's key>     title, statement, updatedAt
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cicada.adapters.dynamodb.entries import DynamoEntries, Item
from cicada.agents.model import Theory
from cicada.agents.text import matching_key
from cicada.identity.principal import Principal

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoTheoryStore:
    """Reads are strongly consistent: a turn finds what the turn before it saved."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._entries = DynamoEntries(client, table)

    def list(self, principal: Principal) -> list[Theory]:
        return [_theory(item) for item in self._entries.list(principal.owner, "THEORY#")]

    def get(self, principal: Principal, title: str) -> Theory | None:
        item = self._entries.get(principal.owner, _sort_key(title))
        return _theory(item) if item else None

    def save(self, principal: Principal, theory: Theory) -> None:
        attributes: Item = {
            "title": {"S": theory.title},
            "statement": {"S": theory.statement},
            "updatedAt": {"N": str(theory.updated_at)},
        }
        self._entries.put(principal.owner, _sort_key(theory.title), attributes)


def _sort_key(title: str) -> str:
    return f"THEORY#{matching_key(title)}"


def _theory(item: Item) -> Theory:
    return Theory(item["title"]["S"], item["statement"]["S"], float(item["updatedAt"]["N"]))
