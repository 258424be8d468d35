"""Ingest into a base of which nobody has declared a schema."""

from __future__ import annotations

import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import UnavailableError
from cicada.ingest import ingest
from cicada.ingest.ingest import Ingester
from cicada.ingest.model import IngestReport, Outcome
from cicada.ingest.prose.parser import prose_parsers
from cicada.knowledge_bases.kept import CompletedBases
from cicada.knowledge_bases.schema import FieldType
from cicada.knowledge_bases.settings import KnowledgeBases
from tests.fakes.base_record import InMemoryBaseRecord
from tests.fakes.clock import Clock
from tests.fakes.document_store import InMemoryDocumentStore
from tests.fakes.ground_truth import InMemoryGroundTruth
from tests.unit.ingest.passage_index import CountingEmbedder, DisturbedIndex

MINUTES = KnowledgeBaseKey("acme", "minutes")


class Base:
    def __init__(self) -> None:
        self.store, self.index, self.record = InMemoryDocumentStore(), DisturbedIndex(), InMemoryBaseRecord()
        self.bases = KnowledgeBases(completed=CompletedBases(self.record, Clock(), seconds=0))
        self.truth, self.embedder = InMemoryGroundTruth(), CountingEmbedder()
        ports = (self.store, self.truth, self.index, self.embedder, prose_parsers())
        self.ingester = Ingester(*ports, bases=self.bases, fields=self.record)

    def put(self, name: str, front: str) -> IngestReport:
        document = DocumentKey(MINUTES, name)
        self.store.put(document, f"---\n{front}\n---\nText.".encode())
        return self.ingester.ingest(document)

    def counts(self) -> dict[str, int]:
        """The values that everybody knows, each with the number of its documents."""
        observed = self.record.read(MINUTES, frozenset()).observed
        return {text: count for each in observed for text, count in each.values.items()}

    def metadata(self, name: str) -> dict[str, object]:
        (passage,) = self.index.passages_of(DocumentKey(MINUTES, name))
        return {name: value for name, value in passage.metadata.items() if name != "language"}

    def types(self, *viewers: str) -> dict[str, FieldType]:
        return {each.name: each.type for each in self.bases.of(MINUTES, frozenset(viewers)).schema.fields.values()}


@pytest.fixture
def base() -> Base:
    return Base()


def test_front_matter_makes_typed_fields(base: Base) -> None:
    report = base.put("a.md", "date: 2024-05-02\nbudget: 1200\nchair: Ann Lee\ntags: [x, y]")
    assert report.problems == ()
    assert base.metadata("a.md") == {"date": "2024-05-02", "budget": 1200.0, "chair": "Ann Lee", "tags": ("x", "y")}
    assert base.types() == {
        "date": FieldType.DATE,
        "budget": FieldType.NUMBER,
        "chair": FieldType.PERSON,
        "tags": FieldType.KEYWORDS,
    }


def test_values_of_conflicting_types_are_texts_from_then_on_and_the_report_says_so(base: Base) -> None:
    base.put("a.md", "budget: 1200")
    (problem,) = base.put("b.md", "budget: unknown").problems
    assert problem.kind == "metadata"
    assert problem.reason == "Values of 'budget' look like number and text, so all are taken as text."
    base.put("c.md", "budget: 900")
    assert (base.metadata("a.md"), base.metadata("c.md")) == ({"budget": 1200.0}, {"budget": "900"})
    assert base.ingester.ingest(DocumentKey(MINUTES, "a.md"), again=True).outcome is Outcome.INDEXED
    assert base.metadata("a.md") == {"budget": "1200"}


def test_fields_of_a_document_with_viewers_are_told_to_no_other(base: Base) -> None:
    base.put("a.md", "room: Hall A")
    base.put("b.md", "readers: group:board\nroom: Vault\nsecret_budget: 7")
    assert base.types() == base.types("group:staff") == {"room": FieldType.KEYWORD}
    assert base.types("group:board") == {"room": FieldType.KEYWORD, "secret_budget": FieldType.NUMBER}
    assert base.bases.of(MINUTES).schema.fields["room"].values == ("Hall A",)


