"""The verb: what becomes of a file, and what of its document when something fails."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from cicada.adapters.sqlite_passage_index import SqlitePassageIndex
from cicada.documents.model import DocumentKey
from cicada.errors import CicadaError, ConfigurationError, Throttled, Unavailable
from cicada.ingest.episodes import parse_episodes
from cicada.ingest.ingest import Ingester
from cicada.ingest.model import IngestReport, Outcome, Problem
from cicada.ingest.script_parser import ScriptParser
from tests.fakes.document_store import InMemoryDocumentStore
from tests.unit.ingest.passage_index import CountingEmbedder, DisturbedIndex
from tests.unit.ingest.scripts import COLLECTION, MACBETH, play, script, shipped_episodes, speech

GOOD = script(speech(1, "The queen, my lord, is dead."))
BETTER = script(speech(1, "She should have died hereafter."))
BROKEN = GOOD[:-5]


class Stage:
    """An ingester and what it works on."""

    def __init__(self, max_bytes: int = 50_000_000) -> None:
        self.store = InMemoryDocumentStore(max_bytes)
        self.index = DisturbedIndex()
        self.embedder = CountingEmbedder()
        parsers = {".json": ScriptParser(shipped_episodes())}
        self.ingester = Ingester(self.store, self.index, self.embedder, parsers)

    def upload(self, content: bytes, document: DocumentKey = MACBETH) -> IngestReport:
        self.store.put(document, content)
        return self.ingester.ingest(document)

    def text(self) -> str:
        return "\n".join(passage.text for passage in self.index.passages_of(MACBETH))


@pytest.fixture
def stage() -> Stage:
    return Stage()


def test_a_play_is_indexed_with_the_vectors_of_context_and_text(stage: Stage) -> None:
    report = stage.upload(play("macbeth"))
    assert report == IngestReport(MACBETH, Outcome.INDEXED, 140, (), hashlib.sha256(play("macbeth")).hexdigest())
    assert stage.store.reports == {MACBETH: report}
    indexed = stage.index.documents[MACBETH]
    assert [each.passage.version for each in indexed] == [report.version] * 140
    assert stage.embedder.texts == [f"{each.passage.context}\n{each.passage.text}" for each in indexed]
    assert [each.vector for each in indexed] == [[float(len(text))] for text in stage.embedder.texts]


def test_passages_are_embedded_in_batches(stage: Stage) -> None:
    stage.upload(play("macbeth"))
    assert stage.embedder.batches == [64, 64, 12]


def test_the_same_file_again_is_unchanged_and_embeds_nothing(stage: Stage) -> None:
    stage.upload(GOOD)
    report = stage.upload(GOOD)
    assert (report.outcome, report.passages) == (Outcome.UNCHANGED, 1)
    assert (stage.index.replacements, stage.embedder.batches) == (1, [1])
    assert stage.store.reports[MACBETH] == report


def test_the_embedded_index_recognises_what_it_holds(stage: Stage, tmp_path: Path) -> None:
    stage.store.put(MACBETH, play("macbeth"))
    index = SqlitePassageIndex(tmp_path / "index", stage.embedder.model_id, stage.embedder.dimension)
    ingester = Ingester(stage.store, index, stage.embedder, stage.ingester.parsers)
    assert ingester.ingest(MACBETH).outcome is Outcome.INDEXED
    assert ingester.ingest(MACBETH).outcome is Outcome.UNCHANGED
    index.close()


def test_a_changed_file_replaces_the_document(stage: Stage) -> None:
    stage.upload(GOOD)
    assert stage.upload(BETTER).outcome is Outcome.INDEXED
    assert stage.text() == "Seyton: She should have died hereafter."


def test_the_same_file_under_another_configuration_is_indexed_again(stage: Stage) -> None:
    stage.upload(GOOD)
    episodes = parse_episodes(
        '[[episode]]\npattern = "*"\nepisode_id = "scottish-play"\nepisode_name = "The Scottish Play"'
    )
    again = Ingester(stage.store, stage.index, stage.embedder, {".json": ScriptParser(episodes)})
    assert again.ingest(MACBETH).outcome is Outcome.INDEXED
    assert stage.index.passages_of(MACBETH)[0].title == "The Scottish Play"


def test_an_ingest_that_broke_off_in_the_index_is_done_again(stage: Stage) -> None:
    stage.upload(play("macbeth"))
    stage.index.documents[MACBETH] = stage.index.documents[MACBETH][:70]
    assert stage.ingester.ingest(MACBETH).outcome is Outcome.INDEXED
    assert len(stage.index.passages_of(MACBETH)) == 140


def test_a_broken_record_is_reported_and_the_rest_is_indexed(stage: Stage) -> None:
    report = stage.upload(script(speech(1, "Dead."), speech(2, ""), speech(3, "Hereafter.")))
    assert report.outcome is Outcome.INDEXED
    assert report.problems == (Problem("record 2 (messageId 2)", "The record has no text: fill textENG or textJPN."),)
    assert stage.text() == "Seyton: Dead.\nSeyton: Hereafter."


@pytest.mark.parametrize("content", [b"", BROKEN, b"\xff\xfe\x00", b"[" * 100_000, b"{}", b"[null]", b"PK\x03\x04"])
def test_a_file_that_cannot_be_used_is_reported_and_the_old_version_answers_on(stage: Stage, content: bytes) -> None:
    stage.upload(GOOD)
    report = stage.upload(content)
    assert (report.outcome, report.passages, len(report.problems)) == (Outcome.REJECTED, 0, 1)
    assert report.version == hashlib.sha256(content).hexdigest()
    assert stage.store.reports[MACBETH] == report
    assert (stage.text(), stage.index.replacements) == ("Seyton: The queen, my lord, is dead.", 1)


@pytest.mark.parametrize(
    ("document_id", "complaint"),
    [
        ("othello.json", "No pattern in the episode configuration matches 'othello.json'"),
        ("macbeth.pdf", "type '.pdf' cannot be read; upload .json"),
        ("macbeth", "type 'macbeth' cannot be read"),
    ],
)
def test_a_file_of_no_known_name_or_type_is_reported(stage: Stage, document_id: str, complaint: str) -> None:
    report = stage.upload(GOOD, DocumentKey(COLLECTION, document_id))
    assert report.outcome is Outcome.REJECTED
    assert complaint in report.problems[0].reason
    assert stage.index.documents == {}


def test_a_type_is_known_in_upper_case_too(stage: Stage) -> None:
    assert stage.upload(GOOD, DocumentKey(COLLECTION, "MACBETH.JSON")).outcome is Outcome.INDEXED


def test_a_file_that_is_too_large_is_reported() -> None:
    stage = Stage(max_bytes=10)
    report = stage.upload(GOOD)
    assert (report.outcome, report.version) == (Outcome.REJECTED, "")
    assert stage.store.reports[MACBETH] == report


def test_a_file_that_is_gone_is_removed_from_the_index(stage: Stage) -> None:
    stage.upload(GOOD)
    stage.store.remove(MACBETH)
    assert stage.ingester.ingest(MACBETH) == IngestReport(MACBETH, Outcome.DELETED, 0)
    assert stage.index.documents == {}
    assert stage.store.reports[MACBETH].outcome is Outcome.DELETED


def test_delete_removes_the_document_whatever_the_store_holds(stage: Stage) -> None:
    stage.upload(GOOD)
    assert stage.ingester.delete(MACBETH).outcome is Outcome.DELETED
    assert stage.index.documents == {}
    assert stage.store.reports[MACBETH].outcome is Outcome.DELETED


def test_a_file_that_changes_during_its_ingest_ends_up_in_its_last_version(stage: Stage) -> None:
    stage.index.before_replace = lambda: stage.store.put(MACBETH, BETTER)
    report = stage.upload(GOOD)
    assert report.version == hashlib.sha256(BETTER).hexdigest()
    assert stage.text() == "Seyton: She should have died hereafter."


def test_a_file_that_is_deleted_during_its_ingest_is_not_left_in_the_index(stage: Stage) -> None:
    stage.index.before_replace = lambda: stage.store.remove(MACBETH)
    assert stage.upload(GOOD).outcome is Outcome.DELETED
    assert stage.index.documents == {}


@pytest.mark.parametrize(
    "failure", [Throttled("…"), Unavailable("…"), ConfigurationError("…")], ids=lambda each: each.code
)
def test_a_failing_embedder_is_no_verdict_on_the_file(stage: Stage, failure: CicadaError) -> None:
    stage.upload(GOOD)
    stage.embedder.failure = failure
    with pytest.raises(type(failure)):
        stage.upload(BETTER)
    assert stage.store.reports[MACBETH].outcome is Outcome.INDEXED
    assert stage.text() == "Seyton: The queen, my lord, is dead."


@pytest.mark.parametrize("content", [GOOD, None], ids=["ingest", "delete"])
def test_a_failing_index_is_no_verdict_on_the_file(stage: Stage, content: bytes | None) -> None:
    stage.index.failure = Unavailable("…")
    if content:
        stage.store.put(MACBETH, content)
    with pytest.raises(Unavailable):
        stage.ingester.ingest(MACBETH)
    assert stage.store.reports == {}
