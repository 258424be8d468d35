"""The table of entries, on moto, as the CDK app declares it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.contract.declared import declared_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TABLE = "entries"


@contextmanager
def entries_table() -> Iterator[tuple[DynamoDBClient, str]]:
    with declared_table(TABLE) as client:
        yield client, TABLE
