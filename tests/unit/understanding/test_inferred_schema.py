"""Messages to bases of which nobody has declared a schema."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from msgspec.structs import replace

from cicada.dialogue import Shown, ShownDocument
from cicada.documents.catalogue import DOCUMENTS, ListedPage
from cicada.documents.model import TABLE, AnyOf, Contains, NoneOf, Range
from cicada.knowledge_bases.inference import completed
from cicada.knowledge_bases.observed_fields import Observed, observed_in, observed_with, observed_with_records
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.understanding.by_rules import RulesPlanner, SchemaPlanner
from cicada.understanding.classifier import MessageClassifier
from cicada.understanding.intent.model import load_model
from cicada.understanding.plan import Plan, PlanRequest, Shape
from cicada.understanding.schema_planner import SchemaReader

PLANNER = RulesPlanner(MessageClassifier(KnowledgeBases(), load_model()).classify, SchemaPlanner())
REQUEST = PlanRequest("", "minutes", datetime(2026, 3, 1, tzinfo=UTC))


def minutes() -> Schema:
    found: Observed = ()
    for chair, standing, budget in (
        ("Petra Lindqvist", "approved", "1,200"),
        ("Omar Haddad", "draft", "900"),
        ("Petra Lindqvist", "approved", "3000"),
    ):
        written = {"date": "2024-05-02", "chair": chair, "standing": standing, "budget": budget, "room": "Hall A"}
        found = observed_with(found, written)
    return completed(Schema(), found, "minutes")


SCHEMA = minutes()


def planned(message: str, schema: Schema = SCHEMA, listing: ListedPage | None = None) -> Plan:
    return PLANNER.plan(replace(REQUEST, message=message, schema=schema, listing=listing))


@pytest.mark.parametrize("schema", [Schema(), SCHEMA], ids=["without metadata", "with fields"])
def test_documents_are_counted_and_listed_in_any_base(schema: Schema) -> None:
    assert planned("How many documents are there?", schema).aggregates == (DOCUMENTS,)
    assert planned("List all documents", schema).shape is Shape.METADATA_ONLY


def test_fields_of_documents_are_conditions_groups_and_numbers() -> None:
    by = planned("List all documents by Petra Lindqvist")
    assert by.filters == (AnyOf("chair", frozenset({"Petra Lindqvist"})),)
    assert planned("Which minutes are from 2024?").filters == (Range("date", least="2024-01-01", below="2025-01-01"),)
    assert planned("How many documents by standing?").group == ("standing",)
    assert [each.field for each in planned("What is the total budget of the approved minutes?").aggregates] == [
        "budget"
    ]


def test_a_value_that_no_document_has_is_looked_for_and_not_left_out() -> None:
    assert planned("documents with room Basement").filters == (Contains("room", "Basement"),)


@pytest.mark.parametrize(
    "message", ["What was decided about the lift?", "What does the committee say about parking?", "What is a quorum?"]
)
def test_a_question_for_the_texts_is_searched_for_and_not_asked_back(message: str) -> None:
    assert planned(message).shape is Shape.CONTENT_ONLY
    assert planned(message, Schema()).shape is Shape.CONTENT_ONLY


@pytest.mark.parametrize(
    ("message", "field", "name"),
    [
        ("Who owns the staff handbook?", "owner", "staff handbook"),
        ("What is the status of the staff handbook?", "status", "staff handbook"),
        ("When was the cleaning of fermenters approved?", "approved", "cleaning"),
        ("When is the review of the mash protocol due?", "review_due", "mash protocol"),
    ],
)
def test_a_field_of_a_named_document_is_looked_up_however_unsure(message: str, field: str, name: str) -> None:
    """Nothing tells the planner which documents there are; the answerer looks, and searches where there is none."""
    written = {"owner": "Petra Lindqvist", "status": "binding", "approved": "2026-01-08", "review_due": "2027-01-08"}
    schema = completed(Schema(), observed_with((), written), "brewery")
    plan = planned(message, schema)
    assert (plan.shape, plan.fields, plan.named) == (Shape.METADATA_ONLY, (field,), (name,))


def test_what_is_not_so_is_listed_however_unsure() -> None:
    plan = planned("Which procedures are not approved yet?")
    assert (plan.shape, plan.filters) == (Shape.METADATA_ONLY, (NoneOf("standing", frozenset({"approved"})),))


def test_an_unlikely_listing_is_a_search_unless_it_may_follow_a_listing() -> None:
    message = "the roof and its costs"
    assert planned(message).shape is Shape.CONTENT_ONLY
    assert planned(message, listing=ListedPage("minutes", "minutes")).shape is Shape.METADATA_ONLY


def test_what_follows_a_search_goes_on_with_the_texts() -> None:
    """Alone "and 2023?" would list what is of that year; a list that was only guessed, and searched, is none."""
    request = replace(REQUEST, message="and 2023?", messages=("turnover 2024",), schema=SCHEMA)
    after_search = PLANNER.plan(request)
    assert (after_search.shape, after_search.before) == (Shape.CONTENT_ONLY, "turnover 2024")
    listed = PLANNER.plan(replace(request, messages=("Which minutes are from 2024?",)))
    assert listed.filters == (Range("date", least="2023-01-01", below="2024-01-01"),)


def test_the_second_of_an_order_is_shown_with_the_first() -> None:
    assert planned("the oldest minutes").limit == 1
    request = replace(REQUEST, message="and the second?", messages=("the oldest minutes",), schema=SCHEMA)
    assert PLANNER.plan(request).limit == 2


def test_what_follows_quoted_passages_goes_on_with_them_however_the_question_was_read() -> None:
    quoted = Shown("minutes", (ShownDocument(1, "may.md", excerpt="The budget is 900."),))
    request = replace(REQUEST, message="only those of 2023", messages=("Which minutes are approved?",), schema=SCHEMA)
    assert PLANNER.plan(request).shape is Shape.METADATA_ONLY
    assert PLANNER.plan(replace(request, shown=quoted)).shape is Shape.CONTENT_ONLY
    request = replace(request, message="does Petra Lindqvist need it too?")
    assert PLANNER.plan(request).shape is Shape.METADATA_ONLY
    assert PLANNER.plan(replace(request, shown=quoted)).shape is Shape.CONTENT_ONLY


@pytest.mark.parametrize("message", ["how many complaints in 2024", "bookings after May 2024"])
def test_things_of_a_period_that_nothing_is_called_are_searched_for(message: str) -> None:
    assert planned(message).shape is Shape.CONTENT_ONLY
    assert planned("what do we have from 2024").filters == (Range("date", least="2024-01-01", below="2025-01-01"),)


@pytest.mark.parametrize("message", ["what was it in 2023?", "what is the total budget of it?"])
def test_what_is_asked_of_it_is_asked_of_the_passages_that_were_quoted(message: str) -> None:
    quoted = Shown("minutes", (ShownDocument(1, "may.md", excerpt="The budget is 900."),))
    request = replace(REQUEST, message=message, messages=("Which minutes are approved?",), schema=SCHEMA)
    assert PLANNER.plan(request).shape is Shape.METADATA_ONLY
    assert PLANNER.plan(replace(request, shown=quoted)).shape is Shape.CONTENT_ONLY


def test_what_follows_quoted_rows_may_ask_for_rows() -> None:
    rows = [{TABLE: "hires", "Thing": f"Wig {n}", "Status": "out" if n % 2 else "back"} for n in range(20)]
    schema = completed(Schema(), observed_with_records((), observed_in(rows)), "theatre")
    row = Shown("minutes", (ShownDocument(1, "hires.csv", excerpt="Thing: Wig 1; Status: out"),))
    request = replace(REQUEST, message="only those that are back", messages=("Which hires are out?",), schema=schema)
    assert PLANNER.plan(replace(request, shown=row)).filters[-1] == AnyOf("Status", frozenset({"back"}))


def test_conditions_of_an_unlikely_search_are_words_of_it() -> None:
    assert planned("who was practice manager before Petra Lindqvist?").filters == ()


def test_a_changed_schema_is_understood_by_the_same_planner() -> None:
    assert planned("How many minutes are binding?").filters == ()
    standing: SchemaField = replace(SCHEMA.fields["standing"], synonyms={"approved": ("binding",)})
    changed = replace(SCHEMA, fields={**SCHEMA.fields, "standing": standing})
    assert planned("How many minutes are binding?", changed).filters == (AnyOf("standing", frozenset({"approved"})),)


def test_a_text_of_a_field_of_numbers_and_texts_finds_both_forms() -> None:
    found = observed_with((), {"batch": "12"})
    found = observed_with(found, {"batch": "A 7"})
    plan = planned("documents with batch 12", completed(Schema(), found, "minutes"))
    assert plan.filters == (AnyOf("batch", frozenset({"12", 12.0})),)


def test_what_somebody_did_that_no_field_tells_is_searched_for() -> None:
    """What somebody chairs is not what this person said in the minutes."""
    assert planned("What did Petra Lindqvist vote?").filters == ()
    assert planned("What did Petra Lindqvist say about the lift?").shape is Shape.CONTENT_ONLY
    assert planned("What did Petra Lindqvist chair?").filters == (AnyOf("chair", frozenset({"Petra Lindqvist"})),)


@pytest.mark.parametrize(
    ("messages", "strategy"),
    [
        (("How much is the repair?", "and who pays that?"), "C"),
        (("Who is the treasurer?", "who was it before him?"), "C"),
        (("list the reports", "who wrote them?"), "M"),
    ],
)
def test_who_did_what_no_field_tells_is_asked_of_the_texts(messages: tuple[str, ...], strategy: str) -> None:
    kind = SchemaField("type", FieldType.KEYWORD, ("report", "contract"), inferred=True)
    person = SchemaField("responsible", FieldType.PERSON, ("Marta Silva", "Ruth Keller"), inferred=True)
    reader = SchemaReader.of(Schema({"type": kind, "responsible": person}))
    assert reader.understand(messages, date(2026, 11, 28)).strategy == strategy
