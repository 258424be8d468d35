"""Builds a new index in the file of the live one."""

from __future__ import annotations

from pathlib import Path

from cicada.errors import UnavailableError
from cicada.retrieval.bm25 import Bm25
from cicada_embedded.builds import begin_build, drop_unused, give_up_build, switch_build, unfinished_build
from cicada_embedded.file import IndexFile
from cicada_embedded.passage_index import BM25, SqlitePassageIndex


class SqliteIndexRebuild:
    """During a rebuild the file holds both indexes; afterwards SQLite reuses the free pages."""

    def __init__(self, path: str | Path, model_id: str, dimension: int, *, bm25: Bm25 = BM25) -> None:
        self._path = Path(path)
        self._embedder = (model_id, dimension)
        self._bm25 = bm25
        self._file = IndexFile(self._path, model_id, dimension)
        self._given: SqlitePassageIndex | None = None
        self._build: int | None = None

    def begin(self) -> SqlitePassageIndex:
        with self._file.writing() as connection:
            build = begin_build(connection)
            drop_unused(connection)
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
            switch_build(connection)
        self._end()

    def abandon(self) -> None:
        with self._file.writing() as connection:
            if self._build is not None and self._build == unfinished_build(connection):
                give_up_build(connection)
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
            drop_unused(connection)

    def _close_given(self) -> None:
        if self._given:
            self._given.close()
        self._given = None
