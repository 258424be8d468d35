"""CICADA's two indexes. The single retrievers are the parts of `PassageIndex.search`."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from opensearchpy import OpenSearch as OpenSearchClient

from cicada.adapters.opensearch.bulk import BulkWriter
from cicada.adapters.opensearch.client import connect
from cicada.adapters.opensearch.options import IndexOptions
from cicada.adapters.opensearch.passage_index import OpenSearchPassageIndex
from cicada.adapters.opensearch.queries import nearest_body, passage_words
from cicada.adapters.opensearch.requests import Requests
from cicada.adapters.opensearch.retrievers import Retrievers
from cicada.adapters.opensearch.rows import rows
from cicada.adapters.retry import Retry
from cicada.documents.catalogue import row_of
from cicada.documents.filter import PassageFilter
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, MetadataValue, Passage, SectionLocator
from cicada.retrieval.bm25 import Bm25
from cicada.retrieval.model import EmbeddedPassage, IndexQuery
from cicada_embedded.cache import selected_numbers
from cicada_embedded.file import IndexFile
from cicada_embedded.filters import find_knowledge_base, selection
from cicada_embedded.lexical import passage_retriever
from cicada_embedded.passage_index import SqlitePassageIndex, live_build
from cicada_embedded.semantic import SemanticRetriever
from evals.retrieval_bench.corpus import CHUNKS_OF_A_DOCUMENT, DIMENSION, Corpus, Question
from evals.retrieval_bench.engine import LIMIT

MODEL = "bench"
BASE = KnowledgeBaseKey("tenant", "base")
_VISIBLE_SECONDS = 300.0


class Sqlite:
    hits = ("bm25", "knn", "hybrid")

    def __init__(self, path: Path) -> None:
        self._index = SqlitePassageIndex(path, MODEL, DIMENSION)
        self._file = IndexFile(path, MODEL, DIMENSION)
        self._lexical = passage_retriever(Bm25())
        self._semantic = SemanticRetriever(DIMENSION)

    def ingest(self, corpus: Corpus) -> None:
        for number in range(corpus.documents):
            self._index.replace(_key(number), passages(corpus, number))

    def search(self, retriever: str, question: Question, documents: list[int] | None) -> int:
        query = _query(question, documents)
        if retriever == "hybrid":
            return len(self._index.search(query).lexical)
        with self._file.reading() as connection:
            base = find_knowledge_base(connection, live_build(connection), BASE)
            assert base is not None  # noqa: S101 - it was ingested
            allowed = selected_numbers(connection, selection(base, query.filter))
            if retriever == "bm25":
                return len(self._lexical.search(connection, base, query.text, allowed, LIMIT))
            vector = self._semantic.unit(query.vector)
            return len(self._semantic.search(connection, base, vector, allowed, LIMIT))


class OpenSearch:
    hits = ("bm25", "knn", "hybrid")

    def __init__(self, url: str, name: str) -> None:
        self._client = connect(url, None)
        self._name = name
        self._index = OpenSearchPassageIndex(self._client, IndexOptions(MODEL, DIMENSION, given_name=name))

    def ingest(self, corpus: Corpus) -> None:
        """Sends the documents in one stream, without waiting until each is visible."""
        add_in_bulk(self._index, self._client, self._name, (passages(corpus, at) for at in range(corpus.documents)))

    def search(self, retriever: str, question: Question, documents: list[int] | None) -> int:
        query = _query(question, documents)
        if retriever == "hybrid":
            return len(self._index.search(query).lexical)
        nearest = nearest_body(query, DIMENSION) if retriever == "knn" else None
        words = passage_words(query, Bm25()) if retriever == "bm25" else None
        retrievers = Retrievers(Requests(self._client, Retry(attempts=1)), self._name, nearest, words)
        return sum(map(len, retrievers.hits(lambda: None)))


def _query(question: Question, documents: Sequence[int] | None) -> IndexQuery:
    chosen = None if documents is None else frozenset(_key(number).document_id for number in documents)
    return IndexQuery(PassageFilter(BASE, chosen), question.text, question.vector.tolist(), LIMIT)


def passages(
    corpus: Corpus, number: int, size: int = CHUNKS_OF_A_DOCUMENT, metadata: Mapping[str, MetadataValue] | None = None
) -> list[EmbeddedPassage]:
    """The document's passages, if documents have `size` of them."""
    document = _key(number)
    first = number * size
    return [
        EmbeddedPassage(
            Passage(
                passage_id=f"{document.document_id}#{chunk:06d}",
                document=document,
                version="v1",
                title=f"Report {number}",
                text=corpus.texts[chunk],
                context=f"Report {number} · Section {chunk - first}",
                locator=SectionLocator((f"Section {chunk - first}",)),
                metadata=metadata or {},
            ),
            corpus.vectors[chunk].tolist(),
        )
        for chunk in range(first, first + size)
    ]


def add_in_bulk(
    index: OpenSearchPassageIndex, client: OpenSearchClient, name: str, documents: Iterable[list[EmbeddedPassage]]
) -> None:
    """Send the rows of documents in one stream of bulk requests, and then wait until all are visible."""
    everything = PassageFilter(BASE)
    index.count(everything)  # Creates the index.
    sent = 0

    def counted() -> Iterator[dict[str, Any]]:
        nonlocal sent
        for row in (row for document in documents for row in _rows(document)):
            sent += 1
            yield row

    BulkWriter(client, Retry(attempts=5)).add(name, counted())
    until = time.monotonic() + _VISIBLE_SECONDS
    while index.count(everything) < sent and time.monotonic() < until:
        time.sleep(0.1)


def _key(number: int) -> DocumentKey:
    return DocumentKey(BASE, f"report-{number}")


def _rows(passages: list[EmbeddedPassage]) -> Iterator[dict[str, Any]]:
    row = row_of([each.passage for each in passages])
    return rows(row.document, 1, passages, row, (), DIMENSION) if row else iter(())
