"""Whether documents about a subject are wanted, or what they say about it."""

from __future__ import annotations

from datetime import date

import pytest

from cicada.documents.catalogue import DOCUMENTS, ListedPage
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.understanding.by_rules import RulesPlanner, SchemaPlanner
from cicada.understanding.from_understood import plan_of
from cicada.understanding.last_answer import listed_page, next_page
from cicada.understanding.plan import PAGE_SIZE, Classification, Intent, Plan, PlanRequest, Shape
from cicada.understanding.schema_planner import SchemaReader
from tests.unit.understanding.planned import NOW

PERMITS = Schema(
    {
        "status": SchemaField("status", FieldType.KEYWORD, ("granted", "refused")),
        "officer": SchemaField("officer", FieldType.PERSON, ("Lena Voss", "Piet Maas")),
        "issued_on": SchemaField("issued_on", FieldType.DATE),
    },
    items=("permit", "Genehmigung"),
)
FILMS = Schema({"genre": SchemaField("genre", FieldType.KEYWORD, ("drama", "comedy"))}, items=("film", "película"))
READERS = {"permits": SchemaReader.of(PERMITS), "films": SchemaReader.of(FILMS)}


def planned(base: str, *messages: str) -> Plan:
    return plan_of(READERS[base].understand(messages, date(2026, 3, 1)), READERS[base].schema)


@pytest.mark.parametrize(
    ("base", "message", "subject"),
    [
        ("permits", "Which permits mention asbestos?", "asbestos"),
        ("permits", "list granted permits about roof terraces", "roof terraces"),
        ("permits", "Welche Genehmigungen erwähnen Lärmschutz?", "Lärmschutz"),
        ("films", "films about chess", "chess"),
        ("permits", "permits that mention a cholera outbreak", "cholera outbreak"),
        ("films", "are there any films about chess?", "chess"),
        ("films", "Quels films parlent de la solitude ?", "solitude"),
    ],
)
def test_a_word_for_documents_with_a_subject_asks_for_documents(base: str, message: str, subject: str) -> None:
    found = planned(base, message)
    assert (found.wants_documents, found.search_value) == (True, subject)


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ("permits", "What do the permits say about asbestos?"),
        ("permits", "How must asbestos be removed?"),
        ("permits", "Was sagen die Genehmigungen über Lärmschutz?"),
        ("films", "What happens to the chess player at the end?"),
        ("films", "Que disent les films sur la solitude ?"),
    ],
)
def test_a_question_about_what_documents_say_does_not(base: str, message: str) -> None:
    assert not planned(base, message).wants_documents


def test_documents_about_a_subject_are_counted_and_restricted_by_their_fields() -> None:
    counted, granted = planned("permits", "how many permits mention asbestos?"), planned("permits", LIST)
    assert (counted.wants_documents, counted.aggregates) == (True, (DOCUMENTS,))
    assert (granted.shape, [each.field for each in granted.filters]) == (Shape.HYBRID, ["status"])


LIST = "list granted permits about roof terraces"


@pytest.mark.parametrize("message", ["who issued them?", "only those of Piet Maas", "how many are there?"])
def test_what_follows_is_of_the_same_documents(message: str) -> None:
    found = planned("permits", LIST, message)
    assert (found.wants_documents, found.search_value) == (True, "roof terraces")
    assert "status" in [each.field for each in found.filters]


@pytest.mark.parametrize("message", ["list all permits", "which permits mention asbestos?"])
def test_a_message_that_names_other_documents_begins_anew(message: str) -> None:
    assert "roof terraces" not in planned("permits", LIST, message).search_value


def test_the_next_page_searches_for_the_same_subject() -> None:
    first = planned("permits", LIST)
    shown = listed_page(first, "permits")
    assert shown is not None
    page = next_page(PlanRequest("more", "permits", NOW, schema=PERMITS, listing=shown))
    assert page is not None
    assert page.offset == PAGE_SIZE
    assert [getattr(page, each) for each in KEPT] == [getattr(first, each) for each in KEPT]


KEPT = ("shape", "filters", "search_value", "key_concepts", "wants_documents", "named")


def without_schema(
    message: str, *earlier: str, listing: ListedPage | None = None, intent: Intent = Intent.SCRIPT_QUERY
) -> Plan:
    planner = RulesPlanner(lambda *_: Classification(intent, 1.0, "asks"), SchemaPlanner())
    return planner.plan(PlanRequest(message, "notes", NOW, messages=earlier, listing=listing))


def test_a_base_without_a_schema_knows_the_words_that_every_base_has() -> None:
    found = without_schema("which documents are about holidays?")
    assert (found.wants_documents, found.search_value, found.shape) == (True, "holidays", Shape.CONTENT_ONLY)
    for message in ("what do the documents say about holidays?", "how long are holidays?"):
        assert not without_schema(message).wants_documents


def test_one_of_the_documents_can_be_chosen_by_its_place() -> None:
    shown = ListedPage("notes", "notes", documents=("a.md", "b.md"), subject="holidays")
    asked = "which documents are about holidays?"
    found = without_schema("the second one", asked, listing=shown, intent=Intent.GENERAL)
    assert (found.named, found.wants_documents, found.search_value) == (("b.md",), False, "")


def test_a_question_for_yes_or_no_wants_no_documents() -> None:
    assert planned("permits", "permits about market stalls").wants_documents
    assert not planned("permits", "can visitors bring permits about market stalls?").wants_documents
