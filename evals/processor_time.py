"""How much processor time a piece of work takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median


def median_ms(work: Callable[[], object], times: int = 60) -> float:
    """The median processor time of this thread in milliseconds; the first time is not counted."""
    work()
    taken = []
    for _ in range(times):
        began = time.thread_time()
        work()
        taken.append((time.thread_time() - began) * 1000)
    return round(median(taken), 2)
