"""Ingest of one file: its outcome, and the state of its document after a failure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from cicada.answering.prompt import passage_text
from cicada.documents.catalogue import Card
from cicada.documents.model import DocumentKey, PassageFilter
from cicada.errors import CicadaError, ConfigurationError, ThrottledError, UnavailableError
from cicada.ingest import contexts
from cicada.ingest.episodes import parse_episodes
from cicada.ingest.ingest import Ingester
from cicada.ingest.model import IngestReport, Outcome, ParsedDocument, SourceFile
from cicada.ingest.prose.parser import prose_parsers
from cicada.ingest.script import ScriptParser
from cicada.ingest.vectors import PART
from cicada.retrieval.model import CardQuery
from cicada_embedded.passage_index import SqlitePassageIndex
from tests.fakes.context_writer import ScriptedContextWriter
from tests.fakes.document_store import InMemoryDocumentStore
from tests.fakes.ground_truth import InMemoryGroundTruth
from tests.fakes.kept_vectors import InMemoryKeptVectors
from tests.unit.ingest.passage_index import CountingEmbedder, DisturbedIndex
from tests.unit.ingest.scripts import MACBETH, SCRIPTS, play, script, shipped_episodes, speech

GOOD = script(speech(1, "The queen, my lord, is dead."))
BETTER = script(speech(1, "She should have died hereafter."))
BROKEN = GOOD[:-5]


class Stage:
    """An ingester and what it works on."""

    def __init__(self, max_bytes: int = 50_000_000) -> None:
        self.store = InMemoryDocumentStore(max_bytes)
        self.truth = InMemoryGroundTruth()
        self.index = DisturbedIndex()
        self.embedder = CountingEmbedder()
        parsers = {".json": ScriptParser(shipped_episodes())}
        self.ingester = Ingester(self.store, self.truth, self.index, self.embedder, parsers)

    def upload(self, content: bytes, document: DocumentKey = MACBETH) -> IngestReport:
        self.store.put(document, content)
        return self.ingester.ingest(document)

    def text(self) -> str:
        return "\n".join(passage.text for passage in self.index.passages_of(MACBETH))

    @property
    def kept_texts(self) -> list[str]:
        """What a rebuild of the index would show again."""
        return [each.passage.text for entry in self.truth.entries.values() for each in entry.stored.passages]


@pytest.fixture
def stage() -> Stage:
    return Stage()


def outcome_of(report: IngestReport | None) -> Outcome | None:
    return report.outcome if report else None


def test_a_play_is_indexed_with_the_vectors_of_context_and_text(stage: Stage) -> None:
    report = stage.upload(play("macbeth"))
    assert report == IngestReport(MACBETH, Outcome.INDEXED, 140, (), hashlib.sha256(play("macbeth")).hexdigest())
    assert stage.store.reports == {MACBETH: report}
    indexed = stage.index.documents[MACBETH]
    assert [each.passage.version for each in indexed] == [report.version] * 140
    texts = stage.embedder.texts[:-1]
    assert texts == [f"{each.passage.context}\n{each.passage.text}" for each in indexed]
    stored = stage.truth.entries[MACBETH].stored.passages
    assert [list(each.vector) for each in stored] == [[float(len(text))] for text in texts]


def test_a_large_file_tells_how_far_it_is(stage: Stage) -> None:
    stage.ingester = replace(stage.ingester, kept=InMemoryKeptVectors())
    report = stage.upload(script(*(speech(number, f"Tomorrow, and {number}. " * 40) for number in range(1, 401))))
    ways = [(each.outcome, each.passages, each.embedded, each.version) for each in stage.store.told[:-1]]
    total = report.passages
    under_way = Outcome.UNDER_WAY
    # The card is embedded with the passages.
    assert ways == [(under_way, total, 0, report.version), (under_way, total, PART - 1, report.version)]
    assert stage.store.told[-1] == report


def test_what_is_indexed_is_the_ground_truth(stage: Stage) -> None:
    report = stage.upload(play("macbeth"))
    stored = stage.truth.entries[MACBETH].stored
    assert (stored.version, stored.model_id, stored.dimension) == (report.version, "length", 1)
    assert stored.context_model_id == ""
    assert tuple(each.passage for each in stored.embedded()) == stage.index.passages_of(MACBETH)


def test_the_same_file_again_is_unchanged_and_embeds_nothing(stage: Stage) -> None:
    stage.upload(GOOD)
    report = stage.upload(GOOD)
    assert (report.outcome, report.passages) == (Outcome.UNCHANGED, 1)
    assert (stage.index.replacements, stage.embedder.batches) == (1, [2])
    assert stage.store.reports[MACBETH] == report


def test_the_embedded_index_recognises_what_it_holds(stage: Stage, tmp_path: Path) -> None:
    stage.store.put(MACBETH, play("macbeth"))
    index = SqlitePassageIndex(tmp_path / "index", stage.embedder.model_id, stage.embedder.dimension)
    ingester = replace(stage.ingester, index=index)
    assert ingester.ingest(MACBETH).outcome is Outcome.INDEXED
    assert ingester.ingest(MACBETH).outcome is Outcome.UNCHANGED


def test_the_same_file_under_another_configuration_is_indexed_again(stage: Stage) -> None:
    stage.upload(GOOD)
    episodes = parse_episodes(
        '[[episode]]\npattern = "*"\nepisode_id = "scottish-play"\nepisode_name = "The Scottish Play"'
    )
    again = replace(stage.ingester, parsers={".json": ScriptParser(episodes)})
    assert again.ingest(MACBETH).outcome is Outcome.INDEXED
    assert stage.index.passages_of(MACBETH)[0].title == "The Scottish Play"


def test_an_ingest_that_broke_off_in_the_index_is_done_again(stage: Stage) -> None:
    stage.upload(play("macbeth"))
    stage.index.documents[MACBETH] = stage.index.documents[MACBETH][:70]
    assert stage.ingester.ingest(MACBETH).outcome is Outcome.INDEXED
    assert len(stage.index.passages_of(MACBETH)) == 140


def test_a_card_that_the_index_lacks_or_should_not_have_is_written_again(stage: Stage) -> None:
    stage.upload(GOOD)
    row = stage.index.row(MACBETH)
    assert row is not None
    stage.index.contents.change_row(replace(row, card=Card("Of another ingest")))
    assert stage.ingester.ingest(MACBETH).outcome is Outcome.INDEXED
    assert stage.index.row(MACBETH) == row
    assert stage.ingester.ingest(MACBETH).outcome is Outcome.UNCHANGED


def test_a_refused_file_leaves_its_earlier_card(stage: Stage) -> None:
    stage.upload(GOOD)
    entry = stage.truth.read(MACBETH)
    assert entry is not None
    stage.truth.write(replace(entry.stored, card=Card("The Scottish play"), card_vector=[1.0]))
    stage.store.put(MACBETH, BROKEN)
    assert stage.ingester.ingest(MACBETH, again=True).outcome is Outcome.REJECTED
    hits = stage.index.find_cards(CardQuery(PassageFilter(MACBETH.base_key), "scottish", [1.0]))
    assert (len(hits.lexical), len(hits.semantic)) == (1, 1)


def test_a_lost_index_is_filled_from_the_truth_without_embedding(stage: Stage) -> None:
    stage.upload(play("macbeth"))
    shown = stage.index.documents.pop(MACBETH)
    stage.embedder.failure = UnavailableError("…")
    assert stage.ingester.ingest(MACBETH).outcome is Outcome.INDEXED
    assert stage.index.documents[MACBETH] == shown
    assert stage.truth.writes == 1


def test_an_index_from_before_there_was_a_truth_is_told_to_it(stage: Stage) -> None:
    stage.upload(GOOD)
    stage.truth.delete(MACBETH)
    assert stage.ingester.ingest(MACBETH).outcome is Outcome.INDEXED
    assert MACBETH in stage.truth.entries
    assert stage.ingester.ingest(MACBETH).outcome is Outcome.UNCHANGED


def test_only_passages_that_changed_are_embedded_again(stage: Stage) -> None:
    lines = [speech(number, f"{number} " + "word " * 150) for number in range(3)]
    stage.upload(script(*lines))
    assert stage.embedder.batches == [4]
    before = stage.truth.entries[MACBETH].stored.passages
    lines[1] = speech(1, "one " + "word " * 150)
    stage.upload(script(*lines))
    assert stage.embedder.batches == [4, 1]
    after = stage.truth.entries[MACBETH].stored.passages
    assert [old.vector is new.vector for old, new in zip(before, after, strict=True)] == [True, False, True]
    assert len({each.passage.version for each in after}) == 1


def test_a_text_that_stands_there_twice_is_embedded_once(stage: Stage) -> None:
    stage.upload(script(*(speech(number, "word " * 170) for number in range(3))))
    assert stage.embedder.batches == [2]
    assert len(stage.index.documents[MACBETH]) == 3


def test_another_embedder_embeds_everything_again(stage: Stage) -> None:
    stage.upload(GOOD)
    other = CountingEmbedder()
    other.model_id = "other"
    index = DisturbedIndex("other")
    again = replace(stage.ingester, embedder=other, index=index)
    assert again.ingest(MACBETH).outcome is Outcome.INDEXED
    assert other.batches == [2]
    assert stage.truth.entries[MACBETH].stored.model_id == "other"


def test_the_truth_is_written_before_the_index(stage: Stage) -> None:
    stage.upload(GOOD)
    stage.store.put(MACBETH, BETTER)
    stage.index.failure_of_replace = UnavailableError("…")
    with pytest.raises(UnavailableError):
        stage.ingester.ingest(MACBETH)
    assert stage.text() == "Seyton: The queen, my lord, is dead."
    assert "hereafter" in stage.truth.entries[MACBETH].stored.passages[0].passage.text
    stage.index.failure_of_replace = None
    assert stage.ingester.ingest(MACBETH).outcome is Outcome.INDEXED
    assert stage.text() == "Seyton: She should have died hereafter."
    assert stage.embedder.batches == [2, 2]


@pytest.mark.parametrize("content", [b"", BROKEN])
def test_a_file_that_cannot_be_used_is_reported_and_the_old_version_answers_on(stage: Stage, content: bytes) -> None:
    stage.upload(GOOD)
    report = stage.upload(content)
    assert (report.outcome, report.passages, len(report.problems)) == (Outcome.REJECTED, 0, 1)
    assert report.version == hashlib.sha256(content).hexdigest()
    assert (report.document, report.problems[0].place) == (MACBETH, "")
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
    report = stage.upload(GOOD, DocumentKey(SCRIPTS, document_id))
    assert report.outcome is Outcome.REJECTED
    assert complaint in report.problems[0].reason
    assert stage.index.documents == {}


def test_a_type_is_known_in_upper_case_too(stage: Stage) -> None:
    assert stage.upload(GOOD, DocumentKey(SCRIPTS, "MACBETH.JSON")).outcome is Outcome.INDEXED


def test_a_file_that_is_too_large_is_reported() -> None:
    stage = Stage(max_bytes=10)
    report = stage.upload(GOOD)
    assert (report.outcome, report.version) == (Outcome.REJECTED, "")
    assert stage.store.reports[MACBETH] == report


def test_a_file_that_is_gone_is_removed_from_the_index(stage: Stage) -> None:
    stage.upload(GOOD)
    stage.store.remove(MACBETH)
    report = stage.ingester.ingest(MACBETH)
    assert report == stage.store.reports[MACBETH] == IngestReport(MACBETH, Outcome.DELETED, 0)
    assert stage.index.documents == {}
    assert stage.truth.entries == {}


def test_a_file_that_changes_during_its_ingest_ends_up_in_its_last_version(stage: Stage) -> None:
    stage.index.before_replace = lambda: stage.store.put(MACBETH, BETTER)
    report = stage.upload(GOOD)
    assert report.version == hashlib.sha256(BETTER).hexdigest()
    assert stage.text() == "Seyton: She should have died hereafter."


def test_a_file_that_is_deleted_during_its_ingest_is_not_left_in_the_index(stage: Stage) -> None:
    stage.index.before_replace = lambda: stage.store.remove(MACBETH)
    assert stage.upload(GOOD).outcome is Outcome.DELETED
    assert stage.index.documents == {}


@dataclass
class OvertakenParser:
    """Reads scripts; `meanwhile` happens while it reads the first one."""

    meanwhile: Callable[[], object]

    def parse(self, source: SourceFile) -> ParsedDocument:
        meanwhile, self.meanwhile = self.meanwhile, lambda: None
        meanwhile()
        return ScriptParser(shipped_episodes()).parse(source)


def overtaken(stage: Stage, content: bytes) -> Ingester:
    """An ingester that another one overtakes, which finds this file without a sidecar."""

    def meanwhile() -> None:
        stage.store.describe(MACBETH, None)
        stage.upload(content)

    return replace(stage.ingester, parsers={".json": OvertakenParser(meanwhile)})


@pytest.mark.parametrize(
    ("sidecar", "content", "again"),
    [(b"{", GOOD, False), (b"{", BETTER, False), (None, BROKEN, True)],
    ids=["sidecar mended", "sidecar mended and file changed", "file mended"],
)
def test_an_overtaken_refusal_undoes_nothing(stage: Stage, sidecar: bytes | None, content: bytes, again: bool) -> None:
    stage.upload(GOOD)
    stage.store.describe(MACBETH, sidecar)
    stage.store.put(MACBETH, content)
    report = overtaken(stage, BETTER).ingest(MACBETH, again)
    assert (report.outcome, report.version) == (Outcome.INDEXED, hashlib.sha256(BETTER).hexdigest())
    assert stage.text() == "Seyton: She should have died hereafter."
    assert "hereafter" in stage.truth.entries[MACBETH].stored.passages[0].passage.text


def test_the_last_report_is_on_the_last_version(stage: Stage) -> None:
    stage.upload(GOOD)
    overtaken(stage, BROKEN).ingest(MACBETH)
    assert stage.store.reports[MACBETH].version == hashlib.sha256(BROKEN).hexdigest()


def test_an_ingest_that_died_before_the_index_is_finished_though_the_file_is_refused_by_now(stage: Stage) -> None:
    stage.upload(GOOD)
    stage.index.failure_of_replace = UnavailableError("…")
    with pytest.raises(UnavailableError):
        stage.upload(BETTER)
    stage.index.failure_of_replace = None
    stage.store.put(MACBETH, BROKEN)
    assert stage.ingester.ingest(MACBETH, again=True).outcome is Outcome.REJECTED
    assert stage.text() == "Seyton: She should have died hereafter."


@pytest.mark.parametrize(("model_id", "dimension"), [("other", 1), ("length", 2)])
def test_a_refused_file_gets_no_vectors_of_another_embedder(stage: Stage, model_id: str, dimension: int) -> None:
    stage.upload(GOOD)
    stage.store.put(MACBETH, BROKEN)
    other = CountingEmbedder()
    other.model_id, other.dimension = model_id, dimension
    index = DisturbedIndex(model_id)
    again = replace(stage.ingester, embedder=other, index=index)
    assert again.ingest(MACBETH, again=True).outcome is Outcome.REJECTED
    assert index.documents == {}


@pytest.mark.parametrize(
    "failure", [ThrottledError("…"), UnavailableError("…"), ConfigurationError("…")], ids=lambda each: each.code
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
    stage.index.failure = UnavailableError("…")
    if content:
        stage.store.put(MACBETH, content)
    with pytest.raises(UnavailableError):
        stage.ingester.ingest(MACBETH)
    assert stage.store.reports == {}


def test_a_delete_that_broke_off_is_done_again(stage: Stage) -> None:
    stage.upload(GOOD)
    stage.store.remove(MACBETH)
    stage.index.failure = UnavailableError("…")
    with pytest.raises(UnavailableError):
        stage.ingester.ingest(MACBETH)
    assert stage.truth.entries == {}
    stage.index.failure = None
    assert stage.ingester.ingest(MACBETH).outcome is Outcome.DELETED
    assert stage.index.documents == {}


def test_a_sidecar_that_changes_makes_another_version(stage: Stage) -> None:
    first = stage.upload(GOOD)
    stage.store.describe(MACBETH, b'{"metadataAttributes": {"genre": "tragedy"}}')
    assert outcome_of(stage.ingester.ingest_described(MACBETH)) is Outcome.INDEXED
    assert stage.store.reports[MACBETH].version != first.version
    assert stage.index.passages_of(MACBETH)[0].metadata["genre"] == "tragedy"
    assert stage.embedder.batches == [2]
    stage.store.describe(MACBETH, None)
    assert stage.ingester.ingest(MACBETH).version == first.version
    assert "genre" not in stage.index.passages_of(MACBETH)[0].metadata


ANN_ONLY = b'{"accessControlList": [{"name": "ann", "type": "USER", "access": "ALLOW"}]}'


@pytest.mark.parametrize(
    ("content", "sidecar"),
    [(GOOD, b"{"), (GOOD, ANN_ONLY.replace(b"ALLOW", b"DENY")), (BROKEN, ANN_ONLY), (BROKEN, b"{")],
)
def test_a_version_that_others_may_read_by_now_does_not_answer_on(stage: Stage, content: bytes, sidecar: bytes) -> None:
    stage.upload(GOOD)
    stage.store.describe(MACBETH, sidecar)
    assert stage.upload(content).outcome is Outcome.REJECTED
    assert stage.index.documents == {}
    assert stage.kept_texts == []


@pytest.mark.parametrize(
    ("sidecar", "answers_on"), [(None, True), (b"{}", True), (ANN_ONLY, False), (b"x" * 50_000, False)]
)
def test_a_file_too_large_withdraws_its_earlier_version_from_other_viewers(
    sidecar: bytes | None, answers_on: bool
) -> None:
    stage = Stage(max_bytes=len(GOOD))
    stage.upload(GOOD)
    stage.store.describe(MACBETH, sidecar)
    assert stage.upload(GOOD + b" ").outcome is Outcome.REJECTED
    assert (MACBETH in stage.index.documents) is answers_on
    assert bool(stage.kept_texts) is answers_on


def test_a_withdrawal_that_broke_off_in_the_index_is_made_by_the_next_delivery(stage: Stage) -> None:
    stage.upload(GOOD)
    stage.store.describe(MACBETH, ANN_ONLY)
    stage.index.failure = ThrottledError("…")
    with pytest.raises(ThrottledError):
        stage.upload(BROKEN)
    stage.index.failure = None
    assert MACBETH in stage.index.documents
    assert stage.ingester.ingest(MACBETH, again=True).outcome is Outcome.REJECTED
    assert stage.index.documents == {}


NOTE = DocumentKey(MACBETH.base_key, "note.md")
FOR_QA = b"---\nreaders: [group:qa]\n---\n"


@pytest.mark.parametrize(
    ("before", "after", "answers_on"),
    [
        (FOR_QA + b"Text.", FOR_QA, True),
        (b"Text.", b"---\na: b\n---\n", True),
        (b"Text.", FOR_QA, False),
        (FOR_QA + b"Text.", b"---\na: b\n---\n", False),
        (b"Text.", b"---\nreaders: qa\n---\nText.", False),
        (b"Text.", b"\xef\xbb\xbf<!-- note -->\n" + FOR_QA, False),
        (b"Text.", b"# Title\n\n" + FOR_QA + b"Text.", False),
        (b"<!-- note -->\n" + FOR_QA + b"Text.", FOR_QA, True),
        (b"Text.", b"\xff\xfe\xff", True),
        (b"Text.", b"%PDF-1.7 damaged", True),
    ],
)
def test_other_viewers_in_rejected_front_matter_withdraw_the_earlier_version(
    stage: Stage, before: bytes, after: bytes, answers_on: bool
) -> None:
    stage.ingester = replace(stage.ingester, parsers=prose_parsers())
    assert stage.upload(before, NOTE).outcome is Outcome.INDEXED
    assert stage.upload(after, NOTE).outcome is Outcome.REJECTED
    assert (NOTE in stage.index.documents) is answers_on
    kept_for = {each.passage.readers for each in stage.truth.entries[NOTE].stored.passages}
    assert bool(kept_for - {("nobody",)}) is answers_on


def test_front_matter_times_its_passages_is_bounded(stage: Stage) -> None:
    stage.ingester = replace(stage.ingester, parsers=prose_parsers())
    text = b"# A\n\nText.\n\n" * 2_500
    report = stage.upload(b"---\nnote: " + b"x" * 8_001 + b"\n---\n" + text, NOTE)
    assert (report.outcome, report.problems[0].kind) == (Outcome.REJECTED, "too_large")
    assert stage.upload(b"---\nnote: " + b"x" * 7_900 + b"\n---\n" + text, NOTE).outcome is Outcome.INDEXED


def test_uploads_that_never_stop_do_not_hold_an_ingest(stage: Stage) -> None:
    uploads = count()
    stage.index.before_replace = lambda: stage.store.put(MACBETH, script(speech(1, f"{next(uploads)} times.")))
    with pytest.raises(UnavailableError, match="changes faster"):
        stage.upload(GOOD)
    assert stage.index.replacements == 5


def test_a_sidecar_times_its_passages_is_bounded(stage: Stage) -> None:
    """20,000,000 bytes in all: 8,000 with each of 2,500 passages, and not one more."""
    attributes = json.dumps({"metadataAttributes": {"note": "x" * 7_900}}).encode()
    many = script(*(speech(number, "A word. " * 110) for number in range(2_500)))
    stage.store.describe(MACBETH, attributes.ljust(8_001))
    report = stage.upload(many)
    assert (report.outcome, report.problems[0].kind) == (Outcome.REJECTED, "too_large")
    assert "stand with each of 2,500 passages" in report.problems[0].reason
    stage.store.describe(MACBETH, attributes.ljust(8_000))
    assert stage.upload(many).outcome is Outcome.INDEXED


def test_a_version_for_the_same_viewers_answers_on(stage: Stage) -> None:
    stage.store.describe(MACBETH, ANN_ONLY)
    stage.upload(GOOD)
    assert stage.upload(BROKEN).outcome is Outcome.REJECTED
    assert stage.index.passages_of(MACBETH)[0].readers == ("user:ann",)


def test_a_change_of_the_sidecar_writes_the_index_only_where_it_must(stage: Stage) -> None:
    stage.upload(GOOD)
    for again, outcome in ((False, Outcome.UNCHANGED), (True, Outcome.INDEXED), (False, Outcome.UNCHANGED)):
        assert outcome_of(stage.ingester.ingest_described(MACBETH, again)) is outcome


def test_a_sidecar_without_its_document_is_nothing_to_report(stage: Stage) -> None:
    stage.store.describe(MACBETH, b"{}")
    assert stage.ingester.ingest_described(MACBETH) is None
    assert (stage.store.reports, dict(stage.index.documents)) == ({}, {})


def test_after_a_purge_nothing_is_written_of_a_document_of_which_nothing_is_left(stage: Stage) -> None:
    assert stage.ingester.ingest_purged(MACBETH) is None
    assert (stage.store.reports, stage.truth.entries, dict(stage.index.documents)) == ({}, {}, {})


def test_a_version_that_comes_back_because_a_later_one_was_deleted_is_ingested(stage: Stage) -> None:
    stage.store.put(MACBETH, GOOD)
    assert outcome_of(stage.ingester.ingest_purged(MACBETH)) is Outcome.INDEXED


def test_a_purge_that_is_announced_before_the_removal_removes_the_document(stage: Stage) -> None:
    stage.upload(GOOD)
    stage.store.remove(MACBETH)
    assert outcome_of(stage.ingester.ingest_purged(MACBETH)) is Outcome.DELETED
    assert (stage.truth.entries, dict(stage.index.documents)) == ({}, {})


def test_a_purge_finishes_a_deletion_that_broke_off(stage: Stage) -> None:
    stage.upload(GOOD)
    stage.store.remove(MACBETH)
    stage.truth.delete(MACBETH)
    assert stage.ingester.ingest_purged(MACBETH) is None
    assert stage.index.documents == {}


def with_contexts(stage: Stage, **script: Any) -> ScriptedContextWriter:
    writer = ScriptedContextWriter(**script)
    stage.ingester = replace(stage.ingester, contexts=writer)
    return writer


def long_speech(number: int, first: str) -> dict[str, Any]:
    return speech(number, f"{first} " + "word " * 150, "")


def test_what_a_model_writes_on_a_passage_is_searched_and_never_shown(stage: Stage) -> None:
    writer = with_contexts(stage)
    stage.upload(script(long_speech(1, "Dunsinane"), long_speech(2, "Birnam")))
    [first, second] = stage.index.passages_of(MACBETH)
    assert (first.context, second.context) == ("On Dunsinane\nMacbeth · 5.5", "On Birnam\nMacbeth · 5.5")
    assert stage.embedder.texts[:-1] == [f"{each.context}\n{each.text}" for each in (first, second)]
    assert "On Dunsinane" not in passage_text(1, first)
    assert (len(writer.documents), "Birnam" in writer.documents[0]) == (1, True)
    assert stage.ingester.ingest(MACBETH).outcome is Outcome.UNCHANGED


def test_what_was_written_on_unchanged_passages_is_kept(stage: Stage) -> None:
    writer = with_contexts(stage)
    stage.upload(script(long_speech(1, "Dunsinane"), long_speech(2, "Birnam")))
    stage.upload(script(long_speech(1, "Dunsinane"), long_speech(2, "Cawdor")))
    assert [text.split()[0] for text in writer.asked] == ["Dunsinane", "Birnam", "Cawdor"]
    assert stage.embedder.batches == [3, 2]
    another = with_contexts(stage, model_id="another")
    stage.ingester.ingest(MACBETH)
    assert len(another.asked) == 2
    assert stage.truth.entries[MACBETH].stored.context_model_id == "another"


def test_a_context_model_that_fails_stops_nothing_and_is_reported(stage: Stage) -> None:
    with_contexts(stage, failure="The model is asked too often at the moment.", fails_at=1)
    report = stage.upload(script(long_speech(1, "Dunsinane"), long_speech(2, "Birnam")))
    assert report.outcome is Outcome.INDEXED
    [problem] = report.problems
    assert (problem.kind, problem.place) == ("context_model", "")
    assert problem.reason.startswith("1 of 2 passages are searched without a model's sentence")
    assert "The model is asked too often" in problem.reason
    assert [each.context for each in stage.index.passages_of(MACBETH)] == [
        "On Dunsinane\nMacbeth · 5.5",
        "Macbeth · 5.5",
    ]
    writer = with_contexts(stage)
    assert stage.ingester.ingest(MACBETH).problems == ()
    assert [text.split()[0] for text in writer.asked] == ["Birnam"]
    assert stage.index.passages_of(MACBETH)[1].context == "On Birnam\nMacbeth · 5.5"


def test_a_long_document_is_shown_in_windows_around_its_passages(stage: Stage) -> None:
    writer = with_contexts(stage)
    stage.upload(play("macbeth"))
    assert len(writer.documents) == 3
    assert max(len(document) for document in writer.documents) < 49_000
    assert len(writer.asked) == len(set(writer.asked)) == 140


def test_no_more_windows_are_shown_to_a_model_that_failed(stage: Stage) -> None:
    writer = with_contexts(stage, failure="ThrottledError.", fails_at=2)
    report = stage.upload(play("macbeth"))
    assert (len(writer.documents), len(writer.asked)) == (1, 2)
    assert "138 of 140 passages" in report.problems[0].reason


def test_an_ingest_writes_some_contexts_and_the_next_goes_on(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts, "MAX_WRITTEN", 100)
    writer = with_contexts(stage)
    report = stage.upload(play("macbeth"))
    assert (report.outcome, len(writer.asked)) == (Outcome.INDEXED, 100)
    [problem] = report.problems
    assert (problem.kind, problem.reason[:18]) == ("context_model", "40 of 140 passages")
    assert "at most" in problem.reason
    assert stage.ingester.ingest(MACBETH).problems == ()
    assert len(writer.asked) == len(set(writer.asked)) == 140
    assert stage.embedder.batches == [141, 40]
    assert stage.ingester.ingest(MACBETH).outcome is Outcome.UNCHANGED
