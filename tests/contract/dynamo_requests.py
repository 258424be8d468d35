"""What a DynamoDB client sends, where moto answers alike whatever it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from botocore.stub import Stubber
from msgspec.structs import replace

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


@contextmanager
def cancelled(client: DynamoDBClient, *transactions: tuple[str, ...]) -> Iterator[None]:
    """The transactions to come are cancelled for these reasons, one for each of their writes; none: it is made."""
    with Stubber(client) as stub:
        for reasons in transactions:
            if reasons:
                fields = {"CancellationReasons": [{"Code": reason} for reason in reasons]}
                error = "TransactionCanceledException"
                stub.add_client_error("transact_write_items", error, modeled_fields=fields)
            else:
                stub.add_response("transact_write_items", {})
        yield
        stub.assert_no_pending_responses()


def pauses_of(monkeypatch: pytest.MonkeyPatch, module: Any) -> list[float]:
    """The seconds for which a writer of this module would have slept at the most."""
    slept: list[float] = []
    monkeypatch.setattr(module, "CONFLICTS", replace(module.CONFLICTS, sleep=slept.append, chance=lambda: 1.0))
    return slept
