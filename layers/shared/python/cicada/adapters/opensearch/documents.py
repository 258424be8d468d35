"""A document's rows in one index, replaced without custom ids, refresh on demand or delete-by-query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from cicada.adapters.opensearch.bulk import BulkWriter
from cicada.adapters.opensearch.client import IndexMissing
from cicada.adapters.opensearch.generations import (
    Generations,
    newest_whole,
    next_number,
    read_generations,
    stored,
)
from cicada.adapters.opensearch.queries import MAX_BUCKETS, Body, document_filters, generations_body, scan_body
from cicada.adapters.opensearch.requests import Requests
from cicada.adapters.opensearch.rows import rows
from cicada.adapters.opensearch.targets import Target
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import UnavailableError
from cicada.retrieval.model import EmbeddedPassage, Vector

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
        """By name, of whatever index has it; or of one index. That one raises `IndexMissing` once it was switched."""
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
