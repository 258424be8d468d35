"""What the daemon receives, on a real socket."""

from __future__ import annotations

import logging
from itertools import count

import pytest

from cicada.adapters.xray import XRayTraceExporter
from cicada.errors import InvalidFrameError, ThrottledError
from cicada.observability.tracing import Origin, Trace, annotate, mark_failed, span, tracing
from tests.fakes.clock import Clock
from tests.fakes.xray_daemon import XRayDaemon, xray_daemon

TRACE, PARENT = "1-5759e988-bd862e3fe1be46a994272793", "53995c3f42cd8ad8"


def new_trace(clock: Clock, *, remote: bool = False) -> Trace:
    numbers = count(1)
    return Trace("answer", Origin(TRACE, PARENT, remote), clock, lambda: f"{next(numbers):016x}")


def exporter(daemon: XRayDaemon) -> XRayTraceExporter:
    return XRayTraceExporter(daemon.address, "cicada-dev-message-processor")


def test_a_part_of_an_invocation_is_a_subsegment_of_it() -> None:
    clock = Clock(1_478_293_361.25)
    with xray_daemon() as daemon:
        with tracing(new_trace(clock), exporter(daemon)):
            annotate(intent="question", searches=2, kept=True)
            with span("searching"):
                clock.now += 0.5
            clock.now += 0.25
        [document] = daemon.documents()
    assert document == {
        "name": "answer",
        "id": "0000000000000001",
        "trace_id": TRACE,
        "parent_id": PARENT,
        "type": "subsegment",
        "start_time": 1_478_293_361.25,
        "end_time": 1_478_293_362.0,
        "annotations": {"intent": "question", "searches": 2, "kept": True},
        "subsegments": [
            {
                "name": "searching",
                "id": "0000000000000002",
                "start_time": 1_478_293_361.25,
                "end_time": 1_478_293_361.75,
            }
        ],
    }


def test_what_a_message_brought_is_a_segment_of_the_function() -> None:
    with xray_daemon() as daemon:
        with tracing(new_trace(Clock(), remote=True), exporter(daemon)):
            pass
        [document] = daemon.documents()
    assert (document["name"], document["trace_id"], document["parent_id"]) == (
        "cicada-dev-message-processor",
        TRACE,
        PARENT,
    )
    assert {"type", "annotations", "subsegments"}.isdisjoint(document)


def test_a_call_of_a_service_is_one_of_aws() -> None:
    with xray_daemon() as daemon:
        with (
            tracing(new_trace(Clock()), exporter(daemon)),
            span("SQS", operation="SendMessage", queue_url="https://queue"),
        ):
            pass
        [call] = daemon.documents()[0]["subsegments"]
    assert call["namespace"] == "aws"
    assert call["aws"] == {"operation": "SendMessage", "queue_url": "https://queue"}


@pytest.mark.parametrize(
    ("error", "flags"),
    [
        (InvalidFrameError("Secret"), {"error": True}),
        (ThrottledError("Secret"), {"error": True, "throttle": True}),
        (RuntimeError("Secret"), {"fault": True}),
    ],
)
def test_failures_are_marked_without_their_text(error: Exception, flags: dict[str, bool]) -> None:
    with xray_daemon() as daemon:
        with tracing(new_trace(Clock()), exporter(daemon)):
            with span("planning"):
                pass
            with pytest.raises(type(error)), span("searching"):
                raise error
            mark_failed(error)
        [document] = daemon.documents()
    planning, searching = document["subsegments"]
    for failed in (searching, document):
        assert {name: failed[name] for name in ("error", "throttle", "fault") if name in failed} == flags
        [exception] = failed["cause"]["exceptions"]
        assert (set(exception), exception["type"]) == ({"id", "type"}, type(error).__name__)
    assert searching["cause"] != document["cause"]
    assert {"error", "throttle", "fault", "cause"}.isdisjoint(planning)


def test_a_span_that_is_still_open_ends_with_the_trace() -> None:
    clock = Clock(100.0)
    with xray_daemon() as daemon:
        trace = new_trace(clock)
        with tracing(trace, exporter(daemon)):
            running = trace.span("answering", {})
            running.__enter__()
            clock.now = 107.0
        [document] = daemon.documents()
        running.__exit__(None, None, None)
    assert document["subsegments"][0]["end_time"] == 107.0


def test_long_annotations_are_cut() -> None:
    with xray_daemon() as daemon:
        with tracing(new_trace(Clock()), exporter(daemon)):
            annotate(path="é" * 1001)
        [document] = daemon.documents()
    assert document["annotations"]["path"] == "é" * 1000


def test_a_trace_that_does_not_fit_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    with xray_daemon() as daemon:
        with caplog.at_level(logging.WARNING), tracing(new_trace(Clock()), exporter(daemon)):
            for _ in range(1000):
                with span("searching"):
                    pass
        assert daemon.datagrams() == []
    assert [record.getMessage() for record in caplog.records] == ["A trace was not sent"]


def test_a_daemon_that_has_gone_is_no_failure() -> None:
    with xray_daemon() as daemon:
        gone = exporter(daemon)
    for _ in range(3):
        gone.export(new_trace(Clock()))
