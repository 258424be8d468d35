"""The rebuild: the new index's content, the exclusive right to work on it, and the state after a failure."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from msgspec.structs import replace

from cicada.documents.catalogue import Card
from cicada.documents.model import DocumentKey, PassageFilter, ScriptLocator
from cicada.errors import ConfigurationError, InvalidFrameError, UnavailableError
from cicada.ingest.model import RebuildProgress, RebuildRecord, RebuildState, StoredDocument, StoredPassage
from cicada.ingest.rebuild import Rebuilder, rebuild_at_once
from cicada.retrieval.model import CardQuery
from tests.fakes.access import RecordedAccessLists
from tests.fakes.ground_truth import InMemoryGroundTruth, InMemoryRebuildLog
from tests.fakes.passage_index import IndexContents, InMemoryIndexRebuild, InMemoryPassageIndex
from tests.fakes.passages import PLAYS, passage

MODEL, DIMENSION = "embedder-1", 2
FOREVER = 10_000.0


def document(name: str) -> DocumentKey:
    return DocumentKey(PLAYS, name)


def stored(name: str, version: str = "v1", model_id: str = MODEL, dimension: int = DIMENSION) -> StoredDocument:
    key, vector = document(name), array("f", [0.6, *[0.8] * (dimension - 1)])
    kept = StoredPassage(passage(key, text=f"text {version}", version=version), "Prefix.", vector)
    return StoredDocument(key, version, model_id, dimension, (kept,))


class WatchedTruth(InMemoryGroundTruth):
    """`after_read` runs after each read, when the reader has what it came for."""

    def __init__(self) -> None:
        super().__init__()
        self.after_read: Callable[[DocumentKey], None] = lambda document: None

    def read(self, document: DocumentKey) -> Any:
        entry = super().read(document)
        self.after_read(document)
        return entry


@dataclass
class Stage:
    """A truth, an index that has lost everything, and a clock that stands still unless it is told."""

    truth: WatchedTruth = field(default_factory=WatchedTruth)
    contents: IndexContents = field(default_factory=lambda: IndexContents(MODEL, DIMENSION))
    log: InMemoryRebuildLog = field(default_factory=InMemoryRebuildLog)
    now: float = 1000.0
    runs: Iterator[int] = field(default_factory=lambda: count(1))
    access_lists: RecordedAccessLists = field(default_factory=RecordedAccessLists)

    def rebuilder(self, threads: int = 1) -> Rebuilder:
        """A rebuilder as in a separate process."""
        indexes = InMemoryIndexRebuild(self.contents)
        ports = (self.truth, indexes, self.log, MODEL, DIMENSION, lambda: self.now, lambda: f"run-{next(self.runs)}")
        return Rebuilder(*ports, threads=threads, access_lists=self.access_lists)

    def start(self, threads: int = 1) -> RebuildProgress:
        """Go through with a new rebuild."""
        return self.rebuilder(threads).start(FOREVER)

    def begin(self) -> RebuildProgress:
        """Begin a rebuild and copy one document."""
        return self.rebuilder().start(self.now)

    def go_on(self, run: str = "run-1", until: float = FOREVER) -> RebuildProgress:
        return self.rebuilder().go_on(run, until)

    @property
    def live(self) -> InMemoryPassageIndex:
        return InMemoryPassageIndex(MODEL, DIMENSION, self.contents)

    @property
    def is_ended(self) -> bool:
        return (self.contents.building, self.log.record) == (None, None)

    def write(self, name: str, version: str) -> None:
        """Write a version as an ingest does."""
        self.truth.write(stored(name, version))
        self.live.replace(document(name), stored(name, version).embedded())

    def answering(self) -> dict[str, str]:
        return {key.document_id: kept[0].passage.version for key, kept in self.contents.documents.items()}


@pytest.fixture
def stage() -> Stage:
    made = Stage()
    for name in ("a", "b", "c"):
        made.truth.write(stored(name))
    return made


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_a_lost_index_is_made_anew_of_what_was_kept_copied_once(stage: Stage, threads: int) -> None:
    stage.live.replace(document("ghost"), stored("ghost").embedded())
    copied: list[str] = []
    stage.truth.after_read = lambda key: copied.append(key.document_id)
    assert stage.start(threads) == RebuildProgress("run-1", RebuildState.SWITCHED, 3, 3)
    shown = {key: [each.passage for each in kept] for key, kept in stage.contents.documents.items()}
    assert shown == {document(name): [each.passage for each in stored(name).embedded()] for name in ("a", "b", "c")}
    assert (sorted(copied), stage.is_ended) == (["a", "b", "c"], True)


def test_the_new_index_has_the_cards_of_the_truth(stage: Stage) -> None:
    card_vector = array("f", [1.0, *[0.0] * (DIMENSION - 1)])
    stage.truth.write(replace(stored("a"), card=Card("Travel policy"), card_vector=card_vector))
    stage.start()
    hits = stage.live.find_cards(CardQuery(PassageFilter(PLAYS), "travel", card_vector))
    for found in (hits.lexical, hits.semantic):
        assert [(hit.row.document.document_id, hit.row.card) for hit in found] == [("a", Card("Travel policy"))]


def test_a_script_that_was_stored_without_facts_is_searched_by_them_from_then_on(stage: Stage) -> None:
    locator = ScriptLocator("a", "A", "1.1", "", 1, 1, ("Otto",))
    (kept,) = stored("a").passages
    told = replace(kept.passage, text="Otto: My heart! [Dies]", context="A · 1.1", locator=locator)
    stage.truth.write(replace(stored("a"), passages=(replace(kept, passage=told),)))
    stage.start()
    (copied,) = stage.contents.documents[document("a")]
    assert copied.passage.context == "Prefix.\nA · 1.1\nOtto dies, the death of Otto"


def test_viewers_that_were_never_recorded_are_added(stage: Stage) -> None:
    stage.access_lists.record(document("a"), ("user:ann",))
    stage.start()
    assert stage.access_lists.rows == {document("a"): ("user:ann",), document("b"): (), document("c"): ()}


def test_a_document_that_was_rejected_and_remembered_has_neither_passages_nor_a_row_of_viewers(stage: Stage) -> None:
    stage.truth.write(replace(stored("a"), passages=()))
    stage.access_lists.record(document("a"), ())
    stage.start()
    assert stage.answering() == {"b": "v1", "c": "v1"}
    assert set(stage.access_lists.rows) == {document("b"), document("c")}


def test_a_document_that_is_deleted_during_a_rebuild_does_not_come_back(stage: Stage) -> None:
    stage.truth.after_read = lambda key: stage.truth.delete(document("b"))
    assert stage.start().state is RebuildState.SWITCHED
    assert stage.answering() == {"a": "v1", "c": "v1"}
    assert set(stage.access_lists.rows) == {document("a"), document("c")}


def test_a_rebuild_is_done_in_slices_by_any_process(stage: Stage) -> None:
    assert stage.begin() == RebuildProgress("run-1", RebuildState.COPYING, 1, 3)
    assert stage.go_on(until=stage.now) == RebuildProgress("run-1", RebuildState.COPYING, 2, 3)
    assert stage.answering() == {}
    stage.write("d", "v1")
    assert stage.go_on() == RebuildProgress("run-1", RebuildState.SWITCHED, 4, 4)
    assert stage.answering() == dict.fromkeys("abcd", "v1")


def test_what_changes_between_two_slices_is_copied_again_and_what_goes_is_removed(stage: Stage) -> None:
    stage.begin()
    stage.go_on(until=stage.now)
    # The truth alone: the ingests die before they reach an index.
    stage.truth.write(stored("a", "v2"))
    stage.truth.delete(document("b"))
    assert stage.go_on().state is RebuildState.SWITCHED
    assert stage.answering() == {"a": "v2", "c": "v1"}


@pytest.mark.parametrize(("model_id", "dimension"), [("embedder-2", 2), (MODEL, 3)])
def test_vectors_of_another_embedder_are_refused_with_the_two_names(
    stage: Stage, model_id: str, dimension: int
) -> None:
    stage.write("a", "v1")
    stage.truth.write(stored("b", model_id=model_id, dimension=dimension))
    with pytest.raises(ConfigurationError) as refusal:
        stage.start()
    for name in (f"{model_id} ({dimension} dimensions)", f"{MODEL} ({DIMENSION} dimensions)"):
        assert name in str(refusal.value)
    assert (stage.answering(), stage.is_ended) == ({"a": "v1"}, True)


def test_a_failure_in_any_slice_leaves_the_old_index_answering(stage: Stage) -> None:
    def fail(key: DocumentKey) -> None:
        if key.document_id == "c":
            raise UnavailableError("…")

    stage.write("a", "v1")
    stage.begin()
    stage.truth.after_read = fail
    with pytest.raises(UnavailableError):
        stage.go_on()
    assert (stage.answering(), stage.is_ended) == ({"a": "v1"}, True)
    stage.truth.after_read = lambda key: None
    assert stage.start().state is RebuildState.SWITCHED


def test_two_processes_do_not_work_on_a_rebuild_at_once(stage: Stage) -> None:
    seen: list[RebuildProgress] = []

    def intrude(key: DocumentKey) -> None:
        stage.truth.after_read = lambda key: None
        seen.extend([stage.start(), stage.go_on(), stage.rebuilder().abandon("run-1")])

    stage.truth.after_read = intrude
    assert stage.start().state is RebuildState.SWITCHED
    assert seen == [RebuildProgress("run-1", RebuildState.BUSY)] * 3


def test_of_two_that_start_at_the_same_moment_one_works(stage: Stage) -> None:
    class Racing(InMemoryRebuildLog):
        def read(self) -> tuple[RebuildRecord | None, str]:
            seen = super().read()
            super().write(RebuildRecord("the other", stage.now + 960.0), seen[1])
            return seen

    stage.log = Racing()
    assert stage.start() == RebuildProgress("run-1", RebuildState.BUSY)
    assert stage.contents.building is None


def test_a_dead_holder_blocks_a_rebuild_no_longer_than_it_could_have_lived(stage: Stage) -> None:
    busy = RebuildProgress("run-0", RebuildState.BUSY)
    stage.log.write(RebuildRecord("run-0", stage.now + 960.0), "")
    assert stage.start() == busy
    stage.now += 959.0
    assert [stage.start(), stage.go_on("run-0"), stage.rebuilder().abandon("run-0")] == [busy] * 3
    stage.now += 1.0
    assert stage.go_on("run-0").state is RebuildState.SWITCHED


def test_whoever_works_on_a_rebuild_holds_it_for_as_long_as_he_can_live(stage: Stage) -> None:
    def held_until() -> float:
        return stage.log.record.held_until if stage.log.record else -1

    held: list[float] = []
    stage.truth.after_read = lambda key: held.append(held_until())
    stage.begin()
    stage.now += 100.0
    stage.go_on(until=stage.now)
    assert held == [1960.0, 2060.0]
    assert held_until() == 0


def test_a_start_takes_over_at_the_moment_the_holder_must_be_dead(stage: Stage) -> None:
    stage.log.write(RebuildRecord("run-0", stage.now), "")
    assert stage.start().state is RebuildState.SWITCHED


def test_who_starts_anew_takes_a_rebuild_over_that_nobody_works_on(stage: Stage) -> None:
    stage.begin()
    assert stage.begin().run == "run-2"
    assert stage.go_on() == RebuildProgress("run-1", RebuildState.BUSY)
    assert stage.go_on("run-2").state is RebuildState.SWITCHED


def test_a_new_index_that_is_gone_is_begun_again(stage: Stage) -> None:
    stage.begin()
    stage.contents.end_rebuild()
    assert stage.go_on() == RebuildProgress("run-1", RebuildState.SWITCHED, 3, 3)
    assert len(stage.answering()) == 3


def test_an_abandoned_rebuild_is_dropped_by_any_process(stage: Stage) -> None:
    stage.begin()
    assert stage.rebuilder().abandon("run-1") == RebuildProgress("run-1", RebuildState.ABANDONED)
    assert stage.is_ended
    assert stage.go_on().state is RebuildState.BUSY


def test_an_empty_truth_makes_an_empty_index() -> None:
    stage = Stage()
    stage.live.replace(document("ghost"), stored("ghost").embedded())
    assert stage.start() == RebuildProgress("run-1", RebuildState.SWITCHED)
    assert stage.answering() == {}


def test_test_events_start_continue_and_end_a_rebuild(stage: Stage) -> None:
    for event, run, state, copied in (
        ({"rebuild": "start", "seconds": 0}, "run-1", "copying", 1),
        ({"rebuild": "continue", "run": "run-1"}, "run-1", "switched", 3),
        ({"rebuild": True, "seconds": 0}, "run-2", "copying", 1),
    ):
        answer = rebuild_at_once(event, stage.rebuilder(), 900)
        assert answer == {"run": run, "state": state, "copied": copied, "documents": 3}
    assert rebuild_at_once({"rebuild": "abandon", "run": "run-2"}, stage.rebuilder(), 900)["state"] == "abandoned"


def test_a_slice_ends_well_before_the_function_does(stage: Stage) -> None:
    assert rebuild_at_once({"rebuild": "start"}, stage.rebuilder(), 119)["state"] == "copying"
    stage.now += 1
    assert rebuild_at_once({"rebuild": "start", "seconds": 500}, stage.rebuilder(), 120)["state"] == "copying"
    assert rebuild_at_once({"rebuild": "start", "seconds": 500}, stage.rebuilder(), 121)["state"] == "switched"


@pytest.mark.parametrize(
    "event",
    [
        {"rebuild": "stop"},
        {"rebuild": False},
        {"rebuild": "continue"},
        {"rebuild": "abandon", "run": ""},
        {"rebuild": "start", "seconds": "soon"},
        {"rebuild": "start", "seconds": -1},
        {"rebuild": "start", "seconds": float("nan")},
        {"rebuild": "start", "seconds": True},
    ],
)
def test_another_event_is_refused_and_touches_nothing(stage: Stage, event: dict[str, Any]) -> None:
    with pytest.raises(InvalidFrameError):
        rebuild_at_once(event, stage.rebuilder(), 900)
    assert stage.is_ended
