"""An AWS client whose calls wait no longer than the answer may still take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cicada.deadline import check_time, seconds_left

# A timeout belongs to a client, and a client takes a while to make: near a deadline, one of these is used.
_SHORTER_SECONDS = (1, 2, 3, 5, 10, 20, 40)


class TimelyClient:
    """Has the methods of the clients that `make` returns for a read timeout in seconds.

    Calls wait for `longest_seconds` at most; near the deadline of their context less, and after it none is made:
    `OutOfTimeError`.
    """

    def __init__(self, make: Callable[[float], Any], longest_seconds: float) -> None:
        self._make = make
        self._longest = longest_seconds
        self._made = {longest_seconds: make(longest_seconds)}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._for(seconds_left()), name)

    def _for(self, left: float) -> Any:
        if left >= self._longest:
            return self._made[self._longest]
        check_time()
        seconds = max((each for each in _SHORTER_SECONDS if each <= left), default=1)
        if seconds not in self._made:
            self._made[seconds] = self._make(seconds)
        return self._made[seconds]
