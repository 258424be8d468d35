"""The embedded index: one SQLite file, searched with numpy. No server, and every platform."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

from cicada.documents.filter import PassageFilter
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage
from cicada.errors import UnavailableError
from cicada.retrieval.bm25 import Bm25
from cicada.retrieval.model import EmbeddedPassage, Hit, IndexHits, IndexQuery, PassageVectors
from cicada_embedded.builds import live_build, unfinished_build
from cicada_embedded.cache import selected_numbers
from cicada_embedded.file import IndexFile
from cicada_embedded.filters import KnowledgeBaseState, find_knowledge_base, selection
from cicada_embedded.lexical import LexicalRetriever, add_words
from cicada_embedded.rows import (
    insert_passage,
    insert_vector,
    passages_by_number,
    passages_of_document,
    vectors_of_passages,
)
from cicada_embedded.semantic import SemanticRetriever

BM25 = Bm25()


class SqlitePassageIndex:
    """Any number of processes and threads read while one writes; what is written is seen whole by the next search.

    `model_id` and `dimension` name the embedder; a file of another one is refused at first use. `build` is the number
    of an unfinished index in the file, None for the one that answers: what is written to that one reaches both.
    """

    def __init__(
        self, path: str | Path, model_id: str, dimension: int, *, bm25: Bm25 = BM25, build: int | None = None
    ) -> None:
        self._file = IndexFile(Path(path), model_id, dimension)
        self._lexical = LexicalRetriever(bm25)
        self._semantic = SemanticRetriever(dimension)
        self._build = build

    def search(self, query: IndexQuery) -> IndexHits:
        vector = self._semantic.unit(query.vector)
        with self._file.reading() as connection:
            base_key = self._base_key(connection, query.filter.base_key)
            if base_key is None:
                return IndexHits((), ())
            allowed = selected_numbers(connection, selection(base_key, query.filter))
            lexical = self._lexical.search(connection, base_key, query.text, allowed, query.limit)
            semantic = self._semantic.search(connection, base_key, vector, allowed, query.limit)
            found = passages_by_number(
                connection, query.filter.base_key, {number for number, _ in (*lexical, *semantic)}
            )
        return IndexHits(_hits(lexical, found), _hits(semantic, found))

    def replace(self, document: DocumentKey, passages: Sequence[EmbeddedPassage]) -> None:
        with self._file.writing() as connection:
            targets = [
                _written_collection(connection, build, document.base_key) for build in self._written_builds(connection)
            ]
            for base_key in targets:
                _remove(connection, base_key, document.document_id)
            for embedded in passages:
                vector = self._semantic.unit(embedded.vector).tobytes()
                for base_key in targets:
                    number = insert_passage(connection, base_key, document.document_id, embedded.passage)
                    insert_vector(connection, number, vector, embedded.multivector)
                    add_words(connection, number, embedded.passage)

    def delete(self, document: DocumentKey) -> None:
        with self._file.writing() as connection:
            for build in self._written_builds(connection):
                if find_knowledge_base(connection, build, document.base_key):
                    base_key = _written_collection(connection, build, document.base_key)
                    _remove(connection, base_key, document.document_id)

    def count(self, filter: PassageFilter) -> int:
        with self._file.reading() as connection:
            base_key = self._base_key(connection, filter.base_key)
            if base_key is None:
                return 0
            shown = selection(base_key, filter).shown
            counting = f"SELECT count(*) FROM ({shown.sql})"  # noqa: S608 - made of constants; values are bound
            return int(connection.execute(counting, shown.values).fetchone()[0])

    def passages_of(self, document: DocumentKey) -> tuple[Passage, ...]:
        with self._file.reading() as connection:
            base_key = self._base_key(connection, document.base_key)
            return passages_of_document(connection, base_key.number, document) if base_key else ()

    def vectors_of(self, base_key: KnowledgeBaseKey, passage_ids: Sequence[str]) -> Mapping[str, PassageVectors]:
        with self._file.reading() as connection:
            found = self._base_key(connection, base_key)
            return vectors_of_passages(connection, found.number, passage_ids) if found else {}

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._file.close()

    def _base_key(self, connection: sqlite3.Connection, base_key: KnowledgeBaseKey) -> KnowledgeBaseState | None:
        return find_knowledge_base(connection, self._build or live_build(connection), base_key)

    def _written_builds(self, connection: sqlite3.Connection) -> list[int]:
        unfinished = unfinished_build(connection)
        if self._build is None:
            return [live_build(connection), *([unfinished] if unfinished else [])]
        if self._build != unfinished:
            raise UnavailableError("This index is not being built any more; begin again.")
        return [unfinished]


def _hits(retriever: list[tuple[int, float]], passages: dict[int, Passage]) -> tuple[Hit, ...]:
    return tuple(Hit(passages[number], score) for number, score in retriever)


def _written_collection(connection: sqlite3.Connection, build: int, base_key: KnowledgeBaseKey) -> int:
    """The number of a collection about to be written to; its revision goes up."""
    number = connection.execute(
        "INSERT INTO collection (build, tenant, knowledge_base, revision) VALUES (?, ?, ?, 1) "
        "ON CONFLICT DO UPDATE SET revision = revision + 1 RETURNING number",
        (build, base_key.tenant, base_key.knowledge_base),
    ).fetchone()[0]
    return int(number)


def _remove(connection: sqlite3.Connection, base_key: int, document_id: str) -> None:
    connection.execute("DELETE FROM passage WHERE collection = ? AND document_id = ?", (base_key, document_id))
