"""The plan without a model."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.dialogue import Shown, ShownDocument
from cicada.documents.catalogue import DOCUMENTS, ListedPage, Sort
from cicada.documents.model import AnyOf, Contains, Subject
from cicada.understanding.by_rules import RulesPlanner, SchemaPlanner
from cicada.understanding.plan import Classification, Intent, Plan, Shape
from tests.fakes.planners import CONTENT, FixedPlanner, plan_request
from tests.unit.understanding.planned import SCHEMA


@pytest.mark.parametrize(("of_intent", "of_grammar", "expected"), [(0.6, 0.9, 0.6), (1.0, 0.7, 0.7)])
def test_a_plan_from_metadata_is_no_surer_than_its_intent(of_intent: float, of_grammar: float, expected: float) -> None:
    found = Classification(Intent.SCRIPT_QUERY, of_intent, "…")
    planner = RulesPlanner(lambda *_: found, FixedPlanner(replace(CONTENT, confidence=of_grammar)))

    assert planner.plan(replace(plan_request(), schema=SCHEMA)).confidence == expected


def on_documents(made: Plan, message: str = "Summarise the lease") -> Plan:
    """The plan of a message that the schema's planner plans like this."""
    planner = RulesPlanner(lambda *_: Classification(Intent.SCRIPT_QUERY, 1.0, "…"), FixedPlanner(made))
    return planner.plan(replace(plan_request(message), schema=SCHEMA))


def test_a_list_that_is_hardly_one_is_a_search_unless_it_names_something() -> None:
    lapsed = AnyOf("stage", frozenset({"lapsed"}))
    made = replace(CONTENT, shape=Shape.METADATA_ONLY, search_value="", filters=(lapsed,), confidence=0.34)
    message = "Lapsed charters"
    assert on_documents(made, message).shape is Shape.CONTENT_ONLY
    assert on_documents(replace(made, confidence=0.35), message).shape is Shape.METADATA_ONLY
    assert on_documents(replace(made, fields=("fee",)), message).shape is Shape.METADATA_ONLY
    assert on_documents(replace(made, fields=("fee",), filters=()), message).shape is Shape.CONTENT_ONLY
    assert on_documents(replace(made, filters=(Contains("guild", "Tower"),)), message).shape is Shape.METADATA_ONLY


@pytest.mark.parametrize(
    ("message", "is_read"),
    [
        ("Summarise the charter of 2 May", True),
        ("and the charter of May in short", True),
        ("Summarise all charters of May", False),
        ("The charters of May", False),
    ],
)
def test_a_described_document_that_is_to_be_summed_up_is_read_and_not_listed(message: str, is_read: bool) -> None:
    charters = AnyOf("kind", frozenset({"charter"}))
    made = replace(CONTENT, shape=Shape.METADATA_ONLY, search_value="", filters=(charters,), confidence=0.9)
    plan = on_documents(made, message)
    assert (plan.shape is Shape.HYBRID, plan.single, bool(plan.subjects)) == (is_read, is_read, is_read)


def test_a_plan_that_contradicts_itself_becomes_a_search_that_nobody_is_sure_of() -> None:
    plan = on_documents(replace(CONTENT, sort=Sort("title"), aggregates=(DOCUMENTS,)), "How many die?")
    assert (plan.shape, plan.search_value, plan.aggregates) == (Shape.CONTENT_ONLY, "How many die?", ())
    assert plan.confidence == 0


@pytest.mark.parametrize(
    ("made", "read"),
    [
        (CONTENT, ("lease",)),
        (replace(CONTENT, shape=Shape.METADATA_ONLY, search_value=""), ()),
        (replace(CONTENT, shape=Shape.METADATA_ONLY, search_value="", named=("lease",)), ("lease",)),
        (replace(CONTENT, shape=Shape.NEEDS_CLARIFICATION, search_value=""), ()),
    ],
)
def test_a_document_is_read_where_texts_are_searched_or_it_is_named(made: Plan, read: tuple[str, ...]) -> None:
    plan = on_documents(made)
    assert (plan.shape, tuple(each.document for each in plan.subjects)) == (made.shape, read)


