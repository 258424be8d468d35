"""Retries of idempotent calls, and of Bedrock's streams before their first item."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Generator
from contextlib import closing
from typing import TypeVar

from msgspec import Struct

from cicada.adapters.aws_errors import IncompleteStreamError, bedrock_errors
from cicada.errors import ThrottledError, UnavailableError

T = TypeVar("T")


class Retry(Struct, frozen=True):
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


def retried_stream(start: Callable[[], Generator[T]], retry: Retry) -> Generator[T]:
    """The items of `start()`, which is retried if it fails before its first item. Closing this closes the stream.

    Raises what `bedrock_errors` raises; a stream without any item is `UnavailableError`.
    """
    first, items = retry.call(lambda: _first(start))
    with closing(items):
        yield first
        with bedrock_errors(started=True):
            yield from items


def _first(start: Callable[[], Generator[T]]) -> tuple[T, Generator[T]]:
    with bedrock_errors():
        items = start()
        for item in items:
            return item, items
        raise IncompleteStreamError("The stream held nothing.")
