"""What is kept for knowledge bases, in the table of viewers: pk = <tenant>#<knowledge base>.

The names of a tenant's bases are in one row, pk = <tenant>#/bases. The fields of documents with viewers are in rows of
their own, pk = <tenant>#<knowledge base>/<viewer>. Names of knowledge bases have neither # nor /, so no other row has
such a key. The calibrations of the stack are one row, whose key has no #.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec

from cicada.adapters.aws_errors import Retry, dynamo_errors
from cicada.adapters.dynamodb.access_list_table import read_items
from cicada.adapters.dynamodb.pages import KEYS_AT_ONCE
from cicada.documents.model import KnowledgeBaseKey
from cicada.errors import ThrottledError
from cicada.knowledge_bases.inference import Observed, ObservedField, merged
from cicada.knowledge_bases.kept import Described, KeptBase, changes_of

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
        self._client = client
        self._table = table
        self._turn = Lock()
        self._noted: set[KnowledgeBaseKey] = set()

    def read(self, base_key: KnowledgeBaseKey, viewers: frozenset[str]) -> KeptBase:
        keys = [_key(base_key), _CALIBRATIONS, *(_key(base_key, each) for each in sorted(viewers))][:KEYS_AT_ONCE]
        found = {item["pk"]["S"]: item for item in read_items(self._client, self._table, keys)}
        observed = merged(_observed(found[key]) for key in keys if key in found)
        return KeptBase(_settings(found.get(keys[0])), observed, _settings(found.get(_CALIBRATIONS)))

    def names(self, tenant: str) -> frozenset[str]:
        item = next(iter(read_items(self._client, self._table, [_names_key(tenant)])), {})
        return frozenset(item.get("names", {}).get("SS", ()))

    def _note(self, base_key: KnowledgeBaseKey) -> None:
        """Add the base's name to those of its tenant, once in the life of this object."""
        if base_key in self._noted:
            return
        with dynamo_errors():
            self._client.update_item(
                TableName=self._table,
                Key={"pk": {"S": _names_key(base_key.tenant)}},
                UpdateExpression="ADD #names :name",
                ExpressionAttributeNames={"#names": "names"},
                ExpressionAttributeValues={":name": {"SS": [base_key.knowledge_base]}},
            )
        self._noted.add(base_key)

    def write_text(self, base_key: KnowledgeBaseKey, text: str) -> None:
        self._write(_key(base_key), text)
        self._note(base_key)

    def read_calibrations(self) -> str:
        return _settings(next(iter(read_items(self._client, self._table, [_CALIBRATIONS])), None))

    def write_calibrations(self, text: str) -> None:
        self._write(_CALIBRATIONS, text)

    def _write(self, key: str, text: str) -> None:
        with dynamo_errors():
            self._client.update_item(
                TableName=self._table,
                Key={"pk": {"S": key}},
                UpdateExpression="SET settings = :text",
                ExpressionAttributeValues={":text": {"S": text}},
            )

    def observe(self, base_key: KnowledgeBaseKey, now: Described, before: Described | None) -> Observed:
        for viewer, change in changes_of(now, before):
            self._change(_key(base_key, viewer), change)
        self._note(base_key)
        return self.read(base_key, frozenset(now.viewers)).observed

    def _change(self, key: str, change: Callable[[Observed], Observed]) -> None:
        """Raises `ThrottledError` where others write all the time."""

        def attempt() -> None:
            item = next(iter(read_items(self._client, self._table, [key])), {})
            before = _observed(item)
            after = change(before)
            if after != before and not self._written(key, after, int(item.get("revision", {}).get("N", 0))):
                raise ThrottledError("The fields of the knowledge base are being written; try again.")

        with self._turn:
            _CONTENDED.call(attempt)

    def _written(self, key: str, observed: Observed, revision: int) -> bool:
        with dynamo_errors():
            try:
                self._client.update_item(
                    TableName=self._table,
                    Key={"pk": {"S": key}},
                    UpdateExpression="SET observed = :observed, revision = :after",
                    ConditionExpression="attribute_not_exists(revision) OR revision = :before",
                    ExpressionAttributeValues={
                        ":observed": {"S": msgspec.json.encode(observed).decode()},
                        ":before": {"N": str(revision)},
                        ":after": {"N": str(revision + 1)},
                    },
                )
            except self._client.exceptions.ConditionalCheckFailedException:
                return False
        return True


def _settings(item: Mapping[str, Any] | None) -> str:
    text: str = (item or {}).get("settings", {}).get("S", "")
    return text


def _observed(item: Mapping[str, Any]) -> Observed:
    text = item.get("observed", {}).get("S")
    return msgspec.json.decode(text, type=tuple[ObservedField, ...]) if text else ()


def _names_key(tenant: str) -> str:
    return f"{tenant}#/bases"


def _key(base_key: KnowledgeBaseKey, viewer: str = "") -> str:
    whole = f"{base_key.tenant}#{base_key.knowledge_base}"
    return f"{whole}/{viewer}" if viewer else whole
