"""The semantic lane: exact kNN by cosine over a collection's vectors, which each process keeps in memory."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cicada.adapters.sqlite.filters import CollectionState
from cicada.adapters.sqlite.kept import KeptCollections, all_numbers, best_places
from cicada.errors import ConfigurationError
from cicada.retrieval.model import Vector


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
        empty = _Matrix(-1, np.empty(0, np.int64), np.empty((0, dimension), np.float32))
        self._kept = KeptCollections(empty, self._refreshed)

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
        allowed: NDArray[np.int64] | None,
        limit: int,
    ) -> list[tuple[int, float]]:
        """Numbers and cosines of the nearest passages, in falling order; `allowed` None is the whole collection."""
        matrix = self._kept.of(connection, collection)
        numbers, vectors = matrix.numbers, matrix.vectors
        if allowed is not None:
            rows = np.searchsorted(numbers, allowed)
            # Reading rows here and there costs several times as much as reading all in a line.
            is_narrow = len(rows) * 5 < len(numbers)
            numbers, scores = numbers[rows], vectors[rows] @ query if is_narrow else (vectors @ query)[rows]
        else:
            scores = vectors @ query
        best = best_places(numbers, scores, limit)
        return list(zip(numbers[best].tolist(), scores[best].tolist(), strict=True))

    def _refreshed(self, connection: sqlite3.Connection, collection: CollectionState, old: _Matrix) -> _Matrix:
        """Only new vectors are read: a passage never changes, and a new one has a higher number than all before."""
        last = int(old.numbers[-1]) if len(old.numbers) else 0
        numbers = all_numbers(connection, collection.number)
        kept = np.isin(old.numbers, numbers, assume_unique=True)
        added = connection.execute(
            # The plus sign has SQLite begin at the last number, and not go through the whole collection.
            "SELECT vector FROM passage JOIN vector USING (number) WHERE number > ? AND +collection = ? "
            "ORDER BY number",
            (last, collection.number),
        ).fetchall()
        new = np.frombuffer(b"".join(vector for (vector,) in added), np.float32).reshape(-1, self._dimension)
        return _Matrix(collection.revision, numbers, np.concatenate([old.vectors[kept], new]))
