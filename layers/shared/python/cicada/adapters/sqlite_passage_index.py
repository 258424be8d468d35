"""The embedded index: one SQLite file with FTS5 for words and numpy for vectors. No server, and every platform."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from cicada.adapters.sqlite.file import IndexFile
from cicada.adapters.sqlite.filters import find_collection, selection
from cicada.adapters.sqlite.lexical import add_words, lexical_lane, make_words, remove_words
from cicada.adapters.sqlite.rows import insert_passage, passages_by_number, passages_of_document
from cicada.adapters.sqlite.semantic import SemanticLane
from cicada.documents.model import Collection, DocumentKey, Passage
from cicada.retrieval.model import EmbeddedPassage, Hit, IndexQuery, LaneHits, PassageFilter


class SqlitePassageIndex:
    """Any number of processes and threads read while one writes; what is written is seen whole by the next search.

    `model_id` and `dimension` name the embedder; a file of another one is refused at first use.
    """

    def __init__(self, path: str | Path, model_id: str, dimension: int) -> None:
        self._file = IndexFile(Path(path), model_id, dimension)
        self._semantic = SemanticLane(dimension)

    def search(self, query: IndexQuery) -> LaneHits:
        vector = self._semantic.unit(query.vector)
        with self._file.reading() as connection:
            collection = find_collection(connection, query.filter.collection)
            if collection is None:
                return LaneHits((), ())
            selected = selection(collection.number, query.filter)
            lexical = lexical_lane(connection, collection.number, query.text, selected, query.limit)
            semantic = self._semantic.search(connection, collection, vector, selected, query.limit)
            found = passages_by_number(
                connection, query.filter.collection, {number for number, _ in (*lexical, *semantic)}
            )
        return LaneHits(_hits(lexical, found), _hits(semantic, found))

    def replace(self, document: DocumentKey, passages: Sequence[EmbeddedPassage]) -> None:
        with self._file.writing() as connection:
            collection = _written_collection(connection, document.collection)
            _remove(connection, collection, document.document_id)
            for embedded in passages:
                number = insert_passage(connection, collection, document.document_id, embedded.passage)
                vector = self._semantic.unit(embedded.vector)
                connection.execute("INSERT INTO vector VALUES (?, ?)", (number, vector.tobytes()))
                add_words(connection, collection, number, embedded.passage)

    def delete(self, document: DocumentKey) -> None:
        with self._file.writing() as connection:
            if find_collection(connection, document.collection):
                _remove(connection, _written_collection(connection, document.collection), document.document_id)

    def count(self, filter: PassageFilter) -> int:
        with self._file.reading() as connection:
            collection = find_collection(connection, filter.collection)
            if collection is None:
                return 0
            selected = selection(collection.number, filter)
            counting = f"SELECT count(*) FROM ({selected.sql})"  # noqa: S608 - made of constants; values are bound
            return int(connection.execute(counting, selected.values).fetchone()[0])

    def passages_of(self, document: DocumentKey) -> tuple[Passage, ...]:
        with self._file.reading() as connection:
            collection = find_collection(connection, document.collection)
            return passages_of_document(connection, collection.number, document) if collection else ()

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._file.close()


def _hits(lane: list[tuple[int, float]], passages: dict[int, Passage]) -> tuple[Hit, ...]:
    return tuple(Hit(passages[number], score) for number, score in lane)


def _written_collection(connection: sqlite3.Connection, collection: Collection) -> int:
    """The number of a collection about to be written to; its revision goes up."""
    number = connection.execute(
        "INSERT INTO collection (tenant, knowledge_base, revision) VALUES (?, ?, 1) "
        "ON CONFLICT DO UPDATE SET revision = revision + 1 RETURNING number",
        (collection.tenant, collection.knowledge_base),
    ).fetchone()[0]
    make_words(connection, number)
    return int(number)


def _remove(connection: sqlite3.Connection, collection: int, document_id: str) -> None:
    remove_words(connection, collection, document_id)
    connection.execute("DELETE FROM passage WHERE collection = ? AND document_id = ?", (collection, document_id))
