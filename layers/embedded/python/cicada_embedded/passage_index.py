"""The embedded index: one SQLite file, searched with numpy. No server, and every platform."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

from cicada.documents.filter import PassageFilter
from cicada.documents.model import Collection, DocumentKey, Passage
from cicada.errors import Unavailable
from cicada.retrieval.bm25 import Bm25
from cicada.retrieval.model import EmbeddedPassage, Hit, IndexHits, IndexQuery, PassageVectors
from cicada_embedded.builds import live_build, unfinished_build
from cicada_embedded.file import IndexFile
from cicada_embedded.filters import CollectionState, find_collection, selection
from cicada_embedded.kept import selected_numbers
from cicada_embedded.lexical import LexicalLane, add_words
from cicada_embedded.rows import (
    insert_passage,
    insert_vector,
    passages_by_number,
    passages_of_document,
    vectors_of_passages,
)
from cicada_embedded.semantic import SemanticLane

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
        self._lexical = LexicalLane(bm25)
        self._semantic = SemanticLane(dimension)
        self._build = build

    def search(self, query: IndexQuery) -> IndexHits:
        vector = self._semantic.unit(query.vector)
        with self._file.reading() as connection:
            collection = self._collection(connection, query.filter.collection)
            if collection is None:
                return IndexHits((), ())
            allowed = selected_numbers(connection, selection(collection, query.filter))
            lexical = self._lexical.search(connection, collection, query.text, allowed, query.limit)
            semantic = self._semantic.search(connection, collection, vector, allowed, query.limit)
            found = passages_by_number(
                connection, query.filter.collection, {number for number, _ in (*lexical, *semantic)}
            )
        return IndexHits(_hits(lexical, found), _hits(semantic, found))

    def replace(self, document: DocumentKey, passages: Sequence[EmbeddedPassage]) -> None:
        with self._file.writing() as connection:
            targets = [
                _written_collection(connection, build, document.collection)
                for build in self._written_builds(connection)
            ]
            for collection in targets:
                _remove(connection, collection, document.document_id)
            for embedded in passages:
                vector = self._semantic.unit(embedded.vector).tobytes()
                for collection in targets:
                    number = insert_passage(connection, collection, document.document_id, embedded.passage)
                    insert_vector(connection, number, vector, embedded.detail)
                    add_words(connection, number, embedded.passage)

    def delete(self, document: DocumentKey) -> None:
        with self._file.writing() as connection:
            for build in self._written_builds(connection):
                if find_collection(connection, build, document.collection):
                    collection = _written_collection(connection, build, document.collection)
                    _remove(connection, collection, document.document_id)

    def count(self, filter: PassageFilter) -> int:
        with self._file.reading() as connection:
            collection = self._collection(connection, filter.collection)
            if collection is None:
                return 0
            shown = selection(collection, filter).shown
            counting = f"SELECT count(*) FROM ({shown.sql})"  # noqa: S608 - made of constants; values are bound
            return int(connection.execute(counting, shown.values).fetchone()[0])

    def passages_of(self, document: DocumentKey) -> tuple[Passage, ...]:
        with self._file.reading() as connection:
            collection = self._collection(connection, document.collection)
            return passages_of_document(connection, collection.number, document) if collection else ()

    def vectors_of(self, collection: Collection, passage_ids: Sequence[str]) -> Mapping[str, PassageVectors]:
        with self._file.reading() as connection:
            found = self._collection(connection, collection)
            return vectors_of_passages(connection, found.number, passage_ids) if found else {}

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._file.close()

    def _collection(self, connection: sqlite3.Connection, collection: Collection) -> CollectionState | None:
        return find_collection(connection, self._build or live_build(connection), collection)

    def _written_builds(self, connection: sqlite3.Connection) -> list[int]:
        unfinished = unfinished_build(connection)
        if self._build is None:
            return [live_build(connection), *([unfinished] if unfinished else [])]
        if self._build != unfinished:
            raise Unavailable("This index is not being built any more; begin again.")
        return [unfinished]


def _hits(lane: list[tuple[int, float]], passages: dict[int, Passage]) -> tuple[Hit, ...]:
    return tuple(Hit(passages[number], score) for number, score in lane)


def _written_collection(connection: sqlite3.Connection, build: int, collection: Collection) -> int:
    """The number of a collection about to be written to; its revision goes up."""
    number = connection.execute(
        "INSERT INTO collection (build, tenant, knowledge_base, revision) VALUES (?, ?, ?, 1) "
        "ON CONFLICT DO UPDATE SET revision = revision + 1 RETURNING number",
        (build, collection.tenant, collection.knowledge_base),
    ).fetchone()[0]
    return int(number)


def _remove(connection: sqlite3.Connection, collection: int, document_id: str) -> None:
    connection.execute("DELETE FROM passage WHERE collection = ? AND document_id = ?", (collection, document_id))
