"""Counts what the functions call at each service, in this process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.client import BaseClient

from cicada.errors import ConnectionGoneError

INVOCATIONS, READS, WRITES, SENDS = "functions", "DynamoDB reads", "DynamoDB writes", "SQS sends"
FRAMES, AUDIT, OTHER = "frames to the user", "audit records", "other calls"
SERVICES = (INVOCATIONS, READS, WRITES, SENDS, FRAMES, AUDIT, OTHER)

_READING = ("GetItem", "Query", "BatchGetItem")
_WRITING = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems")


class Calls:
    """Counted calls of a single thread."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._paused = False

    def note(self, name: str, number: int = 1) -> None:
        if not self._paused:
            self._counts[name] += number

    def take(self) -> Counter[str]:
        """What was counted since the last time."""
        taken, self._counts = self._counts, Counter()
        return taken

    @contextmanager
    def paused(self) -> Iterator[None]:
        """What is called inside is not the user's doing."""
        self._paused = True
        try:
            yield
        finally:
            self._paused = False

    def of_sdk(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Count the calls of all AWS clients."""
        call = BaseClient._make_api_call  # type: ignore[attr-defined]

        def noted(client: Any, operation: str, parameters: Any) -> Any:
            self.note(*service_of(client.meta.service_model.service_name, operation, parameters))
            return call(client, operation, parameters)

        monkeypatch.setattr(BaseClient, "_make_api_call", noted)


def service_of(service: str, operation: str, parameters: Any) -> tuple[str, int]:
    """The name under which a call is counted, and how often: a transaction once for each of its writes."""
    if service == "dynamodb" and operation in _READING:
        return READS, 1
    if service == "dynamodb" and operation in _WRITING:
        return WRITES, len(parameters.get("TransactItems", "1"))
    return (SENDS if (service, operation) == ("sqs", "SendMessage") else OTHER), 1


class CountingChannel:
    """Counts frames in place of keeping them."""

    def __init__(self, calls: Calls) -> None:
        self.closed: set[str] = set()
        self._calls = calls

    def post(self, connection_id: str, frame: str) -> None:
        if connection_id in self.closed:
            raise ConnectionGoneError("The connection does not exist any more.")
        self._calls.note(FRAMES)

    def close(self, connection_id: str) -> None:
        self._calls.note(OTHER)
        self.closed.add(connection_id)


class CountingTrail:
    """Counts audit records."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def write(self, records: Sequence[object]) -> None:
        self._calls.note(AUDIT, len(records))
