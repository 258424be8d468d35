"""What a process keeps of a collection in memory, and how it follows what other processes write."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from threading import Lock
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from cicada.adapters.sqlite.filters import CollectionState, Selection

# Collections that a process keeps; 100,000 passages of 384 dimensions take 154 MB, and their words about 60.
MAX_KEPT = 8


class _Dated(Protocol):
    @property
    def revision(self) -> int: ...


K = TypeVar("K", bound=_Dated)


class KeptCollections(Generic[K]):
    """Safe to share between threads. `refreshed` gives what is kept at the revision that a transaction sees."""

    def __init__(self, empty: K, refreshed: Callable[[sqlite3.Connection, CollectionState, K], K]) -> None:
        self._empty = empty
        self._refreshed = refreshed
        self._kept: dict[tuple[str, int], K] = {}
        self._lock = Lock()

    def of(self, connection: sqlite3.Connection, collection: CollectionState) -> K:
        key = (collection.identity, collection.number)
        with self._lock:
            kept = self._kept.pop(key, self._empty)
            if kept.revision > collection.revision:  # Another thread's transaction began after this one.
                kept = self._empty
            if kept.revision < collection.revision:
                kept = self._refreshed(connection, collection, kept)
            self._kept[key] = kept  # At the end: the first one is the one least lately used.
            if len(self._kept) > MAX_KEPT:
                del self._kept[next(iter(self._kept))]
            return kept


def all_numbers(connection: sqlite3.Connection, collection: int) -> NDArray[np.int64]:
    """Numbers of the collection's passages, rising."""
    return _numbers(connection, "SELECT number FROM passage WHERE collection = ?", (collection,))


def selected_numbers(connection: sqlite3.Connection, selected: Selection) -> NDArray[np.int64] | None:
    """Numbers of the passages that may be found, rising; None for the whole collection."""
    if selected.is_whole_collection:
        return None
    return _numbers(connection, selected.sql, selected.values)


def best_places(numbers: NDArray[np.int64], scores: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
    """Places of the `limit` highest scores; of equal scores, the lower number first."""
    places = np.argpartition(-scores, limit - 1)[:limit] if len(scores) > limit else np.arange(len(scores))
    return places[np.lexsort((numbers[places], -scores[places]))]


def _numbers(connection: sqlite3.Connection, sql: str, values: tuple[int | str, ...]) -> NDArray[np.int64]:
    # As one text: 100,000 rows one by one would take five times as long.
    listing = f"SELECT group_concat(number) FROM ({sql})"  # noqa: S608 - made of constants; values are bound
    text = connection.execute(listing, values).fetchone()[0]
    found = np.fromstring(text, np.int64, sep=",") if text else np.empty(0, np.int64)
    found.sort()
    return found
