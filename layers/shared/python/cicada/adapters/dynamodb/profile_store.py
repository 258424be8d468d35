"""Profiles in the table of entries.

pk                sk                            attributes
<tenant>#<user>   PROFILE#<kind>#<name's key>   name, description, updatedAt
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cicada.adapters.dynamodb.entries import DynamoEntries, Item
from cicada.agents.model import Profile, ProfileKind
from cicada.agents.text import matching_key
from cicada.identity.principal import Principal

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoProfileStore:
    """Reads are strongly consistent: a turn finds what the turn before it saved."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._entries = DynamoEntries(client, table)

    def list(self, principal: Principal, kind: ProfileKind | None) -> list[Profile]:
        prefix = f"PROFILE#{kind}#" if kind else "PROFILE#"
        return [_profile(item) for item in self._entries.list(principal.owner, prefix)]

    def get(self, principal: Principal, kind: ProfileKind, name: str) -> Profile | None:
        item = self._entries.get(principal.owner, _sort_key(kind, name))
        return _profile(item) if item else None

    def save(self, principal: Principal, profile: Profile) -> None:
        attributes: Item = {
            "name": {"S": profile.name},
            "description": {"S": profile.description},
            "updatedAt": {"N": str(profile.updated_at)},
        }
        self._entries.put(principal.owner, _sort_key(profile.kind, profile.name), attributes)

    def delete(self, principal: Principal, kind: ProfileKind, name: str) -> bool:
        return self._entries.delete(principal.owner, _sort_key(kind, name))


def _sort_key(kind: ProfileKind, name: str) -> str:
    return f"PROFILE#{kind}#{matching_key(name)}"


def _profile(item: Item) -> Profile:
    kind = ProfileKind(item["sk"]["S"].split("#", 2)[1])
    return Profile(kind, item["name"]["S"], item["description"]["S"], float(item["updatedAt"]["N"]))
