from __future__ import annotations

from threading import Thread

from cicada.observability.telemetry import report_progress, reporting_progress_to


def test_who_waits_is_told_and_nobody_else() -> None:
    inner: list[tuple[str, str | None]] = []
    outer: list[tuple[str, str | None]] = []
    report_progress("ranking")
    with reporting_progress_to(lambda *step: outer.append(step)):
        with reporting_progress_to(lambda *step: inner.append(step)):
            report_progress("searching", "the search service is starting")
        report_progress("ranking")
    report_progress("ranking")
    assert inner == [("searching", "the search service is starting")]
    assert outer == [("ranking", None)]


def test_what_another_request_does_meanwhile_is_not_told() -> None:
    heard: list[str] = []
    with reporting_progress_to(lambda stage, detail: heard.append(stage)):
        other = Thread(target=report_progress, args=("ranking",))
        other.start()
        other.join()
    assert heard == []
