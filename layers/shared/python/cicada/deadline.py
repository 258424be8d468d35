"""How long an answer may still take.

One client and one index serve all requests of a container, so they cannot hold a request's deadline: it is kept in a
context variable.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from msgspec import Struct

from cicada.errors import OutOfTimeError


class Deadline(Struct, frozen=True):
    """A moment of `clock`, in seconds."""

    at: float
    clock: Callable[[], float]

    @classmethod
    def in_seconds(cls, seconds: float, clock: Callable[[], float]) -> Deadline:
        return cls(clock() + seconds, clock)

    @property
    def seconds_left(self) -> float:
        return self.at - self.clock()


_deadline: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def ending_by(deadline: Deadline) -> Iterator[None]:
    """Inside, in this context, this deadline holds, unless an earlier one does already."""
    token = _deadline.set(deadline if deadline.seconds_left < seconds_left() else _deadline.get())
    try:
        yield
    finally:
        _deadline.reset(token)


def seconds_left() -> float:
    """Seconds until the deadline of this context; infinite without one."""
    deadline = _deadline.get()
    return math.inf if deadline is None else deadline.seconds_left


def check_time() -> None:
    """Raises `OutOfTimeError` after the deadline."""
    if seconds_left() <= 0:
        raise OutOfTimeError("The answer took longer than it may; ask again, or ask for less at once.")