@pytest.mark.parametrize(
    "made",
    [
        replace(CONTENT, search_value="", named=("SOP-1",)),
        replace(CONTENT, shape=Shape.HYBRID, named=("SOP-1",)),
        replace(CONTENT, shape=Shape.METADATA_ONLY, search_value="", named=("SOP-1",)),
    ],
)
def test_a_document_that_is_named_may_be_searched_read_or_shown(made: Plan) -> None:
    assert replace(on_documents(made, "SOP-1 please"), subjects=()) == made


def test_what_is_read_as_a_whole_may_be_named_by_what_was_talked_of() -> None:
    assert subjects("Summarise the travel policy") == (Subject("travel policy"),)
    assert subjects("What happens in it?", "Who dies in Hamlet?") == (Subject("Hamlet"),)
    assert subjects("What happens in 3.4?", "Who kills the king in Macbeth?") == (Subject("Macbeth", "3.4"),)
    assert subjects("What happens in 3.4?") == (Subject("", "3.4"),)
    assert subjects("Who dies?", "Summarise Hamlet") == ()


def test_only_what_is_searched_for_is_read() -> None:
    planner = RulesPlanner(lambda *_: Classification(Intent.THEORY_REQUEST, 1.0, "because"))
    assert planner.plan(replace(plan_request(), message="Summarise Macbeth")).subjects == ()


def subjects(message: str, *before: str) -> tuple[Subject, ...]:
    planner = RulesPlanner(lambda *_: Classification(Intent.SCRIPT_QUERY, 1.0, "because"))
    return planner.plan(replace(plan_request(), message=message, messages=before)).subjects


def test_what_speaks_of_documents_is_for_no_agent_though_it_seems_so() -> None:
    def intent(message: str, made: Plan, listing: ListedPage | None = None) -> Intent:
        planner = RulesPlanner(lambda *_: Classification(Intent.THEORY_REQUEST, 0.9, "…"), FixedPlanner(made))
        return planner.plan(replace(plan_request(message), schema=SCHEMA, listing=listing)).intent

    listed = ListedPage("store", "store")
    assert intent("which of these are not mine?", CONTENT) is Intent.THEORY_REQUEST
    assert intent("which of these are not mine?", CONTENT, listed) is Intent.SCRIPT_QUERY
    tagged, owned = (
        replace(CONTENT, shape=Shape.METADATA_ONLY, search_value="", filters=(AnyOf(name, frozenset({value})),))
        for name, value in (("tags", "cold-chain"), ("keeper", "Ada Brook"))
    )
    assert intent("list everything tagged cold-chain", tagged) is Intent.SCRIPT_QUERY
    assert intent("show my theories", owned) is Intent.THEORY_REQUEST


def test_it_is_the_only_document_that_was_listed_or_the_first_in_an_order() -> None:
    planner = RulesPlanner(lambda *_: Classification(Intent.SCRIPT_QUERY, 1.0, "…"), SchemaPlanner())
    listed = Shown(plan_request().knowledge_base, (ShownDocument(1, "sop-qa-011.md"),))
    asked = replace(
        plan_request("what does it say on unannounced audits?"), messages=("SOPs in review",), schema=SCHEMA
    )
    shown = replace(asked, listing=ListedPage("store", "store"), shown=listed)
    two = replace(shown, shown=replace(listed, documents=(*listed.documents, ShownDocument(2, "sop-qa-002.md"))))
    newest = replace(two, listing=ListedPage("store", "store", sort=Sort("effective", descending=True)))
    assert planner.plan(shown).named == planner.plan(newest).named == ("sop-qa-011.md",)
    assert planner.plan(asked).named == planner.plan(two).named == ()
    elsewhere = replace(shown, shown=replace(listed, knowledge_base="elsewhere"))
    assert planner.plan(elsewhere).named == ()
    dated = replace(shown, message="which SOPs expire this year?")
    assert planner.plan(dated).named == ()


