"""The index in OpenSearch: a Serverless collection of either generation, a managed domain or a local server.

It depends on nothing that Serverless lacks: no ids of ours, no refresh on demand, no delete-by-query. How a document
is replaced without them is told in `cicada.adapters.opensearch.generations`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from opensearchpy import OpenSearch
from opensearchpy.exceptions import AuthorizationException, NotFoundError, RequestError

from cicada.adapters.opensearch.bulk import BulkWriter
from cicada.adapters.opensearch.client import check_response, connect, opensearch_errors
from cicada.adapters.opensearch.generations import (
    Generations,
    answering,
    newest_whole,
    next_number,
    read_generations,
    stored,
)
from cicada.adapters.opensearch.queries import (
    Body,
    cosine,
    document_filters,
    filters,
    generations_body,
    lane_bodies,
    scan_body,
)
from cicada.adapters.opensearch.rows import FIELDS, passage, row
from cicada.adapters.opensearch.schema import check_embedder, index_body, index_name
from cicada.adapters.retry import Retry
from cicada.documents.model import Collection, DocumentKey, Passage
from cicada.errors import Unavailable
from cicada.retrieval.model import EmbeddedPassage, Hit, IndexQuery, LaneHits, PassageFilter

__all__ = ["OpenSearchPassageIndex", "connect"]

T = TypeVar("T")

PAGE = 1000
RETRY = Retry(time.sleep, random.random, attempts=5)


class OpenSearchPassageIndex:
    """`vector_engine` is the kNN engine of a new index, empty for the server's choice; `name` may be an alias.

    What is written is seen after the server's refresh: 1 second locally, 10 or 60 on Serverless. `replace` waits for
    it, for at most `visibility_seconds`. Searches and writes are tried again when refused with 429 or 503.
    """

    def __init__(
        self,
        client: OpenSearch,
        model_id: str,
        dimension: int,
        vector_engine: str = "lucene",
        name: str | None = None,
        *,
        retry: Retry = RETRY,
        clock: Callable[[], float] = time.time,
        visibility_seconds: float = 120.0,
    ) -> None:
        self._client = client
        self._model_id = model_id
        self._dimension = dimension
        self._vector_engine = vector_engine
        self._name = name or index_name(model_id, dimension)
        self._retry = retry
        self._clock = clock
        self._visibility_seconds = visibility_seconds
        self._bulk = BulkWriter(client, self._name, retry)
        self._is_checked = False

    def search(self, query: IndexQuery) -> LaneHits:
        self._check()
        bodies = lane_bodies(query, self._dimension)
        request = [line for body in bodies.values() for line in ({}, body)]
        responses = self._call(lambda: self._client.msearch(body=request, index=self._name))["responses"]
        lanes = {
            name: check_response(response)["hits"]["hits"] for name, response in zip(bodies, responses, strict=True)
        }
        stale = self._stale(query.filter.collection, [hit["_source"] for hits in lanes.values() for hit in hits])
        lexical, semantic = (
            [hit for hit in lanes.get(name, []) if _place(hit["_source"]) not in stale]
            for name in ("lexical", "semantic")
        )
        collection = query.filter.collection
        return LaneHits(_hits(lexical, collection, float), _hits(semantic, collection, cosine))

    def replace(self, document: DocumentKey, passages: Sequence[EmbeddedPassage]) -> None:
        """Returns when the new version is seen; the old one makes way with the server's next refresh."""
        if not passages:
            return self.delete(document)
        self._check()
        generation = next_number(self._generations(document), self._clock())
        rows = (row(document, generation, len(passages), each, self._dimension) for each in passages)
        self._bulk.add(rows)
        keep = newest_whole(self._visible(document, generation)) or generation
        return self._remove([*document_filters(document), {"range": {"generation": {"lt": stored(keep)}}}])

    def delete(self, document: DocumentKey) -> None:
        self._check()
        self._remove(document_filters(document))

    def count(self, filter: PassageFilter) -> int:
        """Counts both versions of a document that is being replaced."""
        self._check()
        body = {"query": {"bool": {"filter": filters(filter)}}}
        return int(check_response(self._call(lambda: self._client.count(body=body, index=self._name)))["count"])

    def passages_of(self, document: DocumentKey) -> tuple[Passage, ...]:
        self._check()
        generation = answering(self._generations(document))
        if generation is None:
            return ()
        conditions = [*document_filters(document), {"term": {"generation": stored(generation)}}]
        found = {hit["_source"]["passage_id"]: hit["_source"] for hit in self._scan(conditions, FIELDS)}
        return tuple(passage(source, document.collection) for source in found.values())

    def _visible(self, document: DocumentKey, generation: int) -> Generations:
        """The document's generations when this one is among them, whole.

        Without the wait, a replacement that follows at once would not find this one's rows, and they would stay.
        """
        waited, pause = 0.0, 0.05
        while True:
            generations = self._generations(document)
            if any(each.number == generation and each.is_whole for each in generations):
                return generations
            if waited >= self._visibility_seconds:
                raise Unavailable(f"The index did not show the new version in {waited:.0f} seconds; ingest it again.")
            self._retry.sleep(pause)
            waited, pause = waited + pause, min(2.0, pause * 1.5)

    def _stale(self, collection: Collection, sources: list[Mapping[str, Any]]) -> set[tuple[str, int]]:
        """Documents' generations that do not answer. Asks only if a document was found in several of them."""
        places = {_place(source) for source in sources}
        numbers: dict[str, set[int]] = {}
        for document_id, generation in places:
            numbers.setdefault(document_id, set()).add(generation)
        mixed = {document_id for document_id, found in numbers.items() if len(found) > 1}
        if not mixed:
            return set()
        current = self._generations_of(collection, mixed)
        return {
            (document_id, generation)
            for document_id, generation in places
            if document_id in mixed and generation != answering(current.get(document_id, ()))
        }

    def _generations(self, document: DocumentKey) -> Generations:
        return self._generations_of(document.collection, {document.document_id}).get(document.document_id, ())

    def _generations_of(self, collection: Collection, document_ids: set[str]) -> dict[str, Generations]:
        return read_generations(self._search(generations_body(collection, document_ids)))

    def _remove(self, conditions: list[Body]) -> None:
        self._bulk.remove(hit["_id"] for hit in self._scan(conditions))

    def _scan(self, conditions: list[Body], fields: list[str] | bool = False) -> Iterator[Mapping[str, Any]]:
        body = scan_body(conditions, PAGE, fields)
        while True:
            hits = self._search(body)["hits"]["hits"]
            yield from hits
            if len(hits) < PAGE:
                return
            body = {**body, "search_after": hits[-1]["sort"]}

    def _search(self, body: Body) -> Mapping[str, Any]:
        return check_response(self._call(lambda: self._client.search(body=body, index=self._name)))

    def _call(self, request: Callable[[], T]) -> T:
        def attempt() -> T:
            with opensearch_errors():
                return request()

        return self._retry.call(attempt)

    def _check(self) -> None:
        """Once in the life of the index: it is there, and its vectors are those of our embedder."""
        if self._is_checked:
            return
        for mapping in self._call(self._mappings).values():
            check_embedder(self._name, mapping["mappings"], self._model_id, self._dimension)
        self._is_checked = True

    def _mappings(self) -> Mapping[str, Any]:
        try:
            found: Mapping[str, Any] = self._client.indices.get_mapping(index=self._name)
        except (NotFoundError, AuthorizationException):  # Serverless says 403 of an index that is not there.
            self._create()
            found = self._client.indices.get_mapping(index=self._name)
        return found

    def _create(self) -> None:
        body = index_body(self._model_id, self._dimension, self._vector_engine)
        try:
            self._client.indices.create(index=self._name, body=body)
        except RequestError as error:
            if error.error != "resource_already_exists_exception":  # Another process was first.
                raise


def _place(source: Mapping[str, Any]) -> tuple[str, int]:
    return source["document_id"], int(source["generation"])


def _hits(
    found: Iterable[Mapping[str, Any]], collection: Collection, score: Callable[[float], float]
) -> tuple[Hit, ...]:
    """Hits in falling order, each passage once: a bulk request repeated after a timeout may have stored it twice."""
    best: dict[str, Hit] = {}
    for hit in found:
        best.setdefault(hit["_source"]["passage_id"], Hit(passage(hit["_source"], collection), score(hit["_score"])))
    return tuple(sorted(best.values(), key=lambda hit: (-hit.score, hit.passage.passage_id)))
