"""Edges between documents, in a base of documents ingested one after another."""

from __future__ import annotations

from collections import Counter
from typing import Any

from msgspec.structs import replace

from cicada.documents.catalogue import Card
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.ingest.cards.related import NAMED
from cicada.ingest.ingest import Ingester
from cicada.ingest.model import CardDraft, IngestReport, Outcome
from cicada.ingest.prose.parser import prose_parsers
from cicada.ingest.rebuild import Rebuilder
from tests.fakes.card_writer import ScriptedCardWriter
from tests.fakes.document_store import InMemoryDocumentStore
from tests.fakes.ground_truth import InMemoryGroundTruth, InMemoryRebuildLog
from tests.fakes.passage_index import InMemoryIndexRebuild
from tests.unit.ingest.passage_index import CountingEmbedder, DisturbedIndex

BASE = KnowledgeBaseKey("acme", "store")
VALVES = "# Valve Inspection\n\nPressure valves are inspected each month. Pressure valves that leak are replaced."
PUMPS = "# Pump Repair\n\nA pump is repaired by its fitter. Pressure valves of a pump are inspected with it."
HOLIDAYS = (
    "# Holidays\n\nEverybody has thirty days of holidays. Holidays are asked for in writing, and the fitter is told."
)


class CountingIndex(DisturbedIndex):
    """Counts the requests that cards need."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: Counter[str] = Counter()

    def __getattribute__(self, name: str) -> Any:
        if name in ("find_cards", "passages_with", "rows", "count"):
            self.requests[name] += 1
        return super().__getattribute__(name)


class Base:
    """A knowledge base and what it is ingested with."""

    def __init__(self, writer: ScriptedCardWriter | None = None) -> None:
        self.store = InMemoryDocumentStore()
        self.truth = InMemoryGroundTruth()
        self.index = CountingIndex()
        self.embedder = CountingEmbedder()
        self.ingester = Ingester(self.store, self.truth, self.index, self.embedder, prose_parsers(), cards=writer)

    def upload(self, name: str, text: str) -> IngestReport:
        self.store.put(DocumentKey(BASE, name), text.encode())
        return self.ingester.ingest(DocumentKey(BASE, name))

    def card(self, name: str) -> Card:
        row = self.index.row(DocumentKey(BASE, name))
        assert row is not None
        assert row.card is not None
        return row.card

    def related(self, name: str) -> dict[str, float]:
        return {each.document_id: each.weight for each in self.card(name).related}


def test_documents_that_share_salient_terms_are_related_and_others_are_not() -> None:
    base = Base()
    # Whoever routes filters by viewers.
    base.upload("valves.md", f'---\nreaders: ["user:bob"]\n---\n{VALVES}')
    base.upload("holidays.md", HOLIDAYS)
    base.upload("pumps.md", PUMPS)
    assert list(base.related("pumps.md")) == ["valves.md"]
    assert 0 < base.related("pumps.md")["valves.md"] < NAMED


def test_a_document_that_is_named_by_file_code_or_title_weighs_most() -> None:
    base = Base()
    base.upload("sop-qa-012.md", HOLIDAYS)
    base.upload("rules/iso-9001.md", "# Something else\n\nNothing in common.")
    base.upload("valves.md", VALVES)
    base.upload("rules/new.md", "# Canteen\n\nFor the canteen see SOP-QA-012, ISO-9001 and the Valve Inspection.")
    assert base.related("rules/new.md") == {"rules/iso-9001.md": NAMED, "sop-qa-012.md": NAMED, "valves.md": NAMED}


def test_a_document_is_related_to_one_that_named_it_before_it_was_there() -> None:
    base = Base()
    base.upload("canteen.md", "# Canteen\n\nFor the canteen see SOP-QA-012.")
    base.upload("holidays.md", "# Kitchen\n\nHolidays of the kitchen.")
    base.upload("sop-qa-012.md", VALVES)
    assert base.related("sop-qa-012.md") == {"canteen.md": NAMED}


def test_words_of_a_title_are_no_reference() -> None:
    base = Base()
    base.upload("holidays.md", HOLIDAYS)
    base.upload("other.md", "# Canteen\n\nOn holidays the canteen is closed. The canteen opens at nine.")
    assert NAMED not in base.related("other.md").values()
    base = Base()
    base.upload("other.md", "# Canteen\n\nOn holidays the canteen is closed. The canteen opens at nine.")
    assert "holidays" in {keyword for section in base.card("other.md").sections for keyword in section.keywords}
    base.upload("holidays.md", "# Leave\n\nLeave is asked for.")
    assert NAMED not in base.related("holidays.md").values()


def test_a_document_is_never_related_to_itself_and_to_few_others() -> None:
    base = Base()
    for number in range(12):
        base.upload(f"valves-{number}.md", f"{VALVES} Room {number}. See valves-{number}.md.")
    base.upload("valves-0.md", f"{VALVES} Another room. See valves-0.md.")
    assert len(base.related("valves-0.md")) == 8
    assert "valves-0.md" not in base.related("valves-0.md")


def test_a_card_is_made_of_what_all_of_its_viewers_may_read() -> None:
    def card(*others: str) -> Card:
        base = Base()
        for number, readers in enumerate(others):
            base.upload(f"other-{number}.md", f"---\nreaders: [{readers}]\n---\n{VALVES} {PUMPS}")
        base.upload("pumps.md", f'---\nreaders: ["user:bob"]\n---\n{PUMPS} {HOLIDAYS}')
        return replace(base.card("pumps.md"), related=())

    alone = card()
    assert (
        card('"user:ann"', '"user:ann", "user:bob"', '"user:ann"').sections == card('"user:ann", "user:bob"').sections
    )
    assert card(*['"user:ann"'] * 6) == alone


def test_documents_of_another_base_are_not_related() -> None:
    base = Base()
    other = DocumentKey(KnowledgeBaseKey("acme", "elsewhere"), "valves.md")
    base.store.put(other, VALVES.encode())
    base.ingester.ingest(other)
    base.upload("pumps.md", f"{PUMPS} See valves.md.")
    assert base.related("pumps.md") == {}


def test_the_requests_of_an_ingest_do_not_grow_with_the_base() -> None:
    base = Base()
    for name in ("first.md", "second.md"):
        base.upload(name, f"{PUMPS} {name} See SOP-QA-012.")
    for number in range(30):
        if number in (0, 29):
            base.index.requests.clear()
            base.upload(f"asks-{number}.md", f"{PUMPS} {number} See SOP-QA-012.")
            assert base.index.requests == {"find_cards": 2, "passages_with": 1, "rows": 1, "count": 1}
        base.upload(f"valves-{number}.md", f"{VALVES} Room {number}.")


def test_a_document_stays_as_it_is_when_the_base_changes() -> None:
    base = Base()
    base.upload("valves.md", VALVES)
    card, replacements = base.card("valves.md"), base.index.replacements
    base.upload("pumps.md", PUMPS)
    base.upload("more.md", f"{VALVES} Again.")
    assert base.upload("valves.md", VALVES).outcome is Outcome.UNCHANGED
    assert base.card("valves.md") == card
    assert base.index.replacements == replacements + 2


def test_the_card_is_in_the_truth_with_its_vector_and_is_embedded_once() -> None:
    base = Base()
    base.upload("valves.md", VALVES)
    stored = base.truth.entries[DocumentKey(BASE, "valves.md")].stored
    text = base.embedder.texts[-1]
    assert text.startswith("Valve Inspection\nPressure valves are inspected each month.")
    assert (stored.card, list(stored.card_vector)) == (base.card("valves.md"), [float(len(text))])
    assert base.embedder.batches == [len(stored.passages) + 1]
    base.upload("valves.md", f"---\ntitle: Valve Inspection\nowner: Ann\n---\n{VALVES}")
    assert base.card("valves.md") == stored.card
    assert len(base.embedder.batches) == 1


WRITTEN = CardDraft("About valves.", ("valves", "pressure"), ("Who inspects valves?",))


def test_a_model_writes_the_card_once_for_a_text() -> None:
    writer = ScriptedCardWriter(WRITTEN)
    base = Base(writer)
    report = base.upload("valves.md", VALVES)
    card = base.card("valves.md")
    assert (card.overview, card.topic_tags, card.by) == ("About valves.", ("valves", "pressure"), "card-model")
    assert (report.problems, writer.asked[0].title, writer.asked[0].language) == ((), "Valve Inspection", "en")
    assert "Pressure valves are inspected" in writer.asked[0].text
    assert base.upload("valves.md", VALVES).outcome is Outcome.UNCHANGED
    assert len(writer.asked) == 1
    base.upload("valves.md", f"{VALVES} In winter too.")
    assert len(writer.asked) == 2
    another = ScriptedCardWriter(WRITTEN, "another-model")
    replace(base.ingester, cards=another).ingest(DocumentKey(BASE, "valves.md"))
    assert (len(another.asked), base.card("valves.md").by) == (1, "another-model")


def test_when_the_model_fails_the_rules_make_the_card_and_the_next_ingest_asks_again() -> None:
    writer = ScriptedCardWriter(CardDraft(failure="The model is asked too often."))
    base = Base(writer)
    report = base.upload("valves.md", VALVES)
    assert report.outcome is Outcome.INDEXED
    [problem] = report.problems
    assert problem.kind == "card_model"
    assert "asked too often" in problem.reason
    assert base.card("valves.md").by == "rules"
    assert base.card("valves.md").topic_tags
    writer.draft = WRITTEN
    assert base.upload("valves.md", VALVES).problems == ()
    assert base.card("valves.md").by == "card-model"


def test_a_rebuild_makes_the_card_of_a_document_that_was_stored_without_one() -> None:
    base = Base()
    base.upload("valves.md", VALVES)
    document = DocumentKey(BASE, "valves.md")
    stored = base.truth.entries[document].stored
    base.truth.write(replace(stored, card=None, card_vector=()))
    indexes = InMemoryIndexRebuild(base.index.contents)
    Rebuilder(base.truth, indexes, InMemoryRebuildLog(), "length", 1, lambda: 0.0, lambda: "run").start(1.0)
    base.index.documents = base.index.contents.documents
    assert base.card("valves.md").sections == stored.card.sections if stored.card else False
    assert base.card("valves.md").related == ()
    assert base.upload("valves.md", VALVES).outcome is Outcome.INDEXED
