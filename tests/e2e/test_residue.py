"""Markers in a document and in messages, looked for in the whole stage before and after both are deleted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.target import Target
from tests.e2e.wire import connected
from tests.residue.scan import AUDIT_TRAIL, Scan
from tests.residue.walk import Walk

INGEST_LOG, LETTERS = "log group ingest-document", "queue requests-dead.fifo"
# The emulator's log has the address of each request, as S3's access log would; no stage on AWS has one.
EMULATOR = "file logs/emulator.log"


@pytest.fixture
def walk(stage: Target, tmp_path: Path) -> Iterator[Walk]:
    folder = tmp_path / "documents"
    folder.mkdir()
    walk = Walk(stage, folder)
    yield walk
    walk.close()


def test_nothing_is_left_of_a_removed_document_and_of_an_erased_person(stage: Target, walk: Walk) -> None:
    walk.upload()
    walk.converse()
    with connected(stage.url, stage.token("alice")) as wire:
        wire.send_refused(f'{{"action": "sendMessage", "message": "{walk.markers.words}')
        assert wire.receive()["code"] == "invalid_frame"
    in_use = walk.scan()
    in_bucket = {"bucket documents/", "bucket truth/", "file index.sqlite"}
    assert set(in_use.found("text")) >= in_bucket | {"table requests"}
    assert set(in_use.found("file")) >= in_bucket | {"bucket reports/", "table readers", "table requests", AUDIT_TRAIL}
    assert set(in_use.found("words")) == {"table entries", "table requests"}
    assert set(in_use.found("login")) >= {AUDIT_TRAIL, LETTERS}

    walk.remove()
    removed = walk.scan()
    # What the person was answered, who is shown it no more (docs/security.md, "What was shown before").
    assert removed.found("text") == {"table requests": in_use.found("text")["table requests"]}
    assert set(removed.found("file")) - {EMULATOR} == {"table requests", AUDIT_TRAIL, INGEST_LOG}

    walk.erase()
    erased = walk.scan()
    assert (erased.found("text"), erased.found("words")) == ({}, {})
    # Names, by design: who saw which document, and which documents were ingested.
    assert set(erased.found("file")) - {EMULATOR} == {AUDIT_TRAIL, INGEST_LOG}
    assert set(erased.found("login")) - {EMULATOR} == {AUDIT_TRAIL, LETTERS}
    for scan in (in_use, removed, erased):
        assert _logged(scan) == set()


def _logged(scan: Scan) -> set[str]:
    """Logs, queues and the audit trail with text of the document or of a message."""
    places = {*scan.found("text"), *scan.found("words")}
    functions = ("message-processor", "ws-connect", "ws-message", "ws-resume", "ws-control")
    logs = {INGEST_LOG, AUDIT_TRAIL, LETTERS, EMULATOR, *(f"log group {name}" for name in functions)}
    assert logs <= set(scan.places)
    return {place for place in places if place.startswith(("log group", "file logs/", "queue", AUDIT_TRAIL))}
