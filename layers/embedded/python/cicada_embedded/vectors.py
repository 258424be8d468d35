"""Vectors in one array, to which more are appended without a copy of those before."""

from __future__ import annotations

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Floats = NDArray[np.float32]


class _Used:
    """How many rows of an array are used, by whichever `Vectors` appended last."""

    def __init__(self) -> None:
        self.rows = 0


class Vectors(Struct, frozen=True):
    """`size` rows: `vectors[i]` belongs to `numbers[i]`; numbers are ascending.

    Appending returns new `Vectors`; those before keep their rows, though they share the array. One thread at a time
    may append.
    """

    room: Numbers
    rows: Floats
    size: int = 0
    used: _Used = field(default_factory=_Used)

    @property
    def numbers(self) -> Numbers:
        return self.room[: self.size]

    @property
    def vectors(self) -> Floats:
        return self.rows[: self.size]

    def with_room(self, added: int) -> Vectors:
        """These rows, in an array that has room for `added` more."""
        if self.used.rows == self.size and self.size + added <= len(self.room):
            return self
        return self.only(np.ones(self.size, np.bool_), added)

    def only(self, kept: NDArray[np.bool_], added: int) -> Vectors:
        """The kept rows in a new array, which has room for `added` more and a quarter of the rows for later ones."""
        size = int(np.count_nonzero(kept))
        made = empty(self.rows.shape[1], size + size // 4 + added)
        np.compress(kept, self.numbers, out=made.room[:size])
        np.compress(kept, self.vectors, axis=0, out=made.rows[:size])
        return made._up_to(size)

    def appended(self, numbers: Numbers, vectors: Floats) -> Vectors:
        """With these rows, for which `with_room` has made room."""
        end = self.size + len(numbers)
        self.room[self.size : end] = numbers
        self.rows[self.size : end] = vectors
        return self._up_to(end)

    def _up_to(self, end: int) -> Vectors:
        self.used.rows = end
        return Vectors(self.room, self.rows, end, self.used)


def empty(dimension: int, room: int = 0) -> Vectors:
    """No rows yet."""
    return Vectors(np.empty(room, np.int64), np.empty((room, dimension), np.float32))
