"""The embedded index: one SQLite file, searched with numpy. It needs no server and runs on every platform."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

from cicada.documents.catalogue import DocumentRow, RowPage, Sort, row_of
from cicada.documents.filter import PassageFilter, Scalar
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage
from cicada.errors import UnavailableError
from cicada.retrieval.bm25 import Bm25
from cicada.retrieval.model import (
    CardHits,
    CardQuery,
    EmbeddedPassage,
    Hit,
    IndexHits,
    IndexQuery,
    Vector,
)
from cicada_embedded.cache import hidden_numbers, selected_numbers
from cicada_embedded.cards import CardRetriever, insert_card
from cicada_embedded.catalogue import (
    copies,
    count_rows,
    count_rows_by,
    find_row,
    insert_row,
    page_of_rows,
    readers_by_document,
    remove_row,
)
from cicada_embedded.file import IndexFile, delete_rows
from cicada_embedded.filters import KnowledgeBaseState, find_knowledge_base, selection
from cicada_embedded.lexical import add_words, passage_retriever
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
    """Any number of processes and threads read while one writes; the next search sees all of a write.

    `model_id` and `dimension` name the embedder; a file of another embedder is refused at first use. `build` is the
    number of an unfinished index in the file, None for the live one. Writes to the live index go to both.
    """

    def __init__(
        self, path: str | Path, model_id: str, dimension: int, *, bm25: Bm25 = BM25, build: int | None = None
    ) -> None:
        self._file = IndexFile(Path(path), model_id, dimension)
        self._lexical = passage_retriever(bm25)
        self._semantic = SemanticRetriever(dimension)
        self._cards = CardRetriever(dimension, bm25)
        self._build = build

    def search(self, query: IndexQuery) -> IndexHits:
        vector = self._semantic.unit(query.vector)
        with self._file.reading() as connection:
            state = self._state(connection, query.filter.base_key)
            if state is None:
                return IndexHits((), ())
            allowed = selected_numbers(connection, selection(state, query.filter))
            hidden = hidden_numbers(connection, state, query.filter.reader)
            lexical = self._lexical.search(connection, state, query.text, allowed, query.limit, hidden)
            semantic = self._semantic.search(connection, state, vector, allowed, query.limit)
            found = passages_by_number(
                connection, query.filter.base_key, {number for number, _ in (*lexical, *semantic)}
            )
        return IndexHits(_hits(lexical, found), _hits(semantic, found))

    def replace(
        self,
        document: DocumentKey,
        passages: Sequence[EmbeddedPassage],
        row: DocumentRow | None = None,
        card_vector: Vector = (),
    ) -> None:
        row = row or row_of([each.passage for each in passages])
        described = self._semantic.unit(card_vector).tobytes() if len(card_vector) else b""
        with self._file.writing() as connection:
            base_numbers = [
                _revised(connection, build, document.base_key) for build in self._written_builds(connection)
            ]
            for base_number in base_numbers:
                _remove(connection, base_number, document.document_id)
                if row and passages:
                    _insert_row(connection, base_number, row, described)
            for embedded in passages:
                vector = self._semantic.unit(embedded.vector).tobytes()
                for base_number in base_numbers:
                    number = insert_passage(connection, base_number, document.document_id, embedded.passage)
                    insert_vector(connection, number, vector)
                    add_words(connection, number, embedded.passage)

    def delete(self, document: DocumentKey) -> None:
        with self._file.writing() as connection:
            for build in self._written_builds(connection):
                if find_knowledge_base(connection, build, document.base_key):
                    base_number = _revised(connection, build, document.base_key)
                    _remove(connection, base_number, document.document_id)

    def count(self, filter: PassageFilter) -> int:
        with self._file.reading() as connection:
            state = self._state(connection, filter.base_key)
            if state is None:
                return 0
            shown = selection(state, filter).shown
            counting = f"SELECT count(*) FROM ({shown.sql})"  # noqa: S608 - made of constants; values are bound
            return int(connection.execute(counting, shown.values).fetchone()[0])

    def passages_with(self, filter: PassageFilter, terms: Sequence[str]) -> Mapping[str, int]:
        with self._file.reading() as connection:
            state = self._state(connection, filter.base_key)
            if state is None:
                return dict.fromkeys(terms, 0)
            hidden = hidden_numbers(connection, state, filter.reader)
            return self._lexical.holding(connection, state, terms, hidden)

    def find_cards(self, query: CardQuery) -> CardHits:
        with self._file.reading() as connection:
            state = self._state(connection, query.filter.base_key)
            return self._cards.search(connection, state, query) if state else CardHits(())

    def row(self, document: DocumentKey) -> DocumentRow | None:
        with self._file.reading() as connection:
            state = self._state(connection, document.base_key)
            return find_row(connection, state.number, document) if state else None

    def rows(self, filter: PassageFilter, sort: Sort, limit: int, offset: int = 0) -> RowPage:
        with self._file.reading() as connection:
            state = self._state(connection, filter.base_key)
            return page_of_rows(connection, state, filter, sort, limit, offset) if state else RowPage((), 0)

    def count_documents(self, filter: PassageFilter) -> int:
        with self._file.reading() as connection:
            state = self._state(connection, filter.base_key)
            return count_rows(connection, state, filter) if state else 0

    def count_by(self, filter: PassageFilter, field: str) -> Mapping[Scalar, int]:
        with self._file.reading() as connection:
            state = self._state(connection, filter.base_key)
            return count_rows_by(connection, state, filter, field) if state else {}

    def copies_of(self, document: DocumentKey, content_hash: str) -> tuple[str, ...]:
        with self._file.reading() as connection:
            state = self._state(connection, document.base_key)
            return copies(connection, state, document, content_hash) if state and content_hash else ()

    def readers_of(self, base_key: KnowledgeBaseKey, document_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        with self._file.reading() as connection:
            state = self._state(connection, base_key)
            return readers_by_document(connection, state, base_key, document_ids) if state else {}

    def passages_of(self, document: DocumentKey) -> tuple[Passage, ...]:
        with self._file.reading() as connection:
            state = self._state(connection, document.base_key)
            return passages_of_document(connection, state.number, document) if state else ()

    def vectors_of(self, base_key: KnowledgeBaseKey, passage_ids: Sequence[str]) -> Mapping[str, Vector]:
        with self._file.reading() as connection:
            state = self._state(connection, base_key)
            return vectors_of_passages(connection, state.number, passage_ids) if state else {}

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._file.close()

    def _state(self, connection: sqlite3.Connection, base_key: KnowledgeBaseKey) -> KnowledgeBaseState | None:
        return find_knowledge_base(connection, self._build or live_build(connection), base_key)

    def _written_builds(self, connection: sqlite3.Connection) -> list[int]:
        unfinished = unfinished_build(connection)
        if self._build is None:
            return [live_build(connection), *([unfinished] if unfinished else [])]
        if self._build != unfinished:
            raise UnavailableError("This index is not being built any more; begin again.")
        return [unfinished]


def live_build(connection: sqlite3.Connection) -> int:
    """The number of the build that is searched."""
    return int(connection.execute("SELECT value FROM property WHERE name = 'live'").fetchone()[0])


def unfinished_build(connection: sqlite3.Connection) -> int | None:
    """The number of the build in progress, which is not searched yet; None without one."""
    row = connection.execute("SELECT value FROM property WHERE name = 'unfinished'").fetchone()
    return int(row[0]) if row else None


def _hits(retriever: list[tuple[int, float]], passages: dict[int, Passage]) -> tuple[Hit, ...]:
    return tuple(Hit(passages[number], score) for number, score in retriever)


def _revised(connection: sqlite3.Connection, build: int, base_key: KnowledgeBaseKey) -> int:
    """Create the knowledge base or increase its revision, before a write; returns its number."""
    number = connection.execute(
        "INSERT INTO collection (build, tenant, knowledge_base, revision) VALUES (?, ?, ?, 1) "
        "ON CONFLICT DO UPDATE SET revision = revision + 1 RETURNING number",
        (build, base_key.tenant, base_key.knowledge_base),
    ).fetchone()[0]
    return int(number)


def _insert_row(connection: sqlite3.Connection, base_number: int, row: DocumentRow, card_vector: bytes) -> None:
    number = insert_row(connection, base_number, row)
    if row.card:
        insert_card(connection, number, row.card, row.document.document_id, card_vector)


def _remove(connection: sqlite3.Connection, base_number: int, document_id: str) -> None:
    delete_rows(connection, "DELETE FROM passage WHERE collection = ? AND document_id = ?", (base_number, document_id))
    remove_row(connection, base_number, document_id)
