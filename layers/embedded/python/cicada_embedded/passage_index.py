"""The embedded index: one SQLite file, searched in memory. It needs no server and runs wherever symbolic links do."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from cicada.adapters.passage_codec import (
    card_to_json,
    locator_of,
    locator_values,
    metadata_from_json,
    metadata_to_json,
    readers_from_json,
    readers_to_json,
    row_from_json,
    row_to_json,
)
from cicada.documents.aggregates import MOST_GROUPS, Aggregation, aggregated
from cicada.documents.catalogue import Aggregate, DocumentRow, RowPage, Sort, record_of, row_of, sorted_rows
from cicada.documents.model import ROW, DocumentKey, Exists, KnowledgeBaseKey, Passage, PassageFilter, passage_id_at
from cicada.errors import ConfigurationError
from cicada.languages.terms import stemmed_language
from cicada.retrieval.fusion import CARD_FIELDS, Bm25
from cicada.retrieval.model import (
    CardHit,
    CardHits,
    CardQuery,
    EmbeddedPassage,
    Hit,
    IndexHits,
    IndexQuery,
    Vector,
    card_texts,
)
from cicada_embedded.file import IndexFile, delete_rows
from cicada_embedded.snapshots import PASSAGE_FIELDS, Snapshot, Snapshots, readable
from cicada_embedded.texts import Found, Texts, term_bytes

BM25 = Bm25()
_PASSAGE = "SELECT passage.number, document_id, passage_id, metadata, readers, body FROM passage "
_INSERT_PASSAGE = "INSERT INTO passage VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_OF_DOCUMENT = "JOIN document ON document.number = document "
_OF_BASE = "base IN (SELECT number FROM base WHERE tenant = ? AND knowledge_base = ?) "


class SqlitePassageIndex:
    """Any number of processes and threads read while one writes; the next search sees all of a write.

    `model_id` and `dimension` name the embedder; a file of another embedder is refused at first use. `build` names the
    file of a rebuild, None for the live index. Writes to the live index go to both.
    """

    def __init__(
        self, path: str | Path, model_id: str, dimension: int, *, bm25: Bm25 = BM25, build: str | None = None
    ) -> None:
        self._file = IndexFile(Path(path), model_id, dimension)
        self._dimension = dimension
        self._bm25 = bm25
        self._snapshots = Snapshots(dimension)
        self._build = build

    def search(self, query: IndexQuery) -> IndexHits:
        weights = [self._bm25.fields.get(field, 0.0) for field in PASSAGE_FIELDS]
        with self._reading(query.filter.base_key) as (connection, base):
            ranked = self._ranked(base, base.passages, query, weights)
            found = _passages(connection, query.filter.base_key, {number for each in ranked for number, _ in each})
        return IndexHits(*(tuple(Hit(found[number], score) for number, score in each) for each in ranked))

    def find_cards(self, query: CardQuery) -> CardHits:
        with self._reading(query.filter.base_key) as (connection, base):
            ranked = self._ranked(base, base.cards, query, list(CARD_FIELDS.values()))
            rows = _with_cards(connection, base, {number for each in ranked for number, _ in each})
        return CardHits(*(tuple(CardHit(rows[number], score) for number, score in each) for each in ranked))

    def _ranked(
        self, base: Snapshot, texts: Texts, query: IndexQuery | CardQuery, weights: Sequence[float]
    ) -> tuple[Found, Found]:
        """The best of `texts` by BM25 and by their vectors; none by vectors for a query without one."""
        shown, seen = base.shown(texts, query.filter), readable(texts, query.filter)
        lexical = texts.lexical(query.text, seen, shown, query.limit, self._bm25, weights)
        return lexical, texts.semantic(self._unit(query.vector), shown, query.limit) if len(query.vector) else []

    def replace(
        self,
        document: DocumentKey,
        passages: Sequence[EmbeddedPassage],
        row: DocumentRow | None = None,
        card_vector: Vector = (),
    ) -> None:
        row = row or row_of([each.passage for each in passages])
        described = self._unit(card_vector).tobytes() if len(card_vector) else b""
        stored = [_stored(each.passage, self._unit(each.vector).tobytes()) for each in passages]
        with self._file.writing(self._build) as connections:
            for connection in connections:
                base = _removed(connection, document)
                if row and stored:
                    number = _insert_document(connection, base, row, described)
                    connection.executemany(_INSERT_PASSAGE, [(number, *values) for values in stored])

    def delete(self, document: DocumentKey) -> None:
        self.replace(document, ())

    def count(self, filter: PassageFilter) -> int:
        with self._reading(filter.base_key) as (_, base):
            return int(np.count_nonzero(base.shown(base.passages, filter)))

    def passages_with(self, filter: PassageFilter, terms: Sequence[str]) -> Mapping[str, int]:
        with self._reading(filter.base_key) as (_, base):
            seen = readable(base.passages, filter)
            return {term: base.passages.holding(term, seen) for term in terms}

    def row(self, document: DocumentKey) -> DocumentRow | None:
        with self._file.reading(self._build) as (connection, _):
            found = connection.execute(
                f"SELECT row, card FROM document WHERE {_OF_BASE} AND document_id = ?",  # noqa: S608 - a constant
                (*_named(document.base_key), document.document_id),
            ).fetchone()
        return row_from_json(found[0], document, found[1]) if found else None

    def rows(self, filter: PassageFilter, sort: Sort, limit: int, offset: int = 0) -> RowPage:
        with self._reading(filter.base_key) as (connection, base):
            ordered = sorted_rows(base.matching(filter), sort)
            page = ordered[offset : offset + limit]
            shown = {row.document for row in page}
            numbers = [number for number, row in base.documents.items() if row.document in shown]
            cards = {row.document: row for row in _with_cards(connection, base, numbers).values()}
        end = offset + len(page)
        next_offset = end if page and end < len(ordered) else None
        return RowPage(tuple(cards[row.document] for row in page), len(ordered), next_offset)

    def count_documents(self, filter: PassageFilter) -> int:
        with self._reading(filter.base_key) as (_, base):
            return len(base.matching(filter))

    def vectors(self) -> Mapping[str, str]:
        return {}

    def aggregate(
        self,
        filter: PassageFilter,
        aggregates: Sequence[Aggregate],
        group: Sequence[str] = (),
        sort: Sort | None = None,
        limit: int = MOST_GROUPS,
    ) -> Aggregation:
        with self._reading(filter.base_key) as (_, base):
            rows = base.matching(filter)
        return aggregated(rows, aggregates, group, sort, limit)

    def records(self, filter: PassageFilter) -> tuple[DocumentRow, ...]:
        wanted = replace(filter, conditions=(*filter.conditions, Exists(ROW)))
        with self._reading(filter.base_key) as (connection, base):
            numbers = base.passages.numbers[base.shown(base.passages, wanted)]
            found = _passages(connection, filter.base_key, map(int, numbers))
        return tuple(record_of(each) for each in sorted(found.values(), key=lambda each: each.passage_id))

    def copies_of(self, document: DocumentKey, content_hash: str) -> tuple[str, ...]:
        with self._reading(document.base_key) as (_, base):
            rows = base.documents.values() if content_hash else ()
        same = {row.document.document_id for row in rows if row.content_hash == content_hash}
        return tuple(sorted(same - {document.document_id}))

    def readers_of(self, base_key: KnowledgeBaseKey, document_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        wanted = set(document_ids)
        with self._reading(base_key) as (_, base):
            rows = [row for row in base.documents.values() if row.document.document_id in wanted]
        return {row.document.document_id: row.readers for row in rows}

    def passages_of(self, document: DocumentKey, numbers: range | None = None) -> tuple[Passage, ...]:
        bounds = () if numbers is None else (numbers.start, numbers.stop)
        within = [passage_id_at(document.document_id, each) for each in bounds]
        among = "AND passage_id >= ? AND passage_id < ? " if within else ""
        with self._file.reading(self._build) as (connection, _):
            rows = connection.execute(
                f"{_PASSAGE} {_OF_DOCUMENT} WHERE {_OF_BASE} AND document_id = ? {among}ORDER BY passage_id",
                (*_named(document.base_key), document.document_id, *within),
            )
            return tuple(_passage(document.base_key, *row[1:]) for row in rows)

    def vectors_of(self, base_key: KnowledgeBaseKey, passage_ids: Sequence[str]) -> Mapping[str, Vector]:
        with self._file.reading(self._build) as (connection, _):
            rows = connection.execute(
                f"SELECT passage_id, passage.vector FROM passage {_OF_DOCUMENT} "  # noqa: S608 - constants
                f"WHERE passage_id IN (SELECT value FROM json_each(?)) AND {_OF_BASE}",
                (json.dumps(list(passage_ids)), *_named(base_key)),
            )
            return {passage_id: memoryview(vector).cast("f") for passage_id, vector in rows}

    @contextmanager
    def _reading(self, base_key: KnowledgeBaseKey) -> Iterator[tuple[sqlite3.Connection, Snapshot]]:
        """A read transaction, and the knowledge base as it sees it; an unknown one is empty."""
        with self._file.reading(self._build) as (connection, file):
            yield connection, self._snapshots.of(connection, file, base_key)

    def _unit(self, vector: Vector) -> NDArray[np.float32]:
        """The vector at length 1 (zeros stay zeros). Raises `ConfigurationError` for another dimension."""
        given = np.asarray(vector, dtype=np.float32)
        if given.shape != (self._dimension,):
            raise ConfigurationError(
                f"The embedder gave a vector of {given.size} dimensions, and the index holds {self._dimension}; "
                "set the embedder's dimension to the index's."
            )
        length = float(np.linalg.norm(given))
        return given / np.float32(length) if length > 0 else given


def _named(base_key: KnowledgeBaseKey) -> tuple[str, str]:
    return base_key.tenant, base_key.knowledge_base


def _removed(connection: sqlite3.Connection, document: DocumentKey) -> int:
    """Delete the document in a new revision of its knowledge base, which is made if missing; returns its number."""
    base = connection.execute(
        "INSERT INTO base (tenant, knowledge_base, revision) VALUES (?, ?, 1) "
        "ON CONFLICT DO UPDATE SET revision = revision + 1 RETURNING number",
        _named(document.base_key),
    ).fetchone()[0]
    delete_rows(connection, "DELETE FROM document WHERE base = ? AND document_id = ?", (base, document.document_id))
    return int(base)


def _insert_document(connection: sqlite3.Connection, base: int, row: DocumentRow, vector: bytes) -> int | None:
    """Returns its number."""
    card: tuple[object, ...] = (None,) * 5
    if row.card:
        language, said = stemmed_language(row.card.language), card_texts(row.card, row.document.document_id)
        card = (card_to_json(row.card), language, *term_bytes(language, [said[field] for field in CARD_FIELDS]), vector)
    return connection.execute(
        "INSERT INTO document VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)",
        (base, row.document.document_id, row_to_json(row), *card),
    ).lastrowid


def _stored(passage: Passage, vector: bytes) -> tuple[object, ...]:
    """The columns of a passage. If the context already contains the title, the title's words count once."""
    language = stemmed_language(passage.language)
    title, context, text = passage.title, passage.context, passage.text
    words = "\n".join((text, context) if title in context else (text, context, title))
    body = (passage.version, title, text, context, locator_values(passage.locator), passage.language)
    return (
        passage.passage_id,
        metadata_to_json(passage.metadata),
        readers_to_json(passage.readers),
        language,
        *term_bytes(language, (words, title, context)),
        vector,
        json.dumps(body, ensure_ascii=False),
    )


