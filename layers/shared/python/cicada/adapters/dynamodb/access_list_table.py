"""The viewers of documents in a DynamoDB table: pk = <tenant>#<knowledge base>#<document id>.

A function that answers a connection reads them in one call, without the search service, which may be asleep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cicada.adapters.aws_errors import dynamo_errors
from cicada.adapters.dynamodb.pages import KEYS_AT_ONCE, batch_read
from cicada.documents.model import DocumentKey, KnowledgeBaseKey

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoAccessListTable:
    """Reads are strongly consistent: what was withdrawn is withheld from then on."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table

    def readers_of(self, base_key: KnowledgeBaseKey, document_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        names = {_key(DocumentKey(base_key, name)): name for name in document_ids}
        found: dict[str, tuple[str, ...]] = {}
        for start in range(0, len(names), KEYS_AT_ONCE):
            for item in read_items(self._client, self._table, list(names)[start : start + KEYS_AT_ONCE]):
                found[names[item["pk"]["S"]]] = tuple(each["S"] for each in item["readers"]["L"])
        return found

    def record(self, document: DocumentKey, viewers: tuple[str, ...]) -> None:
        with dynamo_errors():
            self._client.put_item(TableName=self._table, Item=_item(document, viewers))

    def record_if_missing(self, document: DocumentKey, viewers: tuple[str, ...]) -> None:
        with dynamo_errors():
            try:
                self._client.put_item(
                    TableName=self._table,
                    Item=_item(document, viewers),
                    ConditionExpression="attribute_not_exists(pk)",
                )
            except self._client.exceptions.ConditionalCheckFailedException:
                return

    def forget(self, document: DocumentKey) -> None:
        with dynamo_errors():
            self._client.delete_item(TableName=self._table, Key={"pk": {"S": _key(document)}})


def read_items(client: DynamoDBClient, table: str, keys: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of these keys, at most `KEYS_AT_ONCE`. Raises `ThrottledError`."""
    return batch_read(client, table, [{"pk": {"S": key}} for key in keys])


def _item(document: DocumentKey, viewers: tuple[str, ...]) -> dict[str, Any]:
    return {"pk": {"S": _key(document)}, "readers": {"L": [{"S": name} for name in viewers]}}


def _key(document: DocumentKey) -> str:
    """Names of tenants and knowledge bases have no #."""
    return f"{document.base_key.tenant}#{document.base_key.knowledge_base}#{document.document_id}"
