"""Bulk writes, in requests of a size that every server accepts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from opensearchpy import OpenSearch

from cicada.adapters.opensearch.client import INDEX_MISSING, IndexMissing, is_refused_for_now, opensearch_errors
from cicada.adapters.retry import Retry
from cicada.errors import ConfigurationError, ThrottledError

# Serverless refuses a request above 10 MB; a row with 1,536 dimensions has about 20 KB.
MAX_BYTES = 4_000_000
MAX_ROWS = 500


class BulkWriter(Struct, frozen=True):
    """Adds and removes rows. Only rows that the server refused temporarily are sent again."""

    client: OpenSearch
    retry: Retry

    def add(self, index: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """A server may create a missing index, without our mapping; others raise `IndexMissing`."""
        self._send_all(index, (f'{{"index":{{}}}}\n{_json(row)}\n' for row in rows))

    def remove(self, index: str, ids: Iterable[str]) -> None:
        """A missing row or index is no failure."""
        self._send_all(index, (f"{_json({'delete': {'_id': each}})}\n" for each in ids))

    def _send_all(self, index: str, operations: Iterable[str]) -> None:
        for batch in _batches(operations):
            self._send(index, batch)

    def _send(self, index: str, operations: list[str]) -> None:
        remaining = operations

        def attempt() -> None:
            nonlocal remaining
            with opensearch_errors():
                response = self.client.bulk(body="".join(remaining), index=index)
            remaining = [
                operation for operation, item in zip(remaining, response["items"], strict=True) if _is_refused(item)
            ]
            if remaining:
                raise ThrottledError("The search index asks for fewer writes; try again in a moment.")

        self.retry.call(attempt)


def _is_refused(item: Mapping[str, Any]) -> bool:
    ((action, result),) = item.items()
    status = result["status"]
    if status < 300 or (action == "delete" and status == 404):
        return False
    if is_refused_for_now(status):
        return True
    # Only the failure's type is used: its reason may quote the passage.
    kind = result.get("error", {}).get("type", "")
    if kind == INDEX_MISSING:
        raise IndexMissing("The search index was switched while a document was written; ingest it again.")
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
