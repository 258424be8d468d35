"""The catalogue: one row for each document, in the transaction that writes its passages."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from cicada.adapters.passage_codec import row_from_json, row_to_json
from cicada.documents.catalogue import TITLE, DocumentRow, RowPage, Sort
from cicada.documents.filter import PassageFilter, Scalar
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada_embedded.conditions import read_value, stored_values
from cicada_embedded.file import delete_rows
from cicada_embedded.filters import DOCUMENTS, KnowledgeBaseState, matching

_MAX_VALUES = 1000


def insert_row(connection: sqlite3.Connection, base_number: int, row: DocumentRow) -> int:
    """Store the document's row and return its number; an earlier row has been removed."""
    number = connection.execute(
        "INSERT INTO document (collection, document_id, title, is_restricted, content_hash, row) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (base_number, row.document.document_id, row.title, bool(row.readers), row.content_hash, row_to_json(row)),
    ).lastrowid
    assert number is not None  # noqa: S101 - an INSERT has just succeeded
    connection.executemany(
        "INSERT OR IGNORE INTO document_attribute VALUES (?, ?, ?, ?, ?)",
        [
            (base_number, name, value, place, number)
            for name, values in row.metadata.items()
            for place, value in enumerate(stored_values(values))
        ],
    )
    connection.executemany(
        "INSERT INTO document_reader VALUES (?, ?, ?)", [(base_number, name, number) for name in set(row.readers)]
    )
    return number


def remove_row(connection: sqlite3.Connection, base_number: int, document_id: str) -> None:
    """An unknown document is no error."""
    delete_rows(connection, "DELETE FROM document WHERE collection = ? AND document_id = ?", (base_number, document_id))


def find_row(connection: sqlite3.Connection, base_number: int, document: DocumentKey) -> DocumentRow | None:
    """None for an unknown document."""
    found = connection.execute(
        "SELECT row, card FROM document LEFT JOIN card USING (number) WHERE collection = ? AND document_id = ?",
        (base_number, document.document_id),
    ).fetchone()
    return row_from_json(found[0], document, found[1]) if found else None


def page_of_rows(
    connection: sqlite3.Connection,
    state: KnowledgeBaseState,
    filter: PassageFilter,
    sort: Sort,
    limit: int,
    offset: int,
) -> RowPage:
    """One page in the order of `sort`; rows without the field come last."""
    found = matching(state, filter, DOCUMENTS)
    total = count_rows(connection, state, filter)
    direction = "DESC" if sort.descending else "ASC"
    rows = connection.execute(
        f"SELECT document_id, row, card FROM document LEFT JOIN card USING (number) WHERE number IN ({found.sql}) "  # noqa: S608 - made of constants; values are bound
        f"ORDER BY {_KEY} IS NULL, {_KEY} {direction}, document_id LIMIT ? OFFSET ?",
        (*found.values, *[sort.field, TITLE, sort.field] * 2, limit, offset),
    ).fetchall()
    page = tuple(row_from_json(row, _key(filter.base_key, document_id), card) for document_id, row, card in rows)
    end = offset + len(page)
    return RowPage(page, total, end if page and end < total else None)


def count_rows(connection: sqlite3.Connection, state: KnowledgeBaseState, filter: PassageFilter) -> int:
    """Number of documents that match."""
    found = matching(state, filter, DOCUMENTS)
    return int(connection.execute(f"SELECT count(*) FROM ({found.sql})", found.values).fetchone()[0])  # noqa: S608 - made of constants; values are bound


def count_rows_by(
    connection: sqlite3.Connection, state: KnowledgeBaseState, filter: PassageFilter, field: str
) -> dict[Scalar, int]:
    """For each value of the field, the number of matching documents, most first."""
    found = matching(state, filter, DOCUMENTS)
    counted = connection.execute(
        "SELECT value, count(*) FROM document_attribute WHERE collection = ? AND name = ? "  # noqa: S608 - made of constants; values are bound
        f"AND number IN ({found.sql}) GROUP BY value ORDER BY count(*) DESC, value LIMIT ?",
        (state.number, field, *found.values, _MAX_VALUES),
    )
    return {read_value(value): int(number) for value, number in counted}


def copies(
    connection: sqlite3.Connection, state: KnowledgeBaseState, document: DocumentKey, content_hash: str
) -> tuple[str, ...]:
    """Ids of the other documents with these bytes."""
    found = connection.execute(
        "SELECT document_id FROM document WHERE collection = ? AND content_hash = ? AND document_id <> ? "
        "ORDER BY document_id",
        (state.number, content_hash, document.document_id),
    )
    return tuple(row[0] for row in found)


def readers_by_document(
    connection: sqlite3.Connection, state: KnowledgeBaseState, base_key: KnowledgeBaseKey, document_ids: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """The readers of each of these documents; unknown ones are left out."""
    found = connection.execute(
        "SELECT document_id, row FROM document "
        "WHERE collection = ? AND document_id IN (SELECT value FROM json_each(?))",
        (state.number, json.dumps([each for each in document_ids if "\0" not in each])),
    )
    return {name: row_from_json(row, DocumentKey(base_key, name)).readers for name, row in found}


# The title or the first value of the field, by which rows are sorted.
_KEY = (
    "(CASE WHEN ? = ? THEN title ELSE (SELECT value FROM document_attribute "
    "WHERE document_attribute.number = document.number AND name = ? ORDER BY place LIMIT 1) END)"
)


def _key(base_key: KnowledgeBaseKey, document_id: str) -> DocumentKey:
    return DocumentKey(base_key, document_id)
