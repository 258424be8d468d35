"""What a search says while it lasts, to whoever waits for it.

The index and the rerankers serve all requests of a container and are called deep below the answer that waits, so they
do not know whom to tell: who waits says so for his own thread of work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, str | None], object]


def _nobody(stage: str, detail: str | None) -> None:
    """Where nobody listens, nothing is said."""


_listener: ContextVar[Listener] = ContextVar("search_progress", default=_nobody)


@contextmanager
def progress_told_to(listener: Listener) -> Iterator[None]:
    """Inside, in this thread, `listener` is told each stage and its detail at the moment in which it begins."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report_progress(stage: str, detail: str | None = None) -> None:
    """A slow step begins. `stage` is one of the protocol's, such as `ranking`; `detail` is for people."""
    _listener.get()(stage, detail)
