"""Spans of one request, for a trace."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Literal, Protocol

from msgspec import Struct, field

from cicada.errors import DocumentRejectedError, RequestError, ThrottledError

Annotation = str | int | bool
# Whose failure it is: the caller's, that of a service that was called too often, or ours.
Kind = Literal["error", "throttle", "fault"]


def random_id() -> str:
    """The id of a span or of a failure: 16 hexadecimal digits."""
    return os.urandom(8).hex()


class Failure(Struct, frozen=True):
    """`type`: the name of the exception's class. Its text is left out, because it may quote users' text."""

    id: str
    kind: Kind
    type: str


class Span(Struct):
    """A span of a trace, with `start` and `end` in epoch seconds; `end` is None while it is open.

    `call`: what is called, if it is a service's operation.
    """

    id: str
    name: str
    start: float
    call: Mapping[str, str]
    end: float | None = None
    failure: Failure | None = None
    children: list[Span] = field(default_factory=list)


class Origin(Struct, frozen=True):
    """What a trace continues: `trace_id`, and the id of the span that caused the work.

    `remote`: that span is of another function, and a queue is between the two. `baggage` is passed on as it is.
    """

    trace_id: str
    parent_id: str
    remote: bool = False
    baggage: str = ""


class Trace:
    """The spans of one piece of work. `clock` gives epoch seconds.

    One thread at a time opens spans: a new one is a child of the one that is open.
    """

    def __init__(
        self, name: str, origin: Origin, clock: Callable[[], float], new_id: Callable[[], str] = random_id
    ) -> None:
        self.origin = origin
        self.annotations: dict[str, Annotation] = {}
        self._clock = clock
        self._new_id = new_id
        self.root = Span(new_id(), name, clock(), {})
        self._open = [self.root]

    @property
    def current(self) -> Span:
        """The innermost open span."""
        return self._open[-1]

    @contextmanager
    def span(self, name: str, call: Mapping[str, str]) -> Iterator[None]:
        """Ends with the block; an exception that leaves the block marks it as failed."""
        span = Span(self._new_id(), name, self._clock(), call)
        self.current.children.append(span)
        self._open.append(span)
        try:
            yield
        except Exception as error:
            self.fail(span, error)
            raise
        finally:
            span.end = self._clock()
            self._open.remove(span)

    def fail(self, span: Span, error: Exception) -> None:
        span.failure = Failure(self._new_id(), _kind(error), type(error).__name__)

    def finish(self) -> None:
        """End the trace. A span that is still open, in a thread that is not waited for, ends with it."""
        self.root.end = self._clock()


class TraceExporter(Protocol):
    """Hands finished traces to a tracing service."""

    def export(self, trace: Trace) -> None:
        """Never waits and never raises: no answer is slower or fails because of its trace."""
        ...


_trace: ContextVar[Trace | None] = ContextVar("trace", default=None)


@contextmanager
def tracing(trace: Trace, exporter: TraceExporter) -> Iterator[None]:
    """Inside, in this context, spans and annotations belong to this trace; it is exported at the end."""
    token = _trace.set(trace)
    try:
        yield
    except Exception as error:
        trace.fail(trace.root, error)
        raise
    finally:
        _trace.reset(token)
        trace.finish()
        exporter.export(trace)


def span(name: str, **call: str) -> AbstractContextManager[None]:
    """A part of the work. `call`: the operation of a service, if this is a call of one."""
    trace = _trace.get()
    return trace.span(name, call) if trace else nullcontext()


def annotate(**values: Annotation) -> None:
    """Values by which traces are found. Never text of a message or a document, nor a document's title."""
    if trace := _trace.get():
        trace.annotations |= values


def mark_failed(error: Exception) -> None:
    """The work has failed, although no exception leaves it."""
    if trace := _trace.get():
        trace.fail(trace.root, error)


def current_origin() -> Origin | None:
    """The trace that work caused now and done elsewhere belongs to; None if this work is not traced."""
    trace = _trace.get()
    return Origin(trace.origin.trace_id, trace.current.id, True, trace.origin.baggage) if trace else None


def _kind(error: Exception) -> Kind:
    if isinstance(error, ThrottledError):
        return "throttle"
    return "error" if isinstance(error, RequestError | DocumentRejectedError) else "fault"
