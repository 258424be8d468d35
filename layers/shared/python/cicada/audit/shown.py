"""The documents that the answer in progress shows.

A document is shown where it is cited or listed, and where an agent's search gives the model a passage of it. The
search serves all requests of a container, so it cannot hold them: they are kept in a context variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

from cicada.audit.model import DocumentsShown, Outcome, ShownDocument
from cicada.identity.principal import Principal


class ShownDocuments:
    """Each document once, in the order in which it was first shown. `request`: which attempt at which request shows
    them, for tools that run elsewhere; empty if there is none. Thread-safe.
    """

    def __init__(self, request: str = "") -> None:
        self.request = request
        self._lock = Lock()
        self._new: dict[ShownDocument, None] = {}
        self._taken: dict[ShownDocument, None] = {}

    def note(self, documents: Iterable[ShownDocument]) -> None:
        with self._lock:
            self._new |= dict.fromkeys(each for each in documents if each not in self._taken)

    def take(self) -> tuple[ShownDocument, ...]:
        """Those that were noted since the last call. Call it with each event that is stored."""
        with self._lock:
            new = tuple(self._new)
            self._taken |= self._new
            self._new = {}
            return new

    @property
    def all(self) -> tuple[ShownDocument, ...]:
        """Everything that was noted."""
        with self._lock:
            return (*self._taken, *self._new)


_shown: ContextVar[ShownDocuments | None] = ContextVar("shown", default=None)


@contextmanager
def collecting(shown: ShownDocuments) -> Iterator[None]:
    """Inside, in this context, documents that are shown are noted here."""
    token = _shown.set(shown)
    try:
        yield
    finally:
        _shown.reset(token)


def note_shown(documents: Iterable[ShownDocument]) -> None:
    """The answer in progress shows these documents. Does nothing where no answer is."""
    shown = _shown.get()
    if shown:
        shown.note(documents)


def shown_to(
    user: Principal,
    request_id: str,
    attempt: int,
    outcome: Outcome,
    documents: tuple[ShownDocument, ...],
    now: float,
    knowledge_base: str = "",
) -> DocumentsShown:
    """The record of what an attempt has shown. `knowledge_base`: the one asked, by default that of the documents."""
    return DocumentsShown(
        at=now,
        tenant=user.tenant,
        user=user.user,
        login=user.login,
        request_id=request_id,
        attempt=attempt,
        knowledge_base=knowledge_base or documents[0].knowledge_base,
        outcome=outcome,
        documents=documents,
    )


def shown_by_tool(
    principal: Principal, request: str, documents: tuple[ShownDocument, ...], now: float
) -> DocumentsShown:
    """The record of a tool that ran for a request, in a function that does not answer it."""
    request_id, _, attempt = request.partition("#")
    return shown_to(principal, request_id, int(attempt) if attempt.isdecimal() else 0, "tool", documents, now)


def current_request() -> str:
    """The attempt in progress, as `ShownDocuments.request` names it; empty where there is none."""
    shown = _shown.get()
    return shown.request if shown else ""
