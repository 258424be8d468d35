from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import pytest

from cicada.errors import DocumentRejectedError, InvalidFrameError, ThrottledError, UnavailableError
from cicada.observability.telemetry import Telemetry, phase, recording
from cicada.observability.tracing import Origin, Span, Trace, annotate, current_origin, mark_failed, span, tracing
from tests.fakes.clock import Clock

ORIGIN = Origin("1-5759e988-bd862e3fe1be46a994272793", "53995c3f42cd8ad8", baggage="1:a8:0")


@dataclass
class Exported:
    """Keeps what it is given."""

    traces: list[Trace] = field(default_factory=list)

    def export(self, trace: Trace) -> None:
        self.traces.append(trace)


@dataclass
class Recorded:
    """A trace, its clock and its exporter."""

    clock: Clock = field(default_factory=Clock)
    exported: Exported = field(default_factory=Exported)

    def __post_init__(self) -> None:
        numbers = count(1)
        self.trace = Trace("answer", ORIGIN, self.clock, lambda: f"{next(numbers):016x}")


def shape(span: Span) -> object:
    """Its name, or its name and those of its children."""
    return {span.name: [shape(child) for child in span.children]} if span.children else span.name


def test_spans_are_a_tree_with_their_times() -> None:
    recorded = Recorded()
    start = recorded.clock.now
    with tracing(recorded.trace, recorded.exported):
        with span("judging"):
            recorded.clock.now += 1
            with span("searching"), span("ranking"):
                recorded.clock.now += 2
            recorded.clock.now += 4
        with span("answering"):
            recorded.clock.now += 8
    [trace] = recorded.exported.traces
    assert shape(trace.root) == {"answer": [{"judging": [{"searching": ["ranking"]}]}, "answering"]}
    judging, answering = trace.root.children
    searching = judging.children[0]
    assert [(each.start - start, (each.end or 0) - start) for each in (trace.root, judging, searching, answering)] == [
        (0, 15),
        (0, 7),
        (1, 3),
        (7, 15),
    ]
    ids = [trace.root.id, judging.id, searching.id, answering.id]
    assert len(set(ids)) == len(ids)


def test_the_phases_of_an_answer_are_spans_with_and_without_a_recording() -> None:
    recorded = Recorded()
    with tracing(recorded.trace, recorded.exported):
        with phase("planning"):
            pass
        with recording(Telemetry(recorded.clock)), phase("searching"), phase("ranking"):
            pass
    assert shape(recorded.trace.root) == {"answer": ["planning", {"searching": ["ranking"]}]}


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (InvalidFrameError("Secret"), "error"),
        (DocumentRejectedError("Secret"), "error"),
        (ThrottledError("Secret"), "throttle"),
        (UnavailableError("Secret"), "fault"),
        (RuntimeError("Secret"), "fault"),
    ],
)
def test_an_exception_marks_the_spans_that_it_leaves(error: Exception, kind: str) -> None:
    recorded = Recorded()
    with tracing(recorded.trace, recorded.exported):
        with pytest.raises(type(error)), span("judging"):
            with span("searching"):
                pass
            raise error
        with span("gate"):
            pass
    judging, gate = recorded.trace.root.children
    assert judging.failure is not None
    assert (judging.failure.kind, judging.failure.type) == (kind, type(error).__name__)
    assert "Secret" not in repr(judging.failure)
    assert [each.failure for each in (judging.children[0], gate, recorded.trace.root)] == [None] * 3


def test_a_trace_that_an_exception_leaves_has_failed_and_is_exported() -> None:
    recorded = Recorded()
    with pytest.raises(RuntimeError), tracing(recorded.trace, recorded.exported):
        raise RuntimeError
    [trace] = recorded.exported.traces
    assert trace.root.failure is not None
    assert trace.root.end is not None


def test_work_can_be_marked_as_failed_without_an_exception() -> None:
    recorded = Recorded()
    with tracing(recorded.trace, recorded.exported), span("answering"):
        mark_failed(ThrottledError("Later."))
    assert recorded.trace.root.failure is not None
    assert recorded.trace.root.failure.kind == "throttle"
    assert recorded.trace.root.children[0].failure is None


def test_an_answer_that_is_stopped_has_not_failed() -> None:
    recorded = Recorded()

    def pieces() -> Iterator[int]:
        with span("answering"):
            yield from (1, 2)

    with tracing(recorded.trace, recorded.exported):
        stopped = pieces()
        next(stopped)
        stopped.close()  # type: ignore[attr-defined]
        with span("next"):
            pass
    assert shape(recorded.trace.root) == {"answer": ["answering", "next"]}
    assert recorded.trace.root.children[0].failure is None


def test_what_is_caused_now_continues_the_trace_from_the_span_that_is_open() -> None:
    recorded = Recorded()
    with tracing(recorded.trace, recorded.exported):
        assert current_origin() == Origin(ORIGIN.trace_id, recorded.trace.root.id, True, "1:a8:0")
        with span("SQS", operation="SendMessage"):
            within = current_origin()
    [sent] = recorded.trace.root.children
    assert within is not None
    assert (within.trace_id, within.parent_id) == (ORIGIN.trace_id, sent.id)
    assert sent.call == {"operation": "SendMessage"}
    assert recorded.trace.root.call == {}


def test_annotations_are_the_last_of_each_name() -> None:
    recorded = Recorded()
    with tracing(recorded.trace, recorded.exported):
        annotate(intent="question", searches=1)
        annotate(searches=2)
    assert recorded.trace.annotations == {"intent": "question", "searches": 2}


def test_without_a_trace_nothing_is_recorded_and_nothing_fails() -> None:
    recorded = Recorded()
    with tracing(recorded.trace, recorded.exported):
        pass
    with span("searching"), phase("ranking"):
        annotate(intent="question")
        mark_failed(RuntimeError())
        assert current_origin() is None
    assert recorded.trace.root.children == []
    assert recorded.trace.annotations == {}
    assert recorded.trace.root.failure is None