def test_what_is_set_for_the_base_types_its_documents(base: Base) -> None:
    base.record.write_text(MINUTES, '[fields.budget]\ntype = "keyword"\n[fields.standing]\nwords = ["state"]')
    base.put("a.md", "budget: 1200\nstanding: draft")
    assert base.metadata("a.md") == {"budget": "1200", "standing": "draft"}
    assert base.bases.of(MINUTES).schema.fields["standing"].values == ("draft",)


def test_a_restriction_that_is_set_holds_at_ingest(base: Base) -> None:
    base.record.write_text(MINUTES, "restricted = true")
    assert [each.kind for each in base.put("a.md", "room: Hall A").problems] == ["no_readers"]
    assert base.types() == {}


def test_a_document_without_fields_writes_nothing(base: Base) -> None:
    base.put("a.md", "title: Nothing")
    assert base.record.rows == {}


def test_fields_beyond_the_bound_stay_texts_and_are_named(base: Base) -> None:
    for number in range(3):
        base.put(f"{number}.md", "\n".join(f"f{number}_{field}: 1" for field in range(22)))
    (problem,) = base.put("c.md", "one_more: 1").problems
    assert (problem.kind, base.metadata("c.md")) == ("unknown_field", {"one_more": "1"})
    assert "No question knows 'one_more', which stay texts: the base has 64 fields" in problem.reason


def test_a_record_that_cannot_be_written_is_no_verdict_on_the_file(base: Base) -> None:
    base.record.failure = UnavailableError("…")
    with pytest.raises(UnavailableError):
        base.put("a.md", "room: Hall A")
    assert base.store.reports == {}


def test_nothing_is_left_of_the_values_of_a_removed_document(base: Base) -> None:
    base.put("a.md", "room: Hall A")
    base.put("b.md", "room: Vault\ncolour: red")
    base.put("b.md", "room: Cellar")
    assert tuple(base.bases.of(MINUTES).schema.fields["room"].values) == ("Hall A", "Cellar")
    base.store.remove(DocumentKey(MINUTES, "b.md"))
    base.ingester.ingest(DocumentKey(MINUTES, "b.md"))
    assert tuple(base.bases.of(MINUTES).schema.fields["room"].values) == ("Hall A",)
    base.put("a.md", "title: Nothing")
    assert base.types() == {}


@pytest.mark.parametrize("failing", ["embedder", "truth"])
def test_nothing_is_known_of_a_document_that_was_not_written(base: Base, failing: str) -> None:
    base.put("a.md", "room: Hall A")
    getattr(base, failing).failure = UnavailableError("…")
    with pytest.raises(UnavailableError):
        base.put("b.md", "room: Vault\ncolour: red\n---\nOther text.")
    assert base.counts() == {"Hall A": 1}


def test_what_a_document_said_stays_known_where_its_new_version_was_not_written(base: Base) -> None:
    for name in ("a.md", "b.md"):
        base.put(name, "room: Hall A")
    base.truth.failure = UnavailableError("…")
    with pytest.raises(UnavailableError):
        base.put("b.md", "room: Vault")
    assert base.counts() == {"Hall A": 2}
    base.truth.failure = None
    base.put("b.md", "room: Vault")
    assert base.counts() == {"Hall A": 1, "Vault": 1}


def test_a_document_that_was_written_but_not_indexed_is_counted_once(base: Base) -> None:
    base.put("a.md", "room: Hall A")
    base.index.failure_of_replace = UnavailableError("…")
    with pytest.raises(UnavailableError):
        base.put("b.md", "room: Hall A")
    base.index.failure_of_replace = None
    base.put("b.md", "room: Hall A")
    assert base.counts() == {"Hall A": 2}


def test_nothing_is_known_of_a_document_with_too_much_metadata(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "_MAX_DESCRIPTION_BYTES", 10)
    assert base.put("a.md", "room: Hall A").outcome is Outcome.REJECTED
    assert base.counts() == {}
