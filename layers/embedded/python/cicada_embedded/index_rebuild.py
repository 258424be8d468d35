"""Builds a new index in the file of the live one, so that one transaction writes both or switches them.

Two files and a rename would fail: SQLite finds the log by the file's name, so a process that closes the old file
deletes the new file's log. https://sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from cicada.errors import UnavailableError
from cicada.retrieval.bm25 import Bm25
from cicada_embedded.file import IndexFile, delete_rows
from cicada_embedded.passage_index import BM25, SqlitePassageIndex, live_build, unfinished_build


class SqliteIndexRebuild:
    """During a rebuild the file holds both indexes."""

    def __init__(self, path: str | Path, model_id: str, dimension: int, *, bm25: Bm25 = BM25) -> None:
        self._path = Path(path)
        self._embedder = (model_id, dimension)
        self._bm25 = bm25
        self._file = IndexFile(self._path, model_id, dimension)
        self._given: SqlitePassageIndex | None = None
        self._build: int | None = None

    def begin(self) -> SqlitePassageIndex:
        with self._file.writing() as connection:
            build = _begin_build(connection)
            _drop_unused(connection)
        return self._index_of(build)

    def building(self) -> SqlitePassageIndex | None:
        with self._file.reading() as connection:
            build = unfinished_build(connection)
        return self._index_of(build) if build else None

    def switch(self) -> None:
        """Raises `UnavailableError` if another rebuild has begun since."""
        with self._file.writing() as connection:
            if self._build is None or self._build != unfinished_build(connection):
                raise UnavailableError("The new index is not being built any more; begin again.")
            _switch_build(connection)
        self._end()

    def abandon(self) -> None:
        with self._file.writing() as connection:
            if self._build is not None and self._build == unfinished_build(connection):
                _give_up_build(connection)
        self._end()

    def close(self) -> None:
        """Close the file."""
        self._close_given()
        self._file.close()

    def _index_of(self, build: int) -> SqlitePassageIndex:
        self._close_given()
        self._build = build
        self._given = SqlitePassageIndex(self._path, *self._embedder, bm25=self._bm25, build=build)
        return self._given

    def _end(self) -> None:
        self._build = None
        self._close_given()
        # In its own transaction: deleting takes seconds and must not delay the switch.
        with self._file.writing() as connection:
            _drop_unused(connection)

    def _close_given(self) -> None:
        if self._given:
            self._given.close()
        self._given = None


def _begin_build(connection: sqlite3.Connection) -> int:
    """Start a build and return its number. An unfinished one is abandoned; `_drop_unused` deletes its rows."""
    connection.execute("UPDATE property SET value = value + 1 WHERE name = 'newest'")
    connection.execute("INSERT OR REPLACE INTO property SELECT 'unfinished', value FROM property WHERE name = 'newest'")
    build = unfinished_build(connection)
    assert build is not None  # noqa: S101 - it has just been inserted
    return build


def _switch_build(connection: sqlite3.Connection) -> None:
    """Make the unfinished build the live one."""
    connection.execute(
        "UPDATE property SET value = (SELECT value FROM property WHERE name = 'unfinished') WHERE name = 'live'"
    )
    _give_up_build(connection)


def _give_up_build(connection: sqlite3.Connection) -> None:
    """Abandon the unfinished build, if there is one."""
    connection.execute("DELETE FROM property WHERE name = 'unfinished'")


def _drop_unused(connection: sqlite3.Connection) -> None:
    """Delete the passages and rows of all builds that are neither live nor in progress."""
    unused = "SELECT number FROM collection WHERE build NOT IN (?, ?)"
    live = live_build(connection)
    # Never NULL: `NOT IN` with a NULL selects nothing.
    used = (live, unfinished_build(connection) or live)
    delete_rows(connection, f"DELETE FROM passage WHERE collection IN ({unused})", used)  # noqa: S608 - a constant
    delete_rows(connection, f"DELETE FROM document WHERE collection IN ({unused})", used)  # noqa: S608 - a constant
    delete_rows(connection, f"DELETE FROM collection WHERE number IN ({unused})", used)  # noqa: S608 - a constant
