"""Ctrl-C while an answer comes: the first cancels the answer, the second ends the command."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def cancelling(cancel: Callable[[], None]) -> Iterator[None]:
    """Within the block the first SIGINT calls `cancel`, which must not block; the second raises KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():  # signals are the main thread's
        yield
        return
    presses = 0

    def handle(_number: int, _frame: FrameType | None) -> None:
        nonlocal presses
        presses += 1
        if presses > 1:
            raise KeyboardInterrupt
        cancel()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
