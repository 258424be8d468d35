"""Retries of idempotent calls."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from cicada.errors import ThrottledError, UnavailableError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Retry:
    """Exponential back-off with full jitter: before try n + 1, between 0 and min(cap, base · 2ⁿ⁻¹) seconds.

    `sleep` takes seconds, `chance` returns 0 to 1, `clock` seconds. `attempts` includes the first try; no try begins
    later than `within_seconds` after it.
    Source: M. Brooker, Exponential Backoff And Jitter, AWS Architecture Blog, 2015.
    """

    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random
    attempts: int = 3
    base_seconds: float = 0.5
    cap_seconds: float = 8.0
    within_seconds: float = math.inf
    clock: Callable[[], float] = time.monotonic

    def call(self, attempt: Callable[[], T]) -> T:
        """The result of `attempt`. Raises the last try's `ThrottledError` or `UnavailableError`, others at once."""
        until = self.clock() + self.within_seconds
        for failed in range(self.attempts - 1):
            try:
                return attempt()
            except (ThrottledError, UnavailableError):
                pause = self.chance() * min(self.cap_seconds, self.base_seconds * 2**failed)
                if self.clock() + pause >= until:
                    raise
                self.sleep(pause)
        return attempt()


STANDARD = Retry()
