"""Reports a slow search: a Serverless collection that has scaled to zero needs 10 to 30 seconds to wake up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from threading import Lock, Timer

from cicada.telemetry import ignore

Say = Callable[[], None]


@contextmanager
def waiting(on_wait: Say | None, after_seconds: float) -> Iterator[Say]:
    """Inside, `on_wait` is called at most once: after `after_seconds`, or when the yielded function is called.

    After the timeout it is called from another thread. It is never called after the context has ended.
    """
    if on_wait is None:
        yield ignore
        return
    once = _Once(on_wait)
    # In the request's own context, which holds its progress listener.
    timer = Timer(after_seconds, copy_context().run, (once,))
    timer.daemon = True
    timer.start()
    try:
        yield once
    finally:
        timer.cancel()
        once.end()


class _Once:
    def __init__(self, say: Say) -> None:
        self._say: Say | None = say
        self._lock = Lock()

    def __call__(self) -> None:
        with self._lock:
            say, self._say = self._say, None
            if say:
                say()

    def end(self) -> None:
        with self._lock:
            self._say = None
