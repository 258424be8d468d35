"""Progress of a search, reported to the answer that waits for it.

One index and one reranker serve all requests of a container, so they cannot hold a request's listener: it is kept in
a context variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from cicada.telemetry import ignore

Listener = Callable[[str, str | None], object]


_listener: ContextVar[Listener] = ContextVar("search_progress", default=ignore)


@contextmanager
def reporting_progress_to(listener: Listener) -> Iterator[None]:
    """Inside, in this context, `listener` is called with each stage and its detail when the stage begins."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report_progress(stage: str, detail: str | None = None) -> None:
    """Report the start of a slow step. `stage` is one of the protocol's, such as `ranking`; `detail` is for people."""
    _listener.get()(stage, detail)
