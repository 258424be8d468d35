"""The contract of `IndexRebuild`: at every moment a search finds the right passages, and no write is lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count

import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey, PassageFilter
from cicada.errors import UnavailableError
from cicada.retrieval.model import EmbeddedPassage, Hit
from cicada.retrieval.ports import PassageIndex
from tests.contract.passage_indexes import IndexUnderTest, eventually
from tests.contract.passages import HAMLET, MACBETH, PLAYS, asking, embedded

OTHELLO = DocumentKey(PLAYS, "othello.json")
EVERYTHING = PassageFilter(PLAYS)


@pytest.fixture
def index(under_test: IndexUnderTest) -> PassageIndex:
    """Holds the first version of Macbeth."""
    index = under_test.open()
    put(index, MACBETH, speeches(MACBETH, 2, "v1"))
    return index


def speeches(document: DocumentKey, count: int, version: str) -> list[EmbeddedPassage]:
    return embedded(document, *["queen"] * count, version=version)


def put(index: PassageIndex, document: DocumentKey, passages: list[EmbeddedPassage]) -> None:
    index.replace(document, passages)
    wanted = [each.passage.version for each in passages]
    # A refresh between the two retrievers' searches may show a write to one of them first.
    assert eventually(lambda: by_retriever(index, document) == (wanted, wanted))


def versions(index: PassageIndex, document: DocumentKey = MACBETH) -> list[str]:
    lexical, semantic = by_retriever(index, document)
    assert lexical == semantic
    return lexical


def by_retriever(index: PassageIndex, document: DocumentKey) -> tuple[list[str], list[str]]:
    found = index.search(asking("queen", limit=200, document_ids=frozenset({document.document_id})))
    lexical, semantic = (sorted(hit.passage.version for hit in each) for each in (found.lexical, found.semantic))
    return lexical, semantic


def test_the_new_index_answers_after_the_switch_and_not_before(under_test: IndexUnderTest, index: PassageIndex) -> None:
    put(index, OTHELLO, speeches(OTHELLO, 1, "lacking"))
    rebuild = under_test.rebuild()
    building = rebuild.begin()
    building.replace(MACBETH, speeches(MACBETH, 3, "copy"))
    building.replace(HAMLET, speeches(HAMLET, 1, "copy"))
    assert (versions(index), versions(index, HAMLET)) == (["v1", "v1"], [])
    rebuild.switch()
    for reader in (index, under_test.open()):
        assert (versions(reader), versions(reader, HAMLET)) == (["copy"] * 3, ["copy"])
        assert (reader.count(EVERYTHING), reader.passages_of(OTHELLO)) == (4, ())
        assert [passage.version for passage in reader.passages_of(MACBETH)] == ["copy"] * 3
        assert len(reader.vectors_of(PLAYS, ["macbeth.json#000002"])) == 1


def test_one_rebuild_can_follow_another(under_test: IndexUnderTest, index: PassageIndex) -> None:
    for version in ("first", "second"):
        rebuild = under_test.rebuild()
        rebuild.begin().replace(MACBETH, speeches(MACBETH, 2, version))
        rebuild.switch()
        assert versions(index) == [version] * 2
        put(index, HAMLET, speeches(HAMLET, 1, f"after {version}"))
    rebuild = under_test.rebuild()
    rebuild.begin()
    rebuild.switch()
    assert index.count(EVERYTHING) == 0


def test_an_abandoned_index_is_never_seen_and_nothing_is_written_to_it(
    under_test: IndexUnderTest, index: PassageIndex
) -> None:
    rebuild = under_test.rebuild()
    building = rebuild.begin()
    building.replace(MACBETH, speeches(MACBETH, 3, "copy"))
    rebuild.abandon()
    assert versions(index) == ["v1", "v1"]
    with pytest.raises(UnavailableError):
        building.replace(HAMLET, speeches(HAMLET, 1, "copy"))
    with pytest.raises(UnavailableError):
        rebuild.switch()
    put(index, MACBETH, speeches(MACBETH, 1, "v2"))
    assert eventually(lambda: under_test.open().count(EVERYTHING) == 1)


def test_a_half_built_index_makes_way_for_the_next_one(under_test: IndexUnderTest, index: PassageIndex) -> None:
    dead = under_test.rebuild()
    left = dead.begin()
    left.replace(HAMLET, speeches(HAMLET, 3, "dead"))
    rebuild = under_test.rebuild()
    rebuild.begin().replace(MACBETH, speeches(MACBETH, 2, "copy"))
    with pytest.raises(UnavailableError):
        dead.switch()
    dead.abandon()
    rebuild.switch()
    assert versions(index) == ["copy", "copy"]
    assert versions(index, HAMLET) == []


def test_a_switch_without_a_new_index_is_refused(under_test: IndexUnderTest, index: PassageIndex) -> None:
    with pytest.raises(UnavailableError):
        under_test.rebuild().switch()
    assert versions(index) == ["v1", "v1"]


def test_what_is_written_to_the_live_index_meanwhile_reaches_the_new_one(
    under_test: IndexUnderTest, index: PassageIndex
) -> None:
    put(index, HAMLET, speeches(HAMLET, 1, "v1"))
    rebuild = under_test.rebuild()
    building = rebuild.begin()
    for document in (MACBETH, HAMLET):
        building.replace(document, speeches(document, 2, "copy"))
    index.replace(MACBETH, speeches(MACBETH, 3, "v2"))
    index.replace(OTHELLO, speeches(OTHELLO, 1, "new"))
    index.delete(HAMLET)
    assert eventually(lambda: building.count(EVERYTHING) == index.count(EVERYTHING) == 4)
    rebuild.switch()
    assert (versions(index), versions(index, HAMLET), versions(index, OTHELLO)) == (["v2"] * 3, [], ["new"])


def test_another_process_can_go_on_with_a_rebuild(under_test: IndexUnderTest, index: PassageIndex) -> None:
    assert under_test.rebuild().building() is None
    under_test.rebuild().begin().replace(MACBETH, speeches(MACBETH, 2, "copy"))
    other = under_test.rebuild()
    building = other.building()
    assert building is not None
    assert versions(building) == ["copy"] * 2
    building.replace(HAMLET, speeches(HAMLET, 1, "copy"))
    other.switch()
    assert (versions(index), versions(index, HAMLET)) == (["copy"] * 2, ["copy"])
    assert under_test.rebuild().building() is None


def test_another_process_can_abandon_a_rebuild(under_test: IndexUnderTest, index: PassageIndex) -> None:
    begun = under_test.rebuild()
    begun.begin()
    other = under_test.rebuild()
    other.building()
    other.abandon()
    with pytest.raises(UnavailableError):
        begun.switch()
    assert under_test.rebuild().building() is None
    assert versions(index) == ["v1", "v1"]


def test_a_document_copied_twice_is_there_once(under_test: IndexUnderTest, index: PassageIndex) -> None:
    rebuild = under_test.rebuild()
    building = rebuild.begin()
    building.replace(MACBETH, speeches(MACBETH, 3, "first copy"))
    building.replace(MACBETH, speeches(MACBETH, 2, "second copy"))
    building.replace(HAMLET, speeches(HAMLET, 2, "copy"))
    building.delete(HAMLET)
    rebuild.switch()
    assert eventually(lambda: index.count(EVERYTHING) == 2)
    assert versions(index) == ["second copy"] * 2


def test_another_tenants_document_of_the_same_name_is_another_one(
    under_test: IndexUnderTest, index: PassageIndex
) -> None:
    theirs = DocumentKey(KnowledgeBaseKey("tenant-b", "plays"), MACBETH.document_id)
    rebuild = under_test.rebuild()
    building = rebuild.begin()
    building.replace(MACBETH, speeches(MACBETH, 2, "copy"))
    building.replace(theirs, speeches(theirs, 3, "older"))
    index.replace(theirs, speeches(theirs, 1, "theirs"))
    rebuild.switch()
    assert versions(index) == ["copy"] * 2
    assert eventually(lambda: index.count(PassageFilter(theirs.base_key)) == 1)


def test_while_others_write_and_read_a_rebuild_loses_nothing_and_shows_whole_versions(
    under_test: IndexUnderTest, index: PassageIndex
) -> None:
    put(index, MACBETH, [])
    traffic = Traffic(under_test, index, {document: speeches(document, 5, "v0") for document in DOCUMENTS})
    for document, passages in traffic.newest.items():
        put(index, document, passages)
    with traffic.running():
        for _ in range(2):
            rebuild = under_test.rebuild()
            copy_all(traffic.newest, rebuild.begin())
            traffic.await_a_search()
            rebuild.switch()
            traffic.await_a_search()
    assert {by_document(retriever) for retriever in traffic.seen} == {((5, 1),) * len(DOCUMENTS)}
    for document, passages in traffic.newest.items():
        wanted = [each.passage.version for each in passages]
        assert eventually(lambda: by_retriever(index, document) == (wanted, wanted))  # noqa: B023
    assert eventually(lambda: index.count(EVERYTHING) == 5 * len(DOCUMENTS))


DOCUMENTS = [DocumentKey(PLAYS, f"d{number}") for number in range(4)]


def copy_all(newest: dict[DocumentKey, list[EmbeddedPassage]], building: PassageIndex) -> None:
    """Until a look after the last copy finds nothing newer: a copy may have overwritten what was written meanwhile."""
    copied: dict[DocumentKey, list[EmbeddedPassage]] = {}
    while pending := [document for document in newest if copied.get(document) is not newest[document]]:
        for document in pending:
            copied[document] = newest[document]
            building.replace(document, copied[document])


def by_document(retriever: tuple[Hit, ...]) -> tuple[tuple[int, int], ...]:
    """How many passages of each document were found, and of how many versions."""
    found: dict[DocumentKey, list[str]] = {}
    for hit in retriever:
        found.setdefault(hit.passage.document, []).append(hit.passage.version)
    return tuple((len(versions), len(set(versions))) for versions in found.values())


@dataclass(slots=True)
class Traffic:
    """Keeps replacing two of the documents, and searches for all."""

    under_test: IndexUnderTest
    reader: PassageIndex
    newest: dict[DocumentKey, list[EmbeddedPassage]]
    seen: list[tuple[Hit, ...]] = field(default_factory=list)
    finished: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def running(self) -> Iterator[None]:
        """A failure of the traffic is raised at the end."""
        with ThreadPoolExecutor() as threads:
            writing = [threads.submit(self._write, document) for document in DOCUMENTS[:2]]
            reading = threads.submit(self._read)
            try:
                yield
            finally:
                self.finished.set()
            for each in (*writing, reading):
                each.result()

    def await_a_search(self) -> None:
        before = len(self.seen)
        assert eventually(lambda: len(self.seen) > before)

    def _write(self, document: DocumentKey) -> None:
        index = self.under_test.open()
        for number in count(1):
            # The ground truth is written before the index, as in an ingest.
            self.newest[document] = speeches(document, 5, f"v{number}")
            began = time.monotonic()
            index.replace(document, self.newest[document])
            # Now and then the copies must be given the time to catch up.
            if self.finished.wait(4 * (time.monotonic() - began)):
                return

    def _read(self) -> None:
        while not self.finished.wait(0.01):
            found = self.reader.search(asking("queen", limit=100))
            self.seen += [found.lexical, found.semantic]
