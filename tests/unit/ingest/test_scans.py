"""Ingest of scans, with and without a recognition of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from cicada.adapters.parser_process import ParserProcesses
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, SectionLocator
from cicada.documents.states import progress
from cicada.errors import CicadaError, UnavailableError
from cicada.ingest import ingest
from cicada.ingest.model import Outcome, RecognisedPage, SourceFile, report_fields
from cicada.ingest.ports import DocumentParser
from cicada.ingest.prose.parser import prose_parsers
from cicada.settings import inherited_environment
from tests.unit.ingest.documents import pdf
from tests.unit.ingest.test_ingest import Stage

SCAN = DocumentKey(KnowledgeBaseKey("acme", "rd"), "scan.pdf")
EPISODES = Path(__file__).parents[3] / "functions" / "ingest_document" / "episodes.toml"


class ScriptedRecognition:
    """Recognises a line on each page, after it has failed with `failures`."""

    def __init__(self, *failures: CicadaError) -> None:
        self._failures = list(failures)
        self.asked: list[bytes] = []

    def read(self, source: SourceFile) -> tuple[RecognisedPage, ...]:
        self.asked.append(source.content)
        if self._failures:
            raise self._failures.pop()
        return (RecognisedPage(1, ("Leave is thirty days.",)), RecognisedPage(2, ("Travel by train.",)))


def staged(recognition: ScriptedRecognition | None, parsers: Mapping[str, DocumentParser] | None = None) -> Stage:
    stage = Stage()
    stage.ingester = replace(stage.ingester, recognition=recognition, parsers=parsers or prose_parsers())
    return stage


@pytest.fixture(params=["parsed here", "parsed in a process of its own"])
def parsers(request: pytest.FixtureRequest) -> Iterator[Mapping[str, DocumentParser]]:
    command = ["-m", "cicada.bootstrap.ingest", str(EPISODES)]
    with closing(ParserProcesses(command, inherited_environment())) as processes:
        yield {".pdf": processes.parser(".pdf")} if "process" in request.param else prose_parsers()


def test_the_text_of_a_scan_is_indexed_by_its_pages(parsers: Mapping[str, DocumentParser]) -> None:
    stage = staged(ScriptedRecognition(), parsers)
    report = stage.upload(pdf("", ""), SCAN)
    assert (report.outcome, [each.kind for each in report.problems]) == (Outcome.INDEXED, ["recognised"])
    found = [(each.passage.text, each.passage.locator) for each in stage.index.documents[SCAN]]
    assert found == [
        ("Leave is thirty days.", SectionLocator(("page 1",))),
        ("Travel by train.", SectionLocator(("page 2",))),
    ]


def test_without_a_recognition_a_scan_is_refused_and_a_text_is_never_recognised() -> None:
    report = staged(None).upload(pdf("", ""), SCAN)
    assert (report.outcome, report.problems[0].kind) == (Outcome.REJECTED, "no_text")
    recognition = ScriptedRecognition()
    assert staged(recognition).upload(pdf("Text.", ""), SCAN).outcome is Outcome.INDEXED
    assert recognition.asked == []


def test_a_scan_whose_text_is_not_there_yet_is_under_way_and_tried_again() -> None:
    stage = staged(ScriptedRecognition(UnavailableError("Not yet.")))
    with pytest.raises(UnavailableError, match="Not yet"):
        stage.upload(pdf("", ""), SCAN)
    assert [each.outcome for each in stage.store.told] == [Outcome.UNDER_WAY]
    assert progress(report_fields(stage.store.told[0])) == "the text of its pages is being recognised"
    assert stage.ingester.ingest(SCAN, again=True).outcome is Outcome.INDEXED


def test_a_scan_of_too_many_pages_is_not_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "MAX_SCANNED_PAGES", 1)
    recognition = ScriptedRecognition()
    [problem] = staged(recognition).upload(pdf("", ""), SCAN).problems
    assert (problem.kind, recognition.asked) == ("too_large", [])
    assert problem.reason == (
        "The scan has 2 pages, and text is recognised on at most 1; split it and upload the parts."
    )
