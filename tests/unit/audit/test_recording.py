from __future__ import annotations

import threading

import pytest

from cicada.errors import CicadaError, ConfigurationError, ThrottledError, UnavailableError
from cicada.observability.audit import (
    AuditRecord,
    AuditRecorder,
    Handshake,
    ShownDocument,
    ShownDocuments,
)
from cicada.observability.telemetry import Telemetry, current_request, note_shown, recording
from tests.fakes.audit import RecordingTrail

FIRST, SECOND, THIRD = (ShownDocument("scripts", name, "v1") for name in ("a", "b", "c"))
OPENED = Handshake(1.0, "c1", "192.0.2.1", user="ann")
REFUSED = Handshake(2.0, "c2", "192.0.2.2", refused="There is no token.")


@pytest.mark.parametrize("failure", [UnavailableError("no"), ThrottledError("no"), ConfigurationError("no")])
def test_a_record_that_is_not_taken_is_reported_and_fails_nothing(failure: CicadaError) -> None:
    trail = RecordingTrail()
    trail.failure = failure
    lost: list[tuple[AuditRecord, CicadaError]] = []
    AuditRecorder(trail, lambda record, error: lost.append((record, error))).record(OPENED, REFUSED)
    assert lost == [(OPENED, failure), (REFUSED, failure)]


def test_a_record_that_is_taken_is_not_lost() -> None:
    trail = RecordingTrail()
    lost: list[AuditRecord] = []
    AuditRecorder(trail, lambda record, error: lost.append(record)).record(OPENED)
    assert (trail.records, lost) == ([OPENED], [])


def test_a_document_is_taken_once_with_the_first_event_after_it_was_shown() -> None:
    shown = ShownDocuments()
    shown.note([FIRST, SECOND, FIRST])
    assert shown.take() == (FIRST, SECOND)
    shown.note([SECOND, THIRD])
    assert shown.take() == (THIRD,)
    assert shown.take() == ()
    assert shown.all == (FIRST, SECOND, THIRD)


def test_what_is_shown_is_noted_for_the_answer_in_progress_alone() -> None:
    shown = ShownDocuments("r1#2")
    note_shown([THIRD])
    assert current_request() == ""
    with recording(Telemetry(shown=shown)):
        note_shown([FIRST])
        assert current_request() == "r1#2"
        # Another answer's thread.
        other = threading.Thread(target=note_shown, args=([SECOND],))
        other.start()
        other.join()
    note_shown([THIRD])
    assert shown.all == (FIRST,)
