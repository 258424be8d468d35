"""Writing and reading the passages of whole documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from opensearchpy import OpenSearch

from cicada.adapters.aws_errors import Retry
from cicada.adapters.opensearch.client import INDEX_MISSING, IndexMissing, Requests, opensearch_errors
from cicada.adapters.opensearch.queries import MAX_BUCKETS, Body, document_filters, generations_body, scan_body
from cicada.adapters.opensearch.rows import rows
from cicada.adapters.opensearch.schema import Generations, newest_whole, next_number, read_generations, stored
from cicada.adapters.opensearch.targets import Target
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import ConfigurationError, ThrottledError, UnavailableError
from cicada.retrieval.model import EmbeddedPassage, Vector

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
    if status in (429, 503):
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


PAGE = 1000


class DocumentRows(Struct, frozen=True):
    """`clock` gives epoch seconds; `visibility_seconds`: how long a write waits to become visible."""

    requests: Requests
    dimension: int
    clock: Callable[[], float]
    visibility_seconds: float

    @property
    def bulk(self) -> BulkWriter:
        return BulkWriter(self.requests.client, self.requests.retry)

    def replace(
        self,
        target: Target,
        document: DocumentKey,
        passages: Sequence[EmbeddedPassage],
        row: DocumentRow,
        card_vector: Vector,
        is_current: Callable[[Target], bool],
    ) -> None:
        """Returns when the new version is visible; the old one disappears with the server's next refresh."""
        generation = next_number(self._of(target, document), self.clock())
        written = rows(document, generation, passages, row, card_vector, self.dimension)
        self.bulk.add(target.index, written)
        if not is_current(target):
            raise _switched()
        keep = newest_whole(self._visible(target, document, generation, is_current)) or generation
        self.remove(target, [*document_filters(document), {"range": {"generation": {"lt": stored(keep)}}}])

    def delete(self, target: Target, document: DocumentKey) -> None:
        self.remove(target, document_filters(document))

    def generations(
        self, where: str | Target, base_key: KnowledgeBaseKey, document_ids: Iterable[str]
    ) -> dict[str, Generations]:
        ids = sorted(document_ids)
        found: dict[str, Generations] = {}
        for start in range(0, len(ids), MAX_BUCKETS):
            body = generations_body(base_key, ids[start : start + MAX_BUCKETS])
            found |= read_generations(self._search(where, body))
        return found

    def remove(self, target: Target, conditions: list[Body]) -> None:
        # The alias may point to another index by now, whose rows must stay.
        found = (hit["_id"] for hit in self.scan(target, conditions) if hit["_index"] == target.index)
        self.bulk.remove(target.index, found)

    def scan(
        self, where: str | Target, conditions: list[Body], fields: list[str] | bool = False
    ) -> Iterator[Mapping[str, Any]]:
        """All rows that meet the conditions, in order of `passage_id`."""
        body = scan_body(conditions, PAGE, fields)
        while True:
            hits = self._search(where, body)["hits"]["hits"]
            if len(hits) < PAGE:
                yield from hits
                return
            # Duplicates of a row, from a repeated bulk request, may be split over two pages.
            whole = [hit for hit in hits if hit["sort"] != hits[-1]["sort"]] or hits
            yield from whole
            body = {**body, "search_after": whole[-1]["sort"]}

    def _search(self, where: str | Target, body: Body) -> Mapping[str, Any]:
        """Search an alias or one index. One index raises `IndexMissing` once another one has taken its place."""
        if isinstance(where, Target):
            return self.requests.search_one(where.index, body)
        return self.requests.search(where, body)

    def _of(self, target: Target, document: DocumentKey) -> Generations:
        found = self.generations(target, document.base_key, {document.document_id})
        return found.get(document.document_id, ())

    def _visible(
        self, target: Target, document: DocumentKey, generation: int, is_current: Callable[[Target], bool]
    ) -> Generations:
        """Wait until all rows of this generation are visible; returns the document's generations.

        Without the wait, an immediate second replacement would not find these rows and would leave them behind.
        """
        waited, pause = 0.0, 0.05
        while True:
            generations = self._of(target, document)
            if any(each.number == generation and each.is_whole for each in generations):
                return generations
            if waited >= self.visibility_seconds:
                raise UnavailableError(
                    f"The index did not show the new version in {waited:.0f} seconds; ingest it again."
                )
            if waited and not is_current(target):
                raise _switched()
            self.requests.retry.sleep(pause)
            waited, pause = waited + pause, min(2.0, pause * 1.5)


def _switched() -> IndexMissing:
    return IndexMissing("The search index was switched while a document was written; ingest it again.")
