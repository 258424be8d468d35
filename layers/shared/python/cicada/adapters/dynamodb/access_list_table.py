"""The viewers of documents in a DynamoDB table: pk = <tenant>#<knowledge base>#<document id>.

A function that answers a connection reads them in one call, without the search service, which may be asleep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cicada.adapters.dynamodb.table import Item, Table
from cicada.documents.model import DocumentKey, KnowledgeBaseKey

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoAccessListTable:
    """Reads are strongly consistent: what was withdrawn is withheld from then on."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._table = Table(client, table)

    def readers_of(self, base_key: KnowledgeBaseKey, document_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        names = {_key(DocumentKey(base_key, name)): name for name in document_ids}
        found = self._table.batch([{"pk": {"S": key}} for key in names])
        return {names[item["pk"]["S"]]: tuple(each["S"] for each in item["readers"]["L"]) for item in found}

    def record(self, document: DocumentKey, viewers: tuple[str, ...]) -> None:
        self._table.put(_item(document, viewers))

    def record_if_missing(self, document: DocumentKey, viewers: tuple[str, ...]) -> None:
        self._table.put(_item(document, viewers), "attribute_not_exists(pk)")

    def forget(self, document: DocumentKey) -> None:
        self._table.delete({"pk": {"S": _key(document)}})


def _item(document: DocumentKey, viewers: tuple[str, ...]) -> Item:
    return {"pk": {"S": _key(document)}, "readers": {"L": [{"S": name} for name in viewers]}}


def _key(document: DocumentKey) -> str:
    """Names of tenants and knowledge bases have no #."""
    return f"{document.base_key.tenant}#{document.base_key.knowledge_base}#{document.document_id}"
