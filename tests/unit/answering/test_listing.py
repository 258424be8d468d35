"""Listings from the catalogue."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from cicada.answering.events import events_of
from cicada.answering.parts import AnswerPart, Progress
from cicada.conversation.model import Question
from cicada.conversation.protocol import Listing, event_body
from cicada.documents.catalogue import Aggregate, Sort
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
from cicada.understanding.plan import Intent, Plan, Shape
from tests.fakes.access import OpenAccess
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.unit.answering.situation import ANN, Situation, end_of, make_searchable, text_of

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
HOW_MANY = Aggregate("count")
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
        make_searchable(catalogue, kept, metadata=metadata)
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
        "columns": ["Status", "Expires", "Value"],
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
    parts = listed(situation(), aggregates=(HOW_MANY,), group=("status",))
    [event] = events(parts)
    assert text_of(parts) == "3 documents match. By Status: approved 2, draft 1."
    assert (event.total, event.documents, event.next_offset) == (3, (), None)
    assert event.groups is not None
    assert [(each.values, each.documents) for each in event.groups] == [(("approved",), 2), (("draft",), 1)]
    assert (event.grouped_by, event.group_count) == (("Status",), 2)
    assert "secret" not in repr(parts).lower()


def test_what_was_hardly_understood_is_said_to_be_so_before_the_list() -> None:
    assert text_of(listed(situation(), confidence=0.3)).startswith(
        "I am not sure what you are asking for; this is how I read it. 3 documents match."
    )


@pytest.mark.parametrize(
    "plan", [{"confidence": 0.4}, {"confidence": 0.3, "offset": 2}, {"confidence": 0.3, "by": "model:a"}]
)
def test_no_doubt_is_said_of_what_was_understood_of_further_pages_and_of_plans_of_models(plan: dict[str, Any]) -> None:
    assert text_of(listed(situation(), **plan)).startswith("3 documents match.")


def test_what_the_access_lists_withhold_by_now_is_left_out_and_counted() -> None:
    here = situation()
    here.access = OpenAccess({"lease": ("user:bob",)})
    parts = listed(here, *APPROVED)
    assert [each.title for each in events(parts)[0].documents] == ["Supply"]
    assert end_of(parts).withheld == 1


def test_no_number_has_a_document_in_it_that_the_access_lists_withhold_by_now() -> None:
    here = situation()
    here.access = OpenAccess({"lease": ("user:bob",)})
    asked = (HOW_MANY, Aggregate("sum", "value"), Aggregate("count", "status"))
    parts = listed(here, aggregates=asked)
    assert text_of(parts) == (
        "2 documents match. Value, sum: this cannot be computed, because there are no numbers in this field."
        " Status, different values: 2."
    )
    parts = listed(here, *APPROVED, group=("status",), limit=1)
    assert text_of(parts) == "1 document matches (Status: approved). By Status: approved 1."
    assert "lease" not in repr(events(parts)).lower()


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


CONTRACTS: dict[str, tuple[dict[str, MetadataValue], tuple[str, ...]]] = {
    "lease": ({"status": "approved", "value": 12_000.0, "expires": "2026-05-01"}, ()),
    "supply": ({"status": "approved", "value": 1_222_000.5, "expires": "2026-02-01"}, ()),
    "hire": ({"status": "draft", "value": 0.25}, ()),
    "loan": ({"tags": ("gmp", "audit")}, ()),
}
VALUE = [Aggregate(op, "value") for op in ("sum", "avg", "min", "max", "count")]


def said(*filters: Condition, **more: object) -> str:
    return text_of(listed(situation(CONTRACTS), *filters, **more))


@pytest.mark.parametrize(
    ("aggregate", "sentence"),
    [
        (Aggregate("sum", "value"), "Value, sum: 1,234,000.75 (3 of 4 documents have a number)."),
        (Aggregate("avg", "value"), "Value, average: 411,333.58 (3 of 4 documents have a number)."),
        (Aggregate("min", "value"), "Value, lowest: 0.25 (3 of 4 documents have a number)."),
        (Aggregate("max", "value"), "Value, highest: 1,222,000.5 (3 of 4 documents have a number)."),
        (Aggregate("max", "expires"), "Expires, latest: 2026-05-01 (2 of 4 documents have a date)."),
        (Aggregate("min", "expires"), "Expires, earliest: 2026-02-01 (2 of 4 documents have a date)."),
        (Aggregate("count", "status"), "Status, different values: 2 (3 of 4 documents have a value)."),
        (Aggregate("count", "colour"), "colour, different values: 0 (0 of 4 documents have a value)."),
    ],
)
def test_a_number_is_said_with_how_many_documents_have_a_value(aggregate: Aggregate, sentence: str) -> None:
    assert said(aggregates=(aggregate,)) == f"4 documents match. {sentence}"


def test_a_question_that_asks_for_numbers_alone_gets_no_documents() -> None:
    parts = listed(situation(CONTRACTS), *APPROVED, aggregates=(HOW_MANY, Aggregate("sum", "value")))
    [event] = events(parts)
    assert text_of(parts) == "2 documents match (Status: approved). Value, sum: 1,234,000.5."
    assert json.loads(event_body(event)) == {
        "type": "listing",
        "total": 2,
        "documents": [],
        "offset": 0,
        "nextOffset": None,
        "aggregates": [
            {"op": "count", "name": "Documents", "figure": {"value": "2", "number": 2}, "documents": 2},
            {
                "op": "sum",
                "name": "Value, sum",
                "figure": {"value": "1,234,000.5", "number": 1234000.5},
                "documents": 2,
                "field": "value",
            },
        ],
    }
    assert end_of(parts).path == ("aggregate", "documents:2")


def test_documents_come_with_numbers_where_fields_of_theirs_are_asked_for_too() -> None:
    parts = listed(situation(CONTRACTS), *APPROVED, aggregates=(HOW_MANY,), fields=("tags", "value"))
    [event] = events(parts)
    assert [each.title for each in event.documents] == ["Supply", "Lease"]
    assert text_of(parts) == "2 documents match (Status: approved). None of them has a value of tags."
    assert end_of(parts).path == ("aggregate", "list", "documents:2")


@pytest.mark.parametrize(
    ("aggregate", "needed"),
    [
        (
            Aggregate("sum", "status"),
            "Status, sum: this cannot be computed, because there are no numbers in this field.",
        ),
        (Aggregate("avg", "expires"), "Expires, average: this cannot be computed, because there are no numbers"),
        (Aggregate("max", "tags"), "tags, highest: this cannot be computed, because there are no numbers or dates"),
        (
            Aggregate("sum", "colour"),
            "colour, sum: this cannot be computed, because there are no numbers in this field.",
        ),
    ],
)
def test_what_cannot_be_computed_is_said_and_no_document_is_listed_instead(aggregate: Aggregate, needed: str) -> None:
    parts = listed(situation(CONTRACTS), aggregates=(aggregate,))
    [event] = events(parts)
    assert text_of(parts).startswith(f"4 documents match. {needed}")
    assert event.documents == ()
    assert event.aggregates is not None
    assert event.aggregates[0].figure.value is None


def test_of_no_document_there_is_no_number() -> None:
    nothing = Range("expires", least="2030-01-01")
    assert said(nothing, aggregates=tuple(VALUE)) == "No document matches (Expires: from 2030-01-01)."
    assert said(nothing, group=("status",)) == "No document matches (Expires: from 2030-01-01)."


def test_numbers_are_said_for_each_group_and_documents_without_a_value_are_counted() -> None:
    assert said(group=("status",)) == "4 documents match. By Status: approved 2, draft 1; without Status: 1."
    assert said(aggregates=(Aggregate("sum", "value"),), group=("status",)) == (
        "4 documents match. Value, sum, by Status: approved 1,234,000.5, draft 0.25; without Status: 1 document."
    )
    assert said(group=("tags", "status")) == "4 documents match. No document that matches has tags and Status."
    assert said(group=("colour",)) == "4 documents match. No document that matches has colour."


def test_the_first_groups_of_an_order_are_said_with_how_many_there_are() -> None:
    highest = Sort("value", of="sum")
    parts = listed(situation(CONTRACTS), group=("status",), aggregates=(VALUE[0],), sort=highest, limit=1)
    [event] = events(parts)
    assert text_of(parts).endswith("Value, sum, by Status: draft 0.25 and 1 more value; without Status: 1 document.")
    assert event.groups is not None
    assert ([each.values for each in event.groups], event.group_count) == ([("draft",)], 2)


@pytest.mark.parametrize(
    ("sort", "sentence"),
    [
        (Sort("value", descending=True), "Highest Value: 1,222,000.5 (Supply)."),
        (Sort("value"), "Lowest Value: 0.25 (Hire)."),
        (Sort("expires"), "Earliest Expires: 2026-02-01 (Supply)."),
        (Sort("status", descending=True), "Last Status: draft (Hire)."),
    ],
)
def test_the_one_document_of_an_order_is_in_the_sentence_with_its_value(sort: Sort, sentence: str) -> None:
    parts = listed(situation(CONTRACTS), sort=sort, limit=1)
    assert text_of(parts) == f"4 documents match. {sentence}"
    assert len(events(parts)[0].documents) == 1


def test_where_no_document_has_a_value_to_compare_none_is_shown_as_the_first() -> None:
    parts = listed(situation(CONTRACTS), sort=Sort("colour", descending=True), limit=1)
    assert text_of(parts) == "4 documents match. None of them has a value of colour, so they cannot be compared by it."
    assert events(parts)[0].documents == ()


def test_a_text_is_not_above_a_number() -> None:
    documents = CONTRACTS | {"odd": ({"value": "n/a"}, ())}
    parts = listed(situation(documents), sort=Sort("value", descending=True), limit=1)
    assert text_of(parts) == "5 documents match. Highest Value: 1,222,000.5 (Supply)."


def test_the_values_that_are_asked_of_one_document_are_in_the_sentence() -> None:
    of_lease = Range("value", least=12_000.0, most=12_000.0)
    assert said(of_lease, fields=("expires", "tags")).endswith("Lease: Expires 2026-05-01, no tags.")


def test_columns_are_what_was_asked_for_sorted_by_and_filtered_by_and_then_what_the_base_shows() -> None:
    documents = {name: ({**fields, "tags": ("gmp",)}, readers) for name, (fields, readers) in CONTRACTS.items()}
    some = AnyOf("tags", frozenset({"gmp"}))
    [event] = events(listed(situation(documents), some, fields=("colour", "title"), sort=Sort("value")))
    assert event.columns == ("colour", "Value", "tags", "Status", "Expires")
    assert list(event.documents[1].fields) == ["Value", "tags", "Status", "Expires"]
