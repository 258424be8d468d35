"""What one answer gathers while it is made: times, tokens, scores, the documents shown, and who follows its progress.

One index, one reranker and one model serve all requests of a container, so they cannot hold what belongs to a request:
it is kept in one object, in a context variable.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Literal

from cicada.observability.audit import ShownDocument, ShownDocuments
from cicada.observability.tracing import span

Phase = Literal["planning", "searching", "routing", "ranking", "judging", "gate", "answering", "agent"]


Listener = Callable[[str, str | None], object]


def ignore(*_observed: object) -> None:
    """Do nothing: the default of every observer."""


class Telemetry:
    """`clock` gives seconds. Phases do not overlap: while an inner one runs, the outer one stands still.

    One thread at a time is in a phase; any thread may read. `shown`: the documents that the answer shows. `listener` is
    called with each stage of a search and its detail when the stage begins.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, shown: ShownDocuments | None = None) -> None:
        self.shown = shown or ShownDocuments()
        self.listener: Listener = ignore
        self._clock = clock
        self._lock = Lock()
        self._seconds: dict[str, float] = {}
        self._open: list[str] = []
        self._since = 0.0
        self._input_tokens = 0
        self._output_tokens = 0
        self._scores: list[float | None] = []
        self._refused_calls = 0
        self._steps: list[str] = []

    @property
    def milliseconds(self) -> dict[str, int]:
        """The time of each phase so far, without phases that did not happen."""
        with self._lock:
            self._credit()
            return {phase: round(seconds * 1000) for phase, seconds in self._seconds.items()}

    @property
    def tokens(self) -> tuple[int, int]:
        """Tokens read and written."""
        with self._lock:
            return self._input_tokens, self._output_tokens

    @property
    def scores(self) -> tuple[float | None, ...]:
        """The quality of the evidence of each search, in order; None where it was not judged."""
        with self._lock:
            return tuple(self._scores)

    @property
    def refused_calls(self) -> int:
        """Calls of models that Bedrock throttled or denied, repeated ones included."""
        with self._lock:
            return self._refused_calls

    @property
    def steps(self) -> tuple[str, ...]:
        """Steps for the answer's path that its parts do not tell."""
        with self._lock:
            return tuple(self._steps)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        with self._lock:
            self._credit()
            self._open.append(name)
        try:
            yield
        finally:
            with self._lock:
                self._credit()
                self._open.pop()

    def add_tokens(self, read: int, written: int) -> None:
        with self._lock:
            self._input_tokens += read
            self._output_tokens += written

    def add_score(self, quality: float | None) -> None:
        with self._lock:
            self._scores.append(quality)

    def add_refused_call(self) -> None:
        with self._lock:
            self._refused_calls += 1

    def add_step(self, step: str) -> None:
        with self._lock:
            self._steps.append(step)

    def _credit(self) -> None:
        """Count the time since the last change for the innermost phase."""
        now = self._clock()
        if self._open:
            self._seconds[self._open[-1]] = self._seconds.get(self._open[-1], 0.0) + now - self._since
        self._since = now


_telemetry: ContextVar[Telemetry | None] = ContextVar("telemetry", default=None)


@contextmanager
def recording(telemetry: Telemetry) -> Iterator[None]:
    """Inside, in this context, everything that the answer gathers is recorded here."""
    token = _telemetry.set(telemetry)
    try:
        yield
    finally:
        _telemetry.reset(token)


def phase(name: Phase) -> AbstractContextManager[None]:
    """Inside, the time counts for this phase of the answer, which is a span of its trace. Without both: nothing."""
    telemetry = _telemetry.get()
    return _timed(telemetry, name) if telemetry else span(name)


@contextmanager
def _timed(telemetry: Telemetry, name: Phase) -> Iterator[None]:
    with telemetry.phase(name), span(name):
        yield


def count_tokens(read: int, written: int) -> None:
    """Tokens of a model call whose usage is not part of the answer: a plan, a query, a judgement, an agent's turn."""
    if telemetry := _telemetry.get():
        telemetry.add_tokens(read, written)


def count_search(quality: float | None) -> None:
    """A search for the answer has ended, with evidence of this quality; None if it was not judged."""
    if telemetry := _telemetry.get():
        telemetry.add_score(quality)


def count_refused_call() -> None:
    """Bedrock throttled or denied a model call for the answer."""
    if telemetry := _telemetry.get():
        telemetry.add_refused_call()


def note_step(step: str) -> None:
    """A step of the answer, as its path names it."""
    if telemetry := _telemetry.get():
        telemetry.add_step(step)


@contextmanager
def reporting_progress_to(listener: Listener) -> Iterator[None]:
    """Inside, in this context, `listener` hears of each slow step of the answer when it begins."""
    telemetry = _telemetry.get() or Telemetry()
    before, telemetry.listener = telemetry.listener, listener
    try:
        with recording(telemetry):
            yield
    finally:
        telemetry.listener = before


def report_progress(stage: str, detail: str | None = None) -> None:
    """Report the start of a slow step. `stage` is one of the protocol's, such as `ranking`; `detail` is for people."""
    if telemetry := _telemetry.get():
        telemetry.listener(stage, detail)


def note_shown(documents: Iterable[ShownDocument]) -> None:
    """The answer in progress shows these documents. Does nothing where no answer is."""
    if telemetry := _telemetry.get():
        telemetry.shown.note(documents)


def current_request() -> str:
    """The attempt in progress, as `ShownDocuments.request` names it; empty where there is none."""
    telemetry = _telemetry.get()
    return telemetry.shown.request if telemetry else ""
