"""The semantic retriever: exact kNN by cosine over a knowledge base's vectors, which each process caches in memory."""

from __future__ import annotations

import sqlite3

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from cicada.errors import ConfigurationError
from cicada.retrieval.model import Vector
from cicada_embedded.cache import KnowledgeBaseCache, Selected, all_numbers, batches, best_rows
from cicada_embedded.filters import PASSAGES, KnowledgeBaseState, Tables
from cicada_embedded.vectors import Floats, Vectors, empty

# Vectors read at once.
BATCH_SIZE = 10_000


class _Matrix(Struct, frozen=True):
    """Unit vectors, with a mask of those that the knowledge base still has. `last`: the highest number read."""

    revision: int
    last: int
    rows: Vectors
    is_alive: NDArray[np.bool_]

    @property
    def size(self) -> int:
        return self.rows.size


class SemanticRetriever:
    """Thread-safe; sees what other processes write."""

    def __init__(self, dimension: int, tables: Tables = PASSAGES) -> None:
        self._dimension = dimension
        self._tables = tables
        nothing = _Matrix(-1, 0, empty(dimension), np.empty(0, np.bool_))
        self._cache = KnowledgeBaseCache(nothing, self._refreshed)

    def unit(self, vector: Vector) -> NDArray[np.float32]:
        """The vector at length 1 (zeros stay zeros). Raises `ConfigurationError` for another dimension."""
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
        state: KnowledgeBaseState,
        query: NDArray[np.float32],
        allowed: Selected,
        limit: int,
    ) -> list[tuple[int, float]]:
        """Numbers and cosines of the nearest passages, nearest first."""
        matrix = self._cache.of(connection, state)
        numbers, vectors = matrix.rows.numbers, matrix.rows.vectors
        # Picking scattered rows costs several times as much per row as reading all of them in sequence.
        if not allowed.is_excluding and len(allowed.numbers) * 5 < len(numbers):
            # A document without a card has no vector.
            having = allowed.numbers[np.isin(allowed.numbers, numbers, assume_unique=True)]
            rows = np.searchsorted(numbers, having)
            scores = vectors[rows] @ query
        else:
            rows = np.flatnonzero(allowed.among(numbers) & matrix.is_alive)
            scores = (vectors @ query)[rows]
        rows = rows[best_rows(numbers[rows], scores, limit)]
        cosines = _cosines(vectors[rows], query)
        best = best_rows(numbers[rows], cosines, limit)
        return list(zip(numbers[rows[best]].tolist(), cosines[best].tolist(), strict=True))

    def _refreshed(self, connection: sqlite3.Connection, state: KnowledgeBaseState, old: _Matrix) -> _Matrix:
        """Reads new vectors only: what a number stands for never changes, and a new one is higher than all before."""
        numbers = all_numbers(connection, state.number, self._tables)
        kept = np.isin(old.rows.numbers, numbers, assume_unique=True)
        added = len(numbers) - int(np.searchsorted(numbers, old.last, side="right"))
        # A few dead rows cost less than a copy of all others.
        is_sparse = np.count_nonzero(kept) * 2 < len(kept)
        rows = old.rows.only(kept, added) if is_sparse else old.rows.with_room(added)
        rows = self._read(connection, state.number, old.last, rows)
        is_alive = np.isin(rows.numbers, numbers, assume_unique=True)
        return _Matrix(state.revision, max(old.last, int(numbers[-1]) if len(numbers) else 0), rows, is_alive)

    def _read(self, connection: sqlite3.Connection, base_number: int, last: int, rows: Vectors) -> Vectors:
        """`rows` with the vectors of all numbers above `last`."""
        found = connection.execute(
            # The plus sign makes SQLite start at the last number instead of scanning the whole knowledge base.
            f"SELECT number, vector FROM {self._tables.rows} JOIN {self._tables.vectors} USING (number) "  # noqa: S608 - made of constants; values are bound
            "WHERE number > ? AND +collection = ? ORDER BY number",
            (last, base_number),
        )
        for batch in batches(found, BATCH_SIZE):
            numbers = np.array([number for number, _ in batch], np.int64)
            vectors = np.frombuffer(b"".join(vector for _, vector in batch), np.float32)
            rows = rows.appended(numbers, vectors.reshape(-1, self._dimension))
        return rows


def _cosines(vectors: Floats, query: Floats) -> NDArray[np.float64]:
    """Each row's product on its own: the last digits of a matrix product depend on the rows around it."""
    return np.asarray((vectors.astype(np.float64) * query).sum(axis=1), np.float64)
