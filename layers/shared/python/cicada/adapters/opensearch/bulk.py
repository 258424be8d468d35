"""Writes of many rows, in requests of a size that every server takes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from opensearchpy import OpenSearch

from cicada.adapters.opensearch.client import is_refused_for_now, opensearch_errors
from cicada.adapters.retry import Retry
from cicada.errors import ConfigurationError, Throttled

# Serverless refuses a request above 10 MB; a row with 1,536 dimensions has about 20 KB.
MAX_BYTES = 4_000_000
MAX_ROWS = 500


@dataclass(frozen=True, slots=True)
class BulkWriter:
    """Adds and removes rows of one index. What the server refuses for now is sent again, and only that."""

    client: OpenSearch
    index: str
    retry: Retry

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self._send_all(f'{{"index":{{}}}}\n{_json(row)}\n' for row in rows)

    def remove(self, ids: Iterable[str]) -> None:
        """A row that is gone already is no failure."""
        self._send_all(f"{_json({'delete': {'_id': each}})}\n" for each in ids)

    def _send_all(self, operations: Iterable[str]) -> None:
        for batch in _batches(operations):
            self._send(batch)

    def _send(self, operations: list[str]) -> None:
        remaining = operations

        def attempt() -> None:
            nonlocal remaining
            with opensearch_errors():
                response = self.client.bulk(body="".join(remaining), index=self.index)
            remaining = [
                operation for operation, item in zip(remaining, response["items"], strict=True) if _is_refused(item)
            ]
            if remaining:
                raise Throttled("The search index asks for fewer writes; try again in a moment.")

        self.retry.call(attempt)


def _is_refused(item: Mapping[str, Any]) -> bool:
    ((action, result),) = item.items()
    status = result["status"]
    if status < 300 or (action == "delete" and status == 404):
        return False
    if is_refused_for_now(status):
        return True
    # Only the type of the failure: its reason may quote the passage.
    kind = result.get("error", {}).get("type", "")
    raise ConfigurationError(
        f"The search index refused a row ({status} {kind}); check that the index was made by this version."
    )


def _batches(operations: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for operation in operations:
        length = len(operation.encode())
        if batch and (len(batch) == MAX_ROWS or size + length > MAX_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(operation)
        size += length
    if batch:
        yield batch


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
