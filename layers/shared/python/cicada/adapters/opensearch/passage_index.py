"""The index of passages in OpenSearch: a Serverless collection, a managed domain or a local server.

It uses nothing that Serverless lacks: no custom document ids, no refresh on demand, no delete-by-query.
`cicada.adapters.opensearch.schema` explains how a document is replaced without them,
`cicada.adapters.opensearch.targets` how an index is switched during writes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict
from opensearchpy import OpenSearch
from opensearchpy.exceptions import AuthorizationException, NotFoundError

from cicada.adapters.opensearch.catalogue import Catalogue, card_hits, count_terms
from cicada.adapters.opensearch.client import Requests, Say, TooManyClauses, waiting
from cicada.adapters.opensearch.documents import DocumentRows
from cicada.adapters.opensearch.lexical import Idfs, LexicalSearch
from cicada.adapters.opensearch.queries import (
    Body,
    card_words,
    cosine,
    document_filters,
    filters,
    nearest_body,
    nearest_cards_body,
    passage_words,
    vectors_body,
)
from cicada.adapters.opensearch.rows import FIELDS, passage
from cicada.adapters.opensearch.schema import (
    Generation,
    Generations,
    IndexOptions,
    StoredVectors,
    answering,
    check_index,
    stored,
)
from cicada.adapters.opensearch.targets import (
    Hits,
    Indices,
    Target,
    drop,
    first_index,
    indices_of,
    is_ours,
    make_index,
    without_stale,
    write_to_all,
)
from cicada.documents.aggregates import MOST_GROUPS, Aggregation
from cicada.documents.catalogue import Aggregate, DocumentRow, RowPage, Sort, row_of
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, PassageFilter
from cicada.errors import UnavailableError
from cicada.retrieval.model import CardHits, CardQuery, EmbeddedPassage, Hit, IndexHits, IndexQuery, Vector

logger = logging.getLogger(__name__)

# More than the passages of a search times the generations that a document ever has.
_MAX_VECTORS = 10_000
_MAX_READS = 4


class Retrievers(Struct, frozen=True):
    """`nearest`: the body of the kNN search. `words`: None for a text without words."""

    requests: Requests
    index: str
    nearest: Body | None
    words: LexicalSearch | None

    def hits(self, refused: Say) -> list[Hits]:
        """The hits by words, scored by BM25, and those by vectors. `refused`: see `Requests.searches`."""
        bodies = {"nearest": self.nearest, "statistics": self.words.statistics_body() if self.words else None}
        asked = {name: body for name, body in bodies.items() if body}
        if not asked:
            return [[], []]
        found = dict(zip(asked, self.requests.searches(self.index, list(asked.values()), refused), strict=True))
        semantic = found["nearest"]["hits"]["hits"] if "nearest" in found else []
        idfs = self.words.idfs(found["statistics"]) if self.words else {}
        return [self._lexical(self.words, idfs, refused) if self.words and idfs else [], semantic]

    def _lexical(self, words: LexicalSearch, idfs: Idfs, refused: Say) -> Hits:
        """The lexical hits; none if the question has more words than the server accepts: a retry would not help."""
        try:
            [found] = self.requests.searches(self.index, [words.candidates_body(idfs)], refused)
        except TooManyClauses:
            if self.nearest is None:
                raise
            logger.warning("A question has more words than the search index takes: vectors alone answer it")
            return []
        return [*words.scored(found["hits"]["hits"], idfs)]


class OpenSearchPassageIndex:
    """Created at first use if missing. An index of another embedder is refused then.

    `building`: the name of an unfinished index to use instead of the live one; writes to the live index go to both.
    It is never created here: if it is missing, its rebuild was abandoned.
    Writes become visible with the server's refresh: after 1 second locally, 10 or 60 on Serverless. `replace` waits
    for it. Searches and writes are retried after 429 or 503. `on_wait` is called at most once for a search, perhaps
    from another thread, when the search is refused or takes `wait_seconds`.
    """

    def __init__(
        self,
        client: OpenSearch,
        options: IndexOptions,
        *,
        building: str | None = None,
        on_wait: Say | None = None,
        wait_seconds: float = 2.0,
    ) -> None:
        self._options = options
        self._building = building
        self._name = building or options.name
        self._on_wait = on_wait
        self._wait_seconds = wait_seconds
        self._requests = Requests(client, options.retry)
        self._rows = DocumentRows(self._requests, options.dimension, options.clock, options.visibility_seconds)
        self._catalogue = Catalogue(self._rows, self._name, self._without_stale)
        self._is_checked = False

    def search(self, query: IndexQuery) -> IndexHits:
        base_key = query.filter.base_key
        nearest = nearest_body(query, self._options.dimension)
        lexical, semantic = self._found(base_key, nearest, passage_words(query, self._options.bm25))
        return IndexHits(_hits(lexical, base_key, float), _hits(semantic, base_key, cosine))

    def find_cards(self, query: CardQuery) -> CardHits:
        base_key = query.filter.base_key
        nearest = nearest_cards_body(query, self._options.dimension) if len(query.vector) else None
        lexical, semantic = self._found(base_key, nearest, card_words(query, self._options.bm25))
        return CardHits(card_hits(lexical, base_key, float), card_hits(semantic, base_key, cosine))

    def _found(
        self, base_key: KnowledgeBaseKey, nearest: Body | None, words: LexicalSearch | None
    ) -> tuple[Hits, Hits]:
        """The hits of both retrievers, in two round trips; in one if there is nothing to find by words."""
        with waiting(self._on_wait, self._wait_seconds) as refused:
            self._check(refused)
            retrievers = Retrievers(self._requests, self._name, nearest, words)
            lexical, semantic = self._without_stale(base_key, lambda: retrievers.hits(refused))
        return lexical, semantic

    def replace(
        self,
        document: DocumentKey,
        passages: Sequence[EmbeddedPassage],
        row: DocumentRow | None = None,
        card_vector: Vector = (),
    ) -> None:
        """Returns when the new version is visible; the old one disappears with the server's next refresh."""
        made = row or row_of([each.passage for each in passages])
        if made is None or not passages:
            return self.delete(document)
        self._check()
        return self._write(
            lambda target: self._rows.replace(target, document, passages, made, card_vector, self._is_current)
        )

    def delete(self, document: DocumentKey) -> None:
        self._check()
        self._write(lambda target: self._rows.delete(target, document))

    def count(self, filter: PassageFilter) -> int:
        """Counts both versions of a document that is being replaced."""
        self._check()
        return self._requests.count(self._name, {"query": {"bool": {"filter": filters(filter)}}})

    def passages_with(self, filter: PassageFilter, terms: Sequence[str]) -> Mapping[str, int]:
        """Counts both versions of a document that is being replaced."""
        self._check()
        return count_terms(self._requests, self._name, filter, terms)

    def passages_of(self, document: DocumentKey, numbers: range | None = None) -> tuple[Passage, ...]:
        self._check()
        found: tuple[Passage, ...] = ()
        for _ in range(_MAX_READS):
            generations = self._rows.generations(self._name, document.base_key, {document.document_id})
            generation = answering(generations.get(document.document_id, ()))
            if generation is None:
                return ()
            found = self._passages(document, generation, numbers)
            wanted = range(generation.size) if numbers is None else range(generation.size)[numbers.start : numbers.stop]
            if len(found) >= len(wanted) or not generation.is_whole:
                break
            # It was replaced, or the index was switched, before its passages were read.
        return found

    def _passages(self, document: DocumentKey, generation: Generation, numbers: range | None) -> tuple[Passage, ...]:
        conditions = [*document_filters(document, numbers), {"term": {"generation": stored(generation.number)}}]
        sources = [hit["_source"] for hit in self._rows.scan(self._name, conditions, FIELDS)]
        once = {source["passage_id"]: source for source in sources}
        return tuple(passage(source, document.base_key) for source in once.values())

    def vectors_of(self, base_key: KnowledgeBaseKey, passage_ids: Sequence[str]) -> Mapping[str, Vector]:
        """Makes a second request only if one of the documents may be in replacement."""
        self._check()
        body = vectors_body(base_key, passage_ids, _MAX_VECTORS)
        (hits,) = self._without_stale(base_key, lambda: [self._requests.search(self._name, body)["hits"]["hits"]])
        return {hit["_source"]["passage_id"]: hit["_source"]["vector"] for hit in hits}

    def row(self, document: DocumentKey) -> DocumentRow | None:
        self._check()
        return self._catalogue.find(document)

    def rows(self, filter: PassageFilter, sort: Sort, limit: int, offset: int = 0) -> RowPage:
        """Reads all rows that match, 1,000 a request, and sorts them here: the mapping has no field to sort by."""
        self._check()
        return self._catalogue.page(filter, sort, limit, offset)

    def count_documents(self, filter: PassageFilter) -> int:
        self._check()
        return self._catalogue.count(filter)

    def aggregate(
        self,
        filter: PassageFilter,
        aggregates: Sequence[Aggregate],
        group: Sequence[str] = (),
        sort: Sort | None = None,
        limit: int = MOST_GROUPS,
    ) -> Aggregation:
        """Makes one request where documents are counted by a field, else reads all rows that match, as `rows` does."""
        self._check()
        return self._catalogue.aggregate(filter, aggregates, group, sort, limit)

    def records(self, filter: PassageFilter) -> tuple[DocumentRow, ...]:
        self._check()
        return self._catalogue.records(filter)

    def copies_of(self, document: DocumentKey, content_hash: str) -> tuple[str, ...]:
        if not content_hash:
            return ()
        self._check()
        return self._catalogue.copies(document, content_hash)

    def readers_of(self, base_key: KnowledgeBaseKey, document_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        self._check()
        return self._catalogue.access_lists(base_key, document_ids)

    def vectors(self) -> Mapping[str, str]:
        self._check()
        mapping = next(iter(self._requests.call(self._mappings).values()))["mappings"]
        return {**asdict(StoredVectors.of(mapping["properties"]["vector"])), "wanted": self._options.compression}

    def _write(self, write: Callable[[Target], None]) -> None:
        write_to_all(self._targets, write, self._drop, self._options.retry.sleep)

    def _targets(self) -> tuple[Target, ...]:
        targets = self._requests.call(self._listed)
        if self._building is None:
            return targets
        ours = tuple(target for target in targets if target.is_building and target.index == self._building)
        if not ours:
            raise _given_up()
        return ours

    def _listed(self) -> tuple[Target, ...]:
        targets = self._indices().targets
        if not targets:
            raise UnavailableError("The search index has been created and is not there yet; try again.")
        return targets

    def _is_current(self, target: Target) -> bool:
        return target in self._indices().targets

    def _indices(self) -> Indices:
        return indices_of(self._requests, self._options.name)

    def _drop(self, target: Target) -> None:
        """Delete an index that was switched or dropped during a write: the write may have created it again."""
        indices = self._indices()
        if is_ours(target.index, self._options.name) and target.index not in (indices.live, indices.building):
            drop(self._requests, target.index)

    def _without_stale(self, base_key: KnowledgeBaseKey, search: Callable[[], list[Hits]]) -> list[Hits]:
        def generations_of(documents: set[str]) -> Mapping[str, Generations]:
            return self._rows.generations(self._name, base_key, documents)

        return without_stale(search, generations_of, self._options.clock())

    def _check(self, refused: Say | None = None) -> None:
        """Check once that the index exists, holds our embedder's vectors, and keeps them as it was asked to."""
        if self._is_checked:
            return
        for mapping in self._requests.call(self._mappings, refused).values():
            check_index(self._name, mapping["mappings"], self._options.model_id, self._options.dimension)
        self._is_checked = True

    def _mappings(self) -> Mapping[str, Any]:
        indices = self._requests.client.indices
        try:
            found: Mapping[str, Any] = indices.get_mapping(index=self._name)
        except (NotFoundError, AuthorizationException) as error:  # Serverless may answer 403 for a missing index.
            if self._building:
                raise _given_up() from error
            found = make_index(self._requests.client, first_index(self._name), self._name, self._options.bodies())
        return found


def _given_up() -> UnavailableError:
    return UnavailableError("This index is not being built any more; begin again.")


def _hits(found: Hits, base_key: KnowledgeBaseKey, score: Callable[[float], float]) -> tuple[Hit, ...]:
    """Hits in descending order, each passage once: a bulk request repeated after a timeout may have stored it twice."""
    best: dict[str, Hit] = {}
    for hit in found:
        best.setdefault(hit["_source"]["passage_id"], Hit(passage(hit["_source"], base_key), score(hit["_score"])))
    return tuple(sorted(best.values(), key=lambda hit: (-hit.score, hit.passage.passage_id)))
