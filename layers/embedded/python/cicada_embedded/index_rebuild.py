"""Builds a new index in a file of its own, which then takes the place of the live one."""

from __future__ import annotations

from pathlib import Path

from cicada_embedded.file import IndexFile
from cicada_embedded.passage_index import SqlitePassageIndex


class SqliteIndexRebuild:
    """`cicada_embedded.file` says how one file takes the place of the other."""

    def __init__(self, path: str | Path, model_id: str, dimension: int) -> None:
        self._embedder = (model_id, dimension)
        self._path = Path(path)
        self._file = IndexFile(self._path, model_id, dimension)
        self._build: str | None = None

    def begin(self) -> SqlitePassageIndex:
        return self._index_of(self._file.begin())

    def building(self) -> SqlitePassageIndex | None:
        build = self._file.unfinished()
        return self._index_of(build) if build else None

    def switch(self) -> None:
        """Raises `UnavailableError` if another rebuild has begun since."""
        self._file.switch(self._build)
        self._build = None

    def abandon(self) -> None:
        self._file.abandon(self._build)
        self._build = None

    def _index_of(self, build: str) -> SqlitePassageIndex:
        self._build = build
        return SqlitePassageIndex(self._path, *self._embedder, build=build)
