"""The lexical lane: BM25 by FTS5, one table of words for each collection.

A table of its own gives a collection its own statistics, keeps its speed independent of other tenants' passages, and
leaves no query that could reach them. Words are stemmed as English (Porter); other languages lose no match by it, for
the query's words are stemmed alike.
"""

# ruff: noqa: S608 - the only thing put into a statement's text is the collection's number, an integer of ours.

from __future__ import annotations

import sqlite3

from cicada.adapters.sqlite.filters import Selection
from cicada.documents.model import Passage
from cicada.retrieval.terms import query_terms, with_spaced_pairs

# The context counts once as part of the text and a quarter for itself. k1 = 1.2 and b = 0.75 are FTS5's own.
_CONTEXT_WEIGHT, _TEXT_WEIGHT = 1.25, 1.0


def make_words(connection: sqlite3.Connection, collection: int) -> None:
    connection.execute(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS words_{collection} "
        "USING fts5(context, text, tokenize = 'porter unicode61 remove_diacritics 2')"
    )


def add_words(connection: sqlite3.Connection, collection: int, number: int, passage: Passage) -> None:
    connection.execute(
        f"INSERT INTO words_{collection} (rowid, context, text) VALUES (?, ?, ?)",
        (number, with_spaced_pairs(passage.context), with_spaced_pairs(passage.text)),
    )


def remove_words(connection: sqlite3.Connection, collection: int, document_id: str) -> None:
    connection.execute(
        f"DELETE FROM words_{collection} WHERE rowid IN "
        "(SELECT number FROM passage WHERE collection = ? AND document_id = ?)",
        (collection, document_id),
    )


def lexical_lane(
    connection: sqlite3.Connection, collection: int, text: str, selected: Selection, limit: int
) -> list[tuple[int, float]]:
    """Numbers and BM25 scores of the best passages, in falling order; none for a text without words."""
    # Quoted, a term is only ever text to FTS5: no operator, no column, no prefix.
    match = " OR ".join(f'"{term}"' for term in query_terms(text))
    if not match:
        return []
    values: tuple[int | str | float, ...] = (_CONTEXT_WEIGHT, _TEXT_WEIGHT, match)
    # The plus sign keeps SQLite from asking FTS5 once for each number that is allowed.
    allowed = "" if selected.is_whole_collection else f"AND +rowid IN ({selected.sql})"
    if allowed:
        values += selected.values
    return connection.execute(
        f"SELECT rowid, -bm25(words_{collection}, ?, ?) AS score FROM words_{collection} "
        f"WHERE words_{collection} MATCH ? {allowed} ORDER BY score DESC, rowid LIMIT ?",
        (*values, limit),
    ).fetchall()
