"""What a process keeps of a collection in memory, and how it follows what other processes write."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from cicada_embedded.filters import KnowledgeBaseState, Selection

# Passages that a process keeps in all: 384 dimensions of 100,000 take 154 MB (4 bytes a number), their words come on
# top.
MAX_CACHED = 400_000
# What an empty collection counts as, so that there is an end to their number too.
_LEAST = 100


class _Dated(Protocol):
    @property
    def revision(self) -> int: ...

    @property
    def size(self) -> int:
        """Passages."""
        ...


K = TypeVar("K", bound=_Dated)


class KnowledgeBaseCache(Generic[K]):
    """Safe to share between threads. `refreshed` gives what is kept at the revision that a transaction sees.

    The knowledge bases least recently searched make way when all have more than `MAX_CACHED` passages; the one that is
    searched is kept whatever its size.
    """

    def __init__(self, empty: K, refreshed: Callable[[sqlite3.Connection, KnowledgeBaseState, K], K]) -> None:
        self._empty = empty
        self._refreshed = refreshed
        self._cache: dict[tuple[str, int], K] = {}
        self._lock = Lock()

    def of(self, connection: sqlite3.Connection, base_key: KnowledgeBaseState) -> K:
        key = (base_key.identity, base_key.number)
        with self._lock:
            cache = self._cache.pop(key, self._empty)
            if cache.revision > base_key.revision:  # Another thread's transaction began after this one.
                cache = self._empty
            if cache.revision < base_key.revision:
                cache = self._refreshed(connection, base_key, cache)
            self._cache[key] = cache  # At the end: the first one is the one least lately used.
            while len(self._cache) > 1 and sum(max(_LEAST, each.size) for each in self._cache.values()) > MAX_CACHED:
                del self._cache[next(iter(self._cache))]
            return cache


@dataclass(frozen=True, slots=True)
class Selected:
    """Passages that may be found: those of `numbers`, which rise.

    `is_excluding`: all of the collection but those.
    """

    numbers: NDArray[np.int64]
    is_excluding: bool

    def among(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these numbers may be found. They are of the collection, and none is there twice."""
        return np.isin(numbers, self.numbers, assume_unique=True, invert=self.is_excluding)


def all_numbers(connection: sqlite3.Connection, base_key: int) -> NDArray[np.int64]:
    """Numbers of the collection's passages, rising."""
    return _numbers(connection, "SELECT number FROM passage WHERE collection = ?", (base_key,))


def selected_numbers(connection: sqlite3.Connection, selection: Selection) -> Selected:
    """The passages that may be found, listed by what is shorter as a rule."""
    listing = selection.hidden or selection.shown
    return Selected(_numbers(connection, listing.sql, listing.values), listing is selection.hidden)


def portions(rows: sqlite3.Cursor, size: int) -> Iterator[list[Any]]:
    """The rows in lists of at most `size`: those of a million passages at once would take gigabytes."""
    while portion := rows.fetchmany(size):
        yield portion


def best_places(numbers: NDArray[np.int64], scores: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
    """Places of the `limit` highest scores; of equal scores, the lower number first."""
    if len(scores) > limit:
        # Of those with the lowest score not all may find room.
        places = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
    else:
        places = np.arange(len(scores))
    return places[np.lexsort((numbers[places], -scores[places]))[:limit]]


def _numbers(connection: sqlite3.Connection, sql: str, values: tuple[int | str, ...]) -> NDArray[np.int64]:
    # As one text: 100,000 rows one by one would take five times as long.
    listing = f"SELECT group_concat(number) FROM ({sql})"  # noqa: S608 - made of constants; values are bound
    text = connection.execute(listing, values).fetchone()[0]
    found = np.fromstring(text, np.int64, sep=",") if text else np.empty(0, np.int64)
    found.sort()
    return found