def _passages(connection: sqlite3.Connection, base_key: KnowledgeBaseKey, numbers: Iterable[int]) -> dict[int, Passage]:
    rows = connection.execute(
        f"{_PASSAGE} {_OF_DOCUMENT} WHERE passage.number IN (SELECT value FROM json_each(?))",  # noqa: S608 - constants
        (json.dumps(list(numbers)),),
    )
    return {row[0]: _passage(base_key, *row[1:]) for row in rows}


def _passage(
    base_key: KnowledgeBaseKey, document_id: str, passage_id: str, metadata: str, readers: str, body: str
) -> Passage:
    version, title, text, context, locator, language = json.loads(body)
    return Passage(
        passage_id=passage_id,
        document=DocumentKey(base_key, document_id),
        version=version,
        title=title,
        text=text,
        context=context,
        locator=locator_of(locator),
        language=language,
        metadata=metadata_from_json(metadata),
        readers=readers_from_json(readers),
    )


def _with_cards(connection: sqlite3.Connection, base: Snapshot, numbers: Iterable[int]) -> dict[int, DocumentRow]:
    """The rows of these documents with their cards."""
    rows = connection.execute(
        "SELECT number, row, card FROM document WHERE number IN (SELECT value FROM json_each(?))",
        (json.dumps(list(numbers)),),
    )
    return {number: row_from_json(row, base.documents[number].document, card) for number, row, card in rows}