def test_something_is_asked_of_the_chosen_document() -> None:
    planner = RulesPlanner(lambda *_: Classification(Intent.SCRIPT_QUERY, 1.0, "…"), SchemaPlanner())
    listing = ListedPage("store", "store", documents=("sop-qa-011.md", "sop-qa-002.md"))
    asked = replace(plan_request(""), messages=("list the reports",), schema=SCHEMA, listing=listing)
    for message in ("the second one – what does it say about bread?", "the second one: bread recipes?"):
        plan = planner.plan(replace(asked, message=message))
        assert (plan.named, "bread" in plan.search_value) == (("sop-qa-002.md",), True)
    shown = Shown("store", (ShownDocument(1, "sop-qa-011.md"), ShownDocument(2, "sop-qa-002.md")))
    of_all = replace(asked, listing=ListedPage("store", "store"), shown=shown)
    assert planner.plan(replace(of_all, message="the last one - what does it say?")).named == ("sop-qa-002.md",)
    field = planner.plan(replace(asked, message="the second one, who is the keeper of it?"))
    assert (field.named, field.fields) == (("sop-qa-002.md",), ("keeper",))


def test_a_field_is_asked_of_the_cited_document() -> None:
    planner = RulesPlanner(lambda *_: Classification(Intent.SCRIPT_QUERY, 1.0, "…"), SchemaPlanner())
    cited = (ShownDocument(1, "sop-qa-002.md", "Wash"), ShownDocument(2, "sop-qa-011.md", "Rinse", cited=True))
    asked = replace(
        plan_request("who is the keeper of that?"),
        messages=("how do we rinse?",),
        schema=SCHEMA,
        shown=Shown(plan_request().knowledge_base, cited),
    )
    plan = planner.plan(asked)
    assert (plan.named, plan.fields) == (("sop-qa-011.md",), ("keeper",))
    assert planner.plan(replace(asked, message="what does that cost?")).named == ()
    assert planner.plan(replace(asked, message="and who keeps that?")).fields == ("keeper",)
    assert planner.plan(replace(asked, message="and who saw that?")).fields == ()
    of_kind = planner.plan(replace(asked, message="who is the keeper of that charter?"))
    assert (of_kind.named, of_kind.fields, of_kind.filters) == (("sop-qa-011.md",), ("keeper",), ())


@pytest.mark.parametrize("message", ["the newest of them", "which of them is the most expensive?"])
def test_nothing_is_chosen_from_an_answer_that_was_no_list(message: str) -> None:
    planner = RulesPlanner(lambda *_: Classification(Intent.SCRIPT_QUERY, 1.0, "…"), SchemaPlanner())
    asked = replace(plan_request(message), messages=("who tames the dragon?",), schema=SCHEMA)
    plan = planner.plan(asked)
    assert (plan.shape, plan.search_value) == (Shape.NEEDS_CLARIFICATION, "")
    assert plan.clarification == "The last answer showed no list to choose from. Which documents do you mean?"
    listed = replace(asked, messages=("list the charters",), listing=ListedPage("plays", "plays"))
    assert planner.plan(listed).shape is Shape.METADATA_ONLY


def test_a_question_for_a_scene_is_searched_for_by_what_happens_in_it_where_there_are_scripts() -> None:
    planner = RulesPlanner(lambda *_: Classification(Intent.SCRIPT_QUERY, 1.0, "…"))
    request = plan_request("In which scene does the captain drown?")
    assert planner.plan(replace(request, of_scripts=True)).search_value == "the captain drown"
    assert planner.plan(request).search_value == request.message
    read = planner.plan(replace(plan_request("Who is in act 2 scene 1 of Othello?"), of_scripts=True))
    assert read.subjects == (Subject("Othello", "act 2 scene 1"),)
