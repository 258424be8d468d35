"""Listings from the catalogue."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from cicada.answering.events import events_of
from cicada.answering.parts import AnswerPart, Listed, Progress
from cicada.conversation.model import Question
from cicada.conversation.protocol import Listing, event_body
from cicada.documents.catalogue import DocumentRow, Sort
from cicada.documents.model import (
    AnyOf,
    Condition,
    DocumentKey,
    KnowledgeBaseKey,
    MetadataValue,
    Passage,
    Range,
    SectionLocator,
)
from cicada.errors import UnavailableError
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.planning.model import Intent
from cicada.planning.plan import Plan, Shape
from cicada.retrieval.model import EmbeddedPassage
from tests.fakes.access import OpenAccess
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.unit.answering.situation import ANN, Situation, end_of, text_of

STORE = KnowledgeBaseKey("acme", "store")
SCHEMA = Schema(
    {
        "status": SchemaField("status", FieldType.KEYWORD, ("approved", "draft"), display="Status", shown=True),
        "expires": SchemaField("expires", FieldType.DATE, display="Expires", shown=True),
        "value": SchemaField("value", FieldType.NUMBER, display="Value", shown=True),
        "tags": SchemaField("tags", FieldType.KEYWORDS),
    },
    sort=Sort("expires"),
)
BASES = KnowledgeBases(named={"store": KnowledgeBase("store", schema=SCHEMA)})
APPROVED = (AnyOf("status", frozenset({"approved"})),)
DOCUMENTS: dict[str, tuple[dict[str, MetadataValue], tuple[str, ...]]] = {
    "lease": ({"status": "approved", "expires": "2026-05-01", "value": 12_000.0}, ()),
    "supply": ({"status": "approved", "expires": "2026-02-01", "tags": ("gmp",)}, ()),
    "secret": ({"status": "approved", "expires": "2026-01-01"}, ("user:bob",)),
    "draft": ({"status": "draft"}, ("user:ann",)),
}


def situation(documents: Mapping[str, tuple[dict[str, MetadataValue], tuple[str, ...]]] = DOCUMENTS) -> Situation:
    catalogue = InMemoryPassageIndex("fixed", 1)
    for name, (metadata, readers) in documents.items():
        document = DocumentKey(STORE, name)
        kept = Passage(f"{name}#0", document, "v1", name.title(), "Text.", "", SectionLocator(()), readers=readers)
        row = DocumentRow(document, name.title(), "v1", 1, 0.0, "", metadata, readers)
        catalogue.replace(document, [EmbeddedPassage(kept, [1.0])], row)
    return Situation(catalogue=catalogue, bases=BASES)


def listed(here: Situation, *filters: Condition, **more: object) -> list[AnswerPart]:
    plan = Plan(
        Intent.SCRIPT_QUERY,
        Shape.METADATA_ONLY,
        "List them.",
        knowledge_base="store",
        filters=filters,
        **more,  # type: ignore[arg-type]
    )
    return list(here.listings.answer(plan, Question("List them.", "s1", "store"), ANN))


def events(parts: list[AnswerPart]) -> list[Listing]:
    return [event for event in events_of(parts) if isinstance(event, Listing)]


def test_documents_that_match_are_listed_in_the_bases_order_and_counted_without_a_model() -> None:
    here = situation()
    parts = listed(here, *APPROVED)
    assert parts[0] == Progress("searching")
    [event] = events(parts)
    assert json.loads(event_body(event)) == {
        "type": "listing",
        "total": 2,
        "offset": 0,
        "nextOffset": None,
        "knowledgeBase": "store",
        "documents": [
            {
                "documentId": "supply",
                "title": "Supply",
                "fields": {"Status": "approved", "Expires": "2026-02-01"},
                "relevance": None,
            },
            {
                "documentId": "lease",
                "title": "Lease",
                "fields": {"Status": "approved", "Expires": "2026-05-01", "Value": "12,000"},
                "relevance": None,
            },
        ],
    }
    assert text_of(parts) == "2 documents match (Status: approved)."
    end = end_of(parts)
    assert (end.path, end.confidence, end.matching) == (("list", "documents:2"), None, 2)
    assert here.model.prompts == []


def test_a_document_of_another_viewer_is_neither_listed_nor_counted() -> None:
    parts = listed(situation(), count_by="status")
    [event] = events(parts)
    assert text_of(parts) == "3 documents match. By Status: approved 2, draft 1."
    assert event.total == 3
    assert event.counts is not None
    assert {each.value: each.count for each in event.counts} == {"approved": 2, "draft": 1}
    assert "secret" not in repr(parts).lower()


def test_what_the_access_lists_withhold_by_now_is_left_out_and_counted() -> None:
    here = situation()
    here.access = OpenAccess({"lease": ("user:bob",)})
    parts = listed(here, *APPROVED)
    assert [each.title for each in events(parts)[0].documents] == ["Supply"]
    assert end_of(parts).withheld == 1


def test_pages_follow_each_other() -> None:
    first = listed(situation(), limit=2)
    [event] = events(first)
    assert (event.total, event.next_offset, len(event.documents)) == (3, 2, 2)
    [rest] = events(listed(situation(), limit=2, offset=2))
    assert (rest.offset, rest.next_offset) == (2, None)
    assert [each.title for each in (*event.documents, *rest.documents)] == ["Supply", "Lease", "Draft"]


def test_after_the_last_page_there_are_no_more() -> None:
    parts = listed(situation(), offset=20)
    assert text_of(parts) == "3 documents match. There are no more."
    assert events(parts)[0].documents == ()


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ((), "3 documents match."),
        ((AnyOf("status", frozenset({"draft"})),), "1 document matches (Status: draft)."),
        ((Range("expires", least="2030-01-01"),), "No document matches (Expires: from 2030-01-01)."),
    ],
)
def test_the_sentence_says_how_many_match_what(filters: tuple[Condition, ...], said: str) -> None:
    parts = listed(situation(), *filters)
    assert text_of(parts) == said
    assert [event.total for event in events(parts)] == [int(said.split()[0].replace("No", "0"))]


def test_a_catalogue_that_fails_is_a_failure_and_no_empty_listing() -> None:
    class Failing(InMemoryPassageIndex):
        def rows(self, *_: object, **__: object) -> None:  # type: ignore[override]
            raise UnavailableError("Out of reach.")

    with pytest.raises(UnavailableError):
        listed(Situation(catalogue=Failing("fixed", 1), bases=BASES))


def test_a_listing_is_a_part_of_its_own() -> None:
    [part] = [part for part in listed(situation(), *APPROVED) if isinstance(part, Listed)]
    assert part.columns == {"status": "Status", "expires": "Expires", "value": "Value"}
