"""Traces: the headers that carry them, and what the daemon receives, on a real socket."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest

from cicada.adapters.xray import TraceHeader, XRayTraceExporter, carried_header, header_text, parse_header
from cicada.errors import InvalidFrameError, ThrottledError
from cicada.observability.tracing import Origin, Trace, annotate, mark_failed, span, tracing
from tests.fakes.clock import Clock
from tests.fakes.xray_daemon import XRayDaemon, xray_daemon

ROOT, PARENT = "1-5759e988-bd862e3fe1be46a994272793", "53995c3f42cd8ad8"
IDS = f"Root={ROOT};Parent={PARENT}"


@pytest.mark.parametrize("remote", [True, False])
def test_the_header_of_an_invocation_is_read(remote: bool) -> None:
    header = parse_header(f"{IDS};Sampled=1;Lineage=1:a87bd80c:0", remote=remote)
    assert header == TraceHeader(Origin(ROOT, PARENT, remote, "1:a87bd80c:0"), sampled=True)


@pytest.mark.parametrize(
    ("text", "sampled"),
    [
        (f"{IDS};Sampled=1", True),
        (f"Sampled=1; Parent={PARENT}; Root={ROOT}", True),
        (f"Self=1-67891233-abcdef012345678912345678;{IDS};Sampled=1", True),
        (f"{IDS};Sampled=0", False),
        (f"{IDS};Sampled=?", False),
        (IDS, False),
    ],
)
def test_only_a_trace_that_is_said_to_be_sampled_is(text: str, sampled: bool) -> None:
    assert parse_header(text, remote=True) == TraceHeader(Origin(ROOT, PARENT, True), sampled)


@pytest.mark.parametrize(
    "text",
    ["", "Sampled=1", f"Root={ROOT};Sampled=1", f"Parent={PARENT}", f"Root=1-2-3;Parent={PARENT}", f"{IDS}0", "="],
)
def test_a_text_without_a_trace_or_a_parent_is_no_header(text: str) -> None:
    assert parse_header(text, remote=False) is None


@pytest.mark.parametrize("lineage", ["", "1:a87bd80c:0|2:b1:1"])
def test_what_is_written_is_read_again(lineage: str) -> None:
    origin = Origin(ROOT, PARENT, True, lineage)
    assert parse_header(header_text(origin), remote=True) == TraceHeader(origin, sampled=True)


@pytest.mark.parametrize(
    ("record", "header"),
    [({"attributes": {"AWSTraceHeader": IDS}}, IDS), ({"attributes": {"SenderId": "A"}}, ""), ({"body": "{}"}, "")],
)
def test_a_message_has_the_header_that_it_was_sent_with(record: dict[str, object], header: str) -> None:
    assert carried_header(record) == header


def new_trace(clock: Clock, *, remote: bool = False) -> Trace:
    numbers = count(1)
    return Trace("answer", Origin(ROOT, PARENT, remote), clock, lambda: f"{next(numbers):016x}")


def exporter(daemon: XRayDaemon) -> XRayTraceExporter:
    return XRayTraceExporter(daemon.address, "cicada-dev-message-processor")


@contextmanager
def traced(clock: Clock | None = None, *, remote: bool = False) -> Iterator[dict[str, Any]]:
    """The document that the daemon gets of what is done in the block, after it."""
    document: dict[str, Any] = {}
    with xray_daemon() as daemon:
        with tracing(new_trace(clock or Clock(), remote=remote), exporter(daemon)):
            yield document
        for received in daemon.documents():
            document.update(received)


def test_a_part_of_an_invocation_is_a_subsegment_of_it() -> None:
    begin = 1_478_293_361.25
    clock = Clock(begin)
    with traced(clock) as document:
        annotate(intent="question", searches=2, kept=True)
        with span("searching"):
            clock.now += 0.5
        clock.now += 0.25
    [inner] = document.pop("subsegments")
    assert inner == {"name": "searching", "id": f"{2:016x}", "start_time": begin, "end_time": begin + 0.5}
    named = {"name": "answer", "id": f"{1:016x}", "trace_id": ROOT, "parent_id": PARENT, "type": "subsegment"}
    annotations = {"intent": "question", "searches": 2, "kept": True}
    assert document == named | {"start_time": begin, "end_time": begin + 0.75, "annotations": annotations}


def test_what_a_message_brought_is_a_segment_of_the_function() -> None:
    with traced(remote=True) as document:
        pass
    function = {"name": "cicada-dev-message-processor", "trace_id": ROOT, "parent_id": PARENT}
    assert document == {**document, **function}
    assert {"type", "annotations", "subsegments"}.isdisjoint(document)


def test_a_call_of_a_service_is_one_of_aws() -> None:
    with traced() as document, span("SQS", operation="SendMessage", queue_url="https://queue"):
        pass
    [call] = document["subsegments"]
    assert (call["namespace"], call["aws"]) == ("aws", {"operation": "SendMessage", "queue_url": "https://queue"})


@pytest.mark.parametrize(
    ("error", "flags"),
    [
        (InvalidFrameError("Secret"), {"error": True}),
        (ThrottledError("Secret"), {"error": True, "throttle": True}),
        (RuntimeError("Secret"), {"fault": True}),
    ],
)
def test_failures_are_marked_without_their_text(error: Exception, flags: dict[str, bool]) -> None:
    with traced() as document:
        with span("planning"):
            pass
        with pytest.raises(type(error)), span("searching"):
            raise error
        mark_failed(error)
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
    with traced() as document:
        annotate(path="é" * 1001)
    assert document["annotations"]["path"] == "é" * 1000


def test_a_trace_that_does_not_fit_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), traced() as document:
        for _ in range(1000):
            with span("searching"):
                pass
    assert document == {}
    assert [record.getMessage() for record in caplog.records] == ["A trace was not sent"]


def test_a_daemon_that_has_gone_is_no_failure() -> None:
    with xray_daemon() as daemon:
        gone = exporter(daemon)
    for _ in range(3):
        gone.export(new_trace(Clock()))
