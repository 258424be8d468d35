"""The users' profiles and theories in one DynamoDB table.

    pk                sk                                                 what
    <tenant>#<user>   <agent>#<knowledge base>#NOW#<kind>#<name's key>   an entry
    <tenant>#<user>   <agent>#<knowledge base>#EARLIER#<id>#<version>    an earlier state, until `expiresAt`

<agent> is PROFILES or THEORIES. So a user's entries are all the rows of `pk`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import MsgspecError
from msgspec.json import decode, encode

from cicada.adapters.dynamodb.table import CONFLICTS, FAILED, CancelledError, Item, Table
from cicada.agents.evidence import Judgement
from cicada.agents.model import VERSIONS_KEPT, Change, Entry, EntryChangedError, EntryScope, EntryVersion
from cicada.errors import ThrottledError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_FREE = "attribute_not_exists(pk)"
# The condition that the row holds this version of this entry.
_SAME = "id = :id AND version = :version"


class DynamoEntryStore:
    """Reads are strongly consistent: a turn finds what the turn before it saved."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._table = Table(client, table)

    def live(self, scope: EntryScope) -> list[Entry]:
        return [_entry(item) for item in self._rows(scope, "NOW")]

    def earlier(self, scope: EntryScope, now: float) -> list[EntryVersion]:
        """DynamoDB deletes expired rows late, so they are left out here."""
        states = [EntryVersion(_entry(item), float(item["lostAt"]["N"])) for item in self._rows(scope, "EARLIER")]
        kept = [state for state in states if state.expires_at > now]
        return sorted(kept, key=lambda state: (state.lost_at, state.entry.version), reverse=True)

    def write(self, scope: EntryScope, change: Change) -> None:
        """One transaction."""
        writes = [*self._live_writes(scope, change), *self._earlier_writes(scope, change)]
        CONFLICTS.call(lambda: self._write_together(writes))

    def keep_judgement(self, scope: EntryScope, entry: Entry) -> None:
        """A transaction of one item, which fails like all others."""
        item = _key(scope, _live_key(scope, entry)) | _attributes(entry)
        CONFLICTS.call(lambda: self._write_together([{"Put": self._table.put_of(item, _SAME, _version(entry))}]))

    def _live_writes(self, scope: EntryScope, change: Change) -> Iterator[Item]:
        before, after = change.before, change.after
        stays = before is not None and after is not None and before.key == after.key
        if after is not None:
            condition = (_SAME, _version(before)) if stays and before else (_FREE,)
            item = _key(scope, _live_key(scope, after)) | _attributes(after)
            yield {"Put": self._table.put_of(item, *condition)}
        if before is not None and not stays:
            key = _key(scope, _live_key(scope, before))
            yield {"Delete": self._table.delete_of(key, _SAME, _version(before))}

    def _earlier_writes(self, scope: EntryScope, change: Change) -> Iterator[Item]:
        """The old state is kept, and the oldest one of too many is dropped."""
        before = change.before
        if before is None:
            return
        state = EntryVersion(before, change.at)
        item = _key(scope, _earlier_key(scope, before.id, before.version)) | _attributes(before)
        item |= {"lostAt": {"N": str(state.lost_at)}, "expiresAt": {"N": str(int(state.expires_at))}}
        yield {"Put": self._table.put_of(item)}
        if (dropped := before.version - VERSIONS_KEPT) > 0:
            yield {"Delete": self._table.delete_of(_key(scope, _earlier_key(scope, before.id, dropped)))}

    def _write_together(self, writes: list[Item]) -> None:
        try:
            self._table.transact(writes)
        except CancelledError as error:
            if FAILED in error.reasons:
                raise EntryChangedError from error
            raise ThrottledError("The entry is being changed at the same moment; try again.") from error

    def _rows(self, scope: EntryScope, part: str) -> Iterator[Item]:
        """The rows in key order, read page by page."""
        values = {":owner": {"S": scope.principal.owner}, ":prefix": {"S": f"{_prefix(scope)}#{part}#"}}
        return self._table.query("pk = :owner AND begins_with(sk, :prefix)", values, ConsistentRead=True)


def _prefix(scope: EntryScope) -> str:
    return f"{scope.agent.upper()}#{scope.knowledge_base}"


def _live_key(scope: EntryScope, entry: Entry) -> str:
    return f"{_prefix(scope)}#NOW#{'#'.join(entry.key)}"


def _earlier_key(scope: EntryScope, entry_id: str, version: int) -> str:
    return f"{_prefix(scope)}#EARLIER#{entry_id}#{version:08d}"


def _key(scope: EntryScope, sort_key: str) -> Item:
    return {"pk": {"S": scope.principal.owner}, "sk": {"S": sort_key}}


def _version(entry: Entry) -> Item:
    """The values of `_SAME`."""
    return {":id": {"S": entry.id}, ":version": {"N": str(entry.version)}}


def _attributes(entry: Entry) -> Item:
    return {
        "id": {"S": entry.id},
        "kind": {"S": entry.kind},
        "name": {"S": entry.name},
        "text": {"S": entry.text},
        "version": {"N": str(entry.version)},
        "savedAt": {"N": str(entry.saved_at)},
        "broughtBack": {"N": str(entry.brought_back)},
        **({"judgement": {"S": encode(entry.judgement).decode()}} if entry.judgement else {}),
    }


def _entry(item: Item) -> Entry:
    return Entry(
        id=item["id"]["S"],
        kind=item["kind"]["S"],
        name=item["name"]["S"],
        text=item["text"]["S"],
        version=int(item["version"]["N"]),
        saved_at=float(item["savedAt"]["N"]),
        brought_back=int(item["broughtBack"]["N"]),
        judgement=_judgement(item["judgement"]["S"]) if "judgement" in item else None,
    )


def _judgement(text: str) -> Judgement | None:
    """The verdict; None for one that another version of the program kept, because the theory is readable without it."""
    try:
        return decode(text, type=Judgement)
    except MsgspecError:
        return None
