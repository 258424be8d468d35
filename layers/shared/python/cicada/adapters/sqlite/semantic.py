"""The semantic lane: exact kNN by cosine over a collection's vectors, which each process keeps in memory."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from cicada.adapters.sqlite.filters import CollectionState, Selection
from cicada.errors import ConfigurationError
from cicada.retrieval.model import Vector

# Collections of which a process keeps the vectors; 100,000 passages of 384 dimensions take 154 MB.
MAX_KEPT = 8


@dataclass(frozen=True, slots=True)
class _Matrix:
    """`vectors[i]` is the unit vector of passage `numbers[i]`; numbers rise."""

    revision: int
    numbers: NDArray[np.int64]
    vectors: NDArray[np.float32]


class SemanticLane:
    """Safe to share between threads; follows what other processes write."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._kept: dict[tuple[str, int], _Matrix] = {}
        self._lock = Lock()

    def unit(self, vector: Vector) -> NDArray[np.float32]:
        """The vector at length 1 (a vector of zeros stays one). Raises `ConfigurationError` for another dimension."""
        given = np.asarray(vector, dtype=np.float32)
        if given.shape != (self._dimension,):
            raise ConfigurationError(
                f"The embedder gave a vector of {given.size} dimensions, and the index holds {self._dimension}; "
                "set the embedder's dimension to the index's."
            )
        length = float(np.linalg.norm(given))
        return given / np.float32(length) if length > 0 else given

    def search(
        self,
        connection: sqlite3.Connection,
        collection: CollectionState,
        query: NDArray[np.float32],
        selected: Selection,
        limit: int,
    ) -> list[tuple[int, float]]:
        """Numbers and cosines of the nearest passages, in falling order."""
        matrix = self._matrix(connection, collection)
        numbers, scores = matrix.numbers, matrix.vectors @ query
        if not selected.is_whole_collection:
            rows = np.searchsorted(numbers, _numbers(connection, selected.sql, selected.values))
            numbers, scores = numbers[rows], scores[rows]
        best = _best(numbers, scores, limit)
        return list(zip(numbers[best].tolist(), scores[best].tolist(), strict=True))

    def _matrix(self, connection: sqlite3.Connection, collection: CollectionState) -> _Matrix:
        key = (collection.identity, collection.number)
        with self._lock:
            matrix = self._kept.pop(key, None) or self._empty()
            if matrix.revision > collection.revision:  # Another thread's transaction began after this one.
                matrix = self._empty()
            if matrix.revision < collection.revision:
                matrix = self._refreshed(connection, collection, matrix)
            self._kept[key] = matrix  # At the end: the first one is the one least lately used.
            if len(self._kept) > MAX_KEPT:
                del self._kept[next(iter(self._kept))]
            return matrix

    def _empty(self) -> _Matrix:
        return _Matrix(-1, np.empty(0, np.int64), np.empty((0, self._dimension), np.float32))

    def _refreshed(self, connection: sqlite3.Connection, collection: CollectionState, old: _Matrix) -> _Matrix:
        """Only new vectors are read: a passage never changes, and a new one has a higher number than all before."""
        last = int(old.numbers[-1]) if len(old.numbers) else 0
        numbers = _numbers(connection, "SELECT number FROM passage WHERE collection = ?", (collection.number,))
        kept = np.isin(old.numbers, numbers, assume_unique=True)
        added = connection.execute(
            # The plus sign has SQLite begin at the last number, and not go through the whole collection.
            "SELECT vector FROM passage JOIN vector USING (number) WHERE number > ? AND +collection = ? "
            "ORDER BY number",
            (last, collection.number),
        ).fetchall()
        new = np.frombuffer(b"".join(vector for (vector,) in added), np.float32).reshape(-1, self._dimension)
        return _Matrix(collection.revision, numbers, np.concatenate([old.vectors[kept], new]))


def _numbers(connection: sqlite3.Connection, sql: str, values: tuple[int | str, ...]) -> NDArray[np.int64]:
    found = np.fromiter((number for (number,) in connection.execute(sql, values)), np.int64)
    found.sort()
    return found


def _best(numbers: NDArray[np.int64], scores: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
    """Places of the `limit` highest scores; of equal scores, the lower number first."""
    places = np.argpartition(-scores, limit - 1)[:limit] if len(scores) > limit else np.arange(len(scores))
    return places[np.lexsort((numbers[places], -scores[places]))]
