"""A document that loses its viewers, or must have some, is for nobody until it says that it is for everyone."""

from __future__ import annotations

import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.identity import Principal
from cicada.ingest.ingest import Ingester
from cicada.ingest.model import IngestReport, Outcome
from cicada.ingest.prose.parser import prose_parsers
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.permissions import viewer_names
from tests.fakes.access import RecordedAccessLists
from tests.fakes.document_store import InMemoryDocumentStore
from tests.fakes.ground_truth import InMemoryGroundTruth
from tests.unit.ingest.passage_index import CountingEmbedder, DisturbedIndex

NOTE = DocumentKey(KnowledgeBaseKey("acme", "notes"), "note.md")
ANN = b'{"accessControlList": [{"name": "ann", "type": "USER", "access": "ALLOW"}]}'
EVERYONE = b'{"readers": "everyone"}'
TEXT = b"Text."
ANNS_FRONT, OPEN_FRONT = b"---\nreaders: user:ann\n---\nText.", b"---\nreaders: everyone\n---\nText."


class Base:
    """A knowledge base and its ingest; `restricted` is the name of the bases that are."""

    def __init__(self, restricted: str = "") -> None:
        self.store, self.truth, self.index = InMemoryDocumentStore(), InMemoryGroundTruth(), DisturbedIndex()
        self.record = RecordedAccessLists()
        ports = (self.store, self.truth, self.index, CountingEmbedder(), prose_parsers())
        bases = KnowledgeBases(named={restricted: KnowledgeBase(restricted, restricted=True)})
        self.ingester = Ingester(*ports, bases=bases, access_lists=self.record)

    def put(self, content: bytes, sidecar: bytes | None) -> IngestReport:
        self.store.put(NOTE, content)
        self.store.describe(NOTE, sidecar)
        return self.ingester.ingest(NOTE)

    def may_read(self, user: str) -> bool:
        """Whether the user may see the note, as engines and gate decide. Record and index must say the same."""
        lists = [each.readers for each in self.index.passages_of(NOTE)]
        assert set(lists) == ({self.record.rows[NOTE]} if NOTE in self.record.rows else set())
        names = viewer_names(Principal("acme", user, frozenset({"nobody", "everyone"})))
        return bool(lists) and all(not each or names.intersection(each) for each in lists)

    @property
    def readable(self) -> tuple[bool, bool]:
        """Whether ann may see the note, and whether bob may."""
        return self.may_read("ann"), self.may_read("bob")


@pytest.fixture
def base() -> Base:
    return Base()


LOSSES = [
    pytest.param((TEXT, ANN), (TEXT, None), id="the sidecar is deleted"),
    pytest.param((TEXT, ANN), (TEXT, b"{}"), id="the sidecar loses its list"),
    pytest.param((TEXT, ANN), (b"Other text.", None), id="the file changes too"),
    pytest.param((ANNS_FRONT, None), (TEXT, None), id="the front matter is gone"),
]


@pytest.mark.parametrize(("before", "after"), LOSSES)
def test_lost_viewers_leave_nobody(
    base: Base, before: tuple[bytes, bytes | None], after: tuple[bytes, bytes | None]
) -> None:
    base.put(*before)
    assert base.readable == (True, False)
    report = base.put(*after)
    assert base.readable == (False, False)
    assert [(each.kind, "write readers: everyone" in each.reason) for each in report.problems] == [("no_readers", True)]


@pytest.mark.parametrize(
    ("opened", "readable"),
    [((TEXT, EVERYONE), (True, True)), ((OPEN_FRONT, None), (True, True)), ((TEXT, ANN), (True, False))],
)
def test_it_is_read_again_by_whom_it_names(
    base: Base, opened: tuple[bytes, bytes | None], readable: tuple[bool, bool]
) -> None:
    base.put(TEXT, ANN)
    base.put(TEXT, None)
    assert base.put(*opened).problems == ()
    assert base.readable == readable


def test_notifications_that_come_twice_or_late_do_not_open_it(base: Base) -> None:
    base.put(TEXT, ANN)
    base.put(TEXT, None)
    for again in (False, True, False):
        base.ingester.ingest_described(NOTE, again)
        base.ingester.ingest(NOTE, again)
        assert base.readable == (False, False)


@pytest.mark.parametrize("rejected", [(TEXT, b"{"), (b"", ANN), (b"", None), (b"", b"{"), (b"", EVERYONE)])
def test_a_rejection_in_between_does_not_open_a_document(base: Base, rejected: tuple[bytes, bytes | None]) -> None:
    base.put(TEXT, ANN)
    assert base.put(*rejected).outcome is Outcome.REJECTED
    assert base.readable[1] is False
    base.put(TEXT, None)
    assert base.readable == (False, False)


@pytest.mark.parametrize("rejected", [(TEXT, b"{"), (b"", ANN), (b"", b"{"), (b"---\nreaders: 7\n---\nText.", None)])
@pytest.mark.parametrize("begins_open", [False, True])
def test_taking_away_refused_viewers_opens_nothing(
    base: Base, begins_open: bool, rejected: tuple[bytes, bytes | None]
) -> None:
    if begins_open:
        base.put(TEXT, None)
    assert base.put(*rejected).outcome is Outcome.REJECTED
    assert base.put(*rejected).outcome is Outcome.REJECTED
    assert [each.kind for each in base.put(TEXT, None).problems] == ["no_readers"]
    assert base.readable == (False, False)
    base.put(TEXT, EVERYONE)
    assert base.readable == (True, True)


def test_a_document_that_was_rejected_for_another_reason_is_open_as_its_base_is(base: Base) -> None:
    for sidecar in (None, EVERYONE):
        assert base.put(b"", sidecar).outcome is Outcome.REJECTED
        base.put(TEXT, None)
        assert base.readable == (True, True)


def test_a_document_for_everyone_stays_so_and_one_without_viewers_is_open(base: Base) -> None:
    for sidecar in (None, EVERYONE, None):
        base.put(TEXT, sidecar)
        assert base.readable == (True, True)


def test_a_document_that_was_removed_is_forgotten(base: Base) -> None:
    base.put(TEXT, ANN)
    base.store.remove(NOTE)
    base.ingester.ingest(NOTE)
    base.put(TEXT, None)
    assert base.readable == (True, True)


def test_in_a_restricted_base_a_document_without_viewers_is_for_nobody() -> None:
    base = Base(restricted=NOTE.base_key.knowledge_base)
    assert [each.kind for each in base.put(TEXT, None).problems] == ["no_readers"]
    assert base.readable == (False, False)
    for sidecar, readable in ((ANN, (True, False)), (EVERYONE, (True, True)), (None, (False, False))):
        base.put(TEXT, sidecar)
        assert base.readable == readable


def test_another_base_is_not_restricted_by_it() -> None:
    base = Base(restricted="other")
    base.put(TEXT, None)
    assert base.readable == (True, True)
