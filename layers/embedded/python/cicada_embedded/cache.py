"""A process's in-memory cache of knowledge bases, refreshed when another process has written to one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from cicada_embedded.filters import PASSAGES, KnowledgeBaseState, Selection, Tables, hidden_from

# Passages in the cache, over all knowledge bases. Vectors of 384 dimensions of 100,000 passages take
# 154 MB (4 bytes a number); their words take memory too.
MAX_CACHED = 400_000
# The size that an empty knowledge base counts as, so that the number of entries is limited too.
_LEAST = 100


class Versioned(Protocol):
    @property
    def revision(self) -> int: ...

    @property
    def size(self) -> int:
        """Passages."""
        ...


K = TypeVar("K", bound=Versioned)


class KnowledgeBaseCache(Generic[K]):
    """Thread-safe. `refreshed` brings an entry up to the revision that the transaction sees.

    When the entries have more than `MAX_CACHED` passages together, the least recently searched are evicted. The
    knowledge base that is being searched stays, whatever its size.
    """

    def __init__(self, empty: K, refreshed: Callable[[sqlite3.Connection, KnowledgeBaseState, K], K]) -> None:
        self._empty = empty
        self._refreshed = refreshed
        self._entries: dict[tuple[str, int], K] = {}
        self._lock = Lock()

    def of(self, connection: sqlite3.Connection, state: KnowledgeBaseState) -> K:
        key = (state.identity, state.number)
        with self._lock:
            entry = self._entries.pop(key, self._empty)
            if entry.revision < state.revision:
                entry = self._refreshed(connection, state, entry)
            self._entries[key] = entry  # Last in the dict: the first entry is the least recently used one.
            while len(self._entries) > 1 and self._size() > MAX_CACHED:
                del self._entries[next(iter(self._entries))]
            if entry.revision > state.revision:
                # Another thread's transaction began after this one; its entry is the one to keep.
                return self._refreshed(connection, state, self._empty)
            return entry

    def _size(self) -> int:
        return sum(max(_LEAST, entry.size) for entry in self._entries.values())


class Selected(Struct, frozen=True):
    """The passages that a search may return: those in `numbers`, in ascending order.

    `is_excluding`: all passages of the knowledge base except those.
    """

    numbers: NDArray[np.int64]
    is_excluding: bool

    def among(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """A mask: which of these numbers are selected. They must be unique and of this knowledge base."""
        return np.isin(numbers, self.numbers, assume_unique=True, invert=self.is_excluding)


def all_numbers(connection: sqlite3.Connection, base_number: int, tables: Tables) -> NDArray[np.int64]:
    """Numbers of the knowledge base's passages or documents, ascending."""
    return _numbers(connection, f"SELECT number FROM {tables.rows} WHERE collection = ?", (base_number,))  # noqa: S608 - a constant


def selected_numbers(connection: sqlite3.Connection, selection: Selection) -> Selected:
    """The selected passages, or the hidden ones if these are listed: that list is usually the shorter one."""
    listing = selection.hidden or selection.shown
    return Selected(_numbers(connection, listing.sql, listing.values), listing is selection.hidden)


def hidden_numbers(
    connection: sqlite3.Connection, state: KnowledgeBaseState, reader: frozenset[str] | None, tables: Tables = PASSAGES
) -> NDArray[np.int64]:
    """Numbers of the passages or documents that this user may not read."""
    listing = hidden_from(state, reader, tables) if state.has_restricted else None
    return _numbers(connection, listing.sql, listing.values) if listing else np.empty(0, np.int64)


def batches(rows: sqlite3.Cursor, size: int) -> Iterator[list[Any]]:
    """The rows in lists of at most `size`. Those of a million passages at once would take gigabytes."""
    while batch := rows.fetchmany(size):
        yield batch


def best_rows(numbers: NDArray[np.int64], scores: NDArray[np.floating[Any]], limit: int) -> NDArray[np.intp]:
    """Indices of the `limit` highest scores; ties go to the lower number."""
    if len(scores) > limit:
        # With ties for the lowest score, these may be more than `limit`.
        rows = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
    else:
        rows = np.arange(len(scores))
    return rows[np.lexsort((numbers[rows], -scores[rows]))[:limit]]


def _numbers(connection: sqlite3.Connection, sql: str, values: tuple[int | float | str, ...]) -> NDArray[np.int64]:
    # Fetched as one text: fetching 100,000 rows one by one takes five times as long.
    listing = f"SELECT group_concat(number) FROM ({sql})"  # noqa: S608 - made of constants; values are bound
    text = connection.execute(listing, values).fetchone()[0]
    found = np.fromstring(text, np.int64, sep=",") if text else np.empty(0, np.int64)
    found.sort()
    return found
