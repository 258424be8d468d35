"""What is kept for knowledge bases, in the table of viewers: pk = <tenant>#<knowledge base>.

The names of a tenant's bases are in one row, pk = <tenant>#/bases. The fields of documents with viewers are in rows of
their own, pk = <tenant>#<knowledge base>/<viewer>. Names of knowledge bases have neither # nor /, so no other row has
such a key. The calibrations of the stack are one row, whose key has no #.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING

import msgspec

from cicada.adapters.aws_errors import Retry
from cicada.adapters.dynamodb.table import KEYS_AT_ONCE, Item, Table
from cicada.documents.model import KnowledgeBaseKey
from cicada.errors import ThrottledError
from cicada.knowledge_bases.kept import Described, KeptBase, changes_of
from cicada.knowledge_bases.observed_fields import Observed, ObservedField, merged

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# Ingests of one base at the same moment; of so many one succeeds at each attempt.
_CONTENDED = Retry(attempts=12, base_seconds=0.02, cap_seconds=0.5)
_CALIBRATIONS = "calibrations"


class DynamoBaseTable:
    """`BaseRecord` and `FieldRecord`. A row is written under the condition that nobody has since it was read.

    The files of one batch are ingested side by side; they take turns, so that they do not contend with each other.
    """

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._table = Table(client, table)
        self._turn = Lock()
        self._noted: set[KnowledgeBaseKey] = set()

    def read(self, base_key: KnowledgeBaseKey, viewers: frozenset[str]) -> KeptBase:
        keys = [_key(base_key), _CALIBRATIONS, *(_key(base_key, each) for each in sorted(viewers))][:KEYS_AT_ONCE]
        found = self._rows(keys)
        observed = merged(_observed(found[key]) for key in keys if key in found)
        return KeptBase(_settings(found.get(keys[0], {})), observed, _settings(found.get(_CALIBRATIONS, {})))

    def names(self, tenant: str) -> frozenset[str]:
        return frozenset(self._row(_names_key(tenant)).get("names", {}).get("SS", ()))

    def _rows(self, keys: Sequence[str]) -> dict[str, Item]:
        return {item["pk"]["S"]: item for item in self._table.batch([{"pk": {"S": key}} for key in keys])}

    def _row(self, key: str) -> Item:
        """The row, empty without one."""
        return self._rows([key]).get(key, {})

    def _update(self, key: str, change: str, condition: str, values: Item) -> bool:
        return self._table.update({"pk": {"S": key}}, change, condition, values) is not None

    def _note(self, base_key: KnowledgeBaseKey) -> None:
        """Add the base's name to those of its tenant, once in the life of this object."""
        if base_key in self._noted:
            return
        name = {":name": {"SS": [base_key.knowledge_base]}}
        self._update(_names_key(base_key.tenant), "ADD #names :name", "", name)
        self._noted.add(base_key)

    def write_text(self, base_key: KnowledgeBaseKey, text: str) -> None:
        self._set(_key(base_key), text)
        self._note(base_key)

    def read_calibrations(self) -> str:
        return _settings(self._row(_CALIBRATIONS))

    def write_calibrations(self, text: str) -> None:
        self._set(_CALIBRATIONS, text)

    def _set(self, key: str, text: str) -> None:
        self._update(key, "SET settings = :text", "", {":text": {"S": text}})

    def observe(self, base_key: KnowledgeBaseKey, now: Described, before: Described | None) -> Observed:
        for viewer, change in changes_of(now, before):
            self._change(_key(base_key, viewer), change)
        self._note(base_key)
        return self.read(base_key, frozenset(now.viewers)).observed

    def _change(self, key: str, change: Callable[[Observed], Observed]) -> None:
        """Raises `ThrottledError` where others write all the time."""

        def attempt() -> None:
            item = self._row(key)
            before = _observed(item)
            after = change(before)
            if after != before and not self._written(key, after, int(item.get("revision", {}).get("N", 0))):
                raise ThrottledError("The fields of the knowledge base are being written; try again.")

        with self._turn:
            _CONTENDED.call(attempt)

    def _written(self, key: str, observed: Observed, revision: int) -> bool:
        values = {
            ":observed": {"S": msgspec.json.encode(observed).decode()},
            ":before": {"N": str(revision)},
            ":after": {"N": str(revision + 1)},
        }
        unchanged = "attribute_not_exists(revision) OR revision = :before"
        return self._update(key, "SET observed = :observed, revision = :after", unchanged, values)


def _settings(item: Item) -> str:
    text: str = item.get("settings", {}).get("S", "")
    return text


def _observed(item: Item) -> Observed:
    text = item.get("observed", {}).get("S")
    return msgspec.json.decode(text, type=tuple[ObservedField, ...]) if text else ()


def _names_key(tenant: str) -> str:
    return f"{tenant}#/bases"


def _key(base_key: KnowledgeBaseKey, viewer: str = "") -> str:
    whole = f"{base_key.tenant}#{base_key.knowledge_base}"
    return f"{whole}/{viewer}" if viewer else whole
