"""What a DynamoDB client sends, where moto answers alike whatever it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

READS = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"})


@dataclass(frozen=True, slots=True)
class Request:
    """One call of DynamoDB's API."""

    operation: str
    parameters: dict[str, Any]

    @property
    def is_read(self) -> bool:
        return self.operation in READS


def requests_of(client: DynamoDBClient) -> list[Request]:
    """A list to which every request that the client sends from now on is added."""
    sent: list[Request] = []

    def note(params: dict[str, Any], model: Any, **_: object) -> None:
        sent.append(Request(model.name, dict(params)))

    client.meta.events.register("before-parameter-build.dynamodb", note)
    return sent
