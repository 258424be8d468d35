"""The semantic retriever: exact kNN by cosine over a knowledge base's vectors, which each process caches in memory."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cicada.errors import ConfigurationError
from cicada.retrieval.model import Vector
from cicada_embedded.cache import KnowledgeBaseCache, Selected, all_numbers, batches, best_rows
from cicada_embedded.filters import KnowledgeBaseState

# Vectors read at once.
BATCH_SIZE = 10_000


@dataclass(frozen=True, slots=True)
class _Matrix:
    """`vectors[i]` is the unit vector of passage `numbers[i]`; numbers are ascending."""

    revision: int
    numbers: NDArray[np.int64]
    vectors: NDArray[np.float32]

    @property
    def size(self) -> int:
        return len(self.numbers)


class SemanticRetriever:
    """Thread-safe; sees what other processes write."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        empty = _Matrix(-1, np.empty(0, np.int64), np.empty((0, dimension), np.float32))
        self._cache = KnowledgeBaseCache(empty, self._refreshed)

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
        numbers, vectors = matrix.numbers, matrix.vectors
        # Picking scattered rows costs several times as much per row as reading all of them in sequence.
        if not allowed.is_excluding and len(allowed.numbers) * 5 < len(numbers):
            rows = np.searchsorted(numbers, allowed.numbers)
            numbers, scores = numbers[rows], vectors[rows] @ query
        else:
            shown = allowed.among(numbers)
            numbers, scores = numbers[shown], (vectors @ query)[shown]
        best = best_rows(numbers, scores, limit)
        return list(zip(numbers[best].tolist(), scores[best].tolist(), strict=True))

    def _refreshed(self, connection: sqlite3.Connection, state: KnowledgeBaseState, old: _Matrix) -> _Matrix:
        """Reads new vectors only: a passage never changes, and a new one has a higher number than all before."""
        last = int(old.numbers[-1]) if len(old.numbers) else 0
        numbers = all_numbers(connection, state.number)
        kept = np.isin(old.numbers, numbers, assume_unique=True)
        count = int(np.count_nonzero(kept))
        vectors = np.empty((len(numbers), self._dimension), np.float32)
        np.compress(kept, old.vectors, axis=0, out=vectors[:count])
        for added in batches(
            connection.execute(
                # The plus sign makes SQLite start at the last number instead of scanning the whole knowledge base.
                "SELECT vector FROM passage JOIN vector USING (number) WHERE number > ? AND +collection = ? "
                "ORDER BY number",
                (last, state.number),
            ),
            BATCH_SIZE,
        ):
            new = np.frombuffer(b"".join(vector for (vector,) in added), np.float32).reshape(-1, self._dimension)
            vectors[count : count + len(new)] = new
            count += len(new)
        return _Matrix(state.revision, numbers, vectors)
