from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from cicada.documents.catalogue import DOCUMENTS, ListedPage, Sort
from cicada.documents.model import AnyOf
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.understanding.by_rules import RulesPlanner, SchemaPlanner
from cicada.understanding.last_answer import is_page_request, listed_page, next_page
from cicada.understanding.plan import PAGE_SIZE, Classification, Intent, Plan, PlanRequest, Shape
from cicada.understanding.planners import ChosenPlanner, PlannerMode

LIST = "List the approved SOPs"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
SCHEMA = Schema(
    {
        "status": SchemaField("status", FieldType.KEYWORD, ("approved", "draft")),
        "type": SchemaField("type", FieldType.KEYWORD, ("SOP", "policy")),
    }
)


@pytest.mark.parametrize(
    "message",
    ["more", "Next page", "show more", "next", "the rest", "Weiter", "mehr", "la suite", "más", "次のページ", "更多"],
)
def test_the_next_page_is_asked_for_in_many_words(message: str) -> None:
    assert is_page_request(message)
    assert is_page_request(f" {message}! ")


@pytest.mark.parametrize(
    "message",
    ["more than two?", "next year's contracts", "What is more important?", "the rest is silence", "más barato"],
)
def test_a_message_that_says_more_is_no_request_for_a_page(message: str) -> None:
    assert not is_page_request(message)


class Session:
    """Messages to one base, each planned with the page that the message before it was shown."""

    def __init__(self) -> None:
        self.messages: tuple[str, ...] = ()
        self.shown: ListedPage | None = None

    def planned(self, message: str, base: str = "store") -> Plan:
        planner = RulesPlanner(lambda *_: Classification(Intent.SCRIPT_QUERY, 1.0, "because"), SchemaPlanner())
        request = PlanRequest(
            message, base, NOW, messages=self.messages[-8:], schema=SCHEMA, bases={base: ""}, listing=self.shown
        )
        plan = planner.plan(request)
        plan = replace(plan, knowledge_base=plan.knowledge_base or base)
        self.messages, self.shown = (*self.messages, message), listed_page(plan, base)
        return plan


def test_a_listing_goes_on_with_its_conditions_as_long_as_it_lasts() -> None:
    session = Session()
    first = session.planned(LIST)
    for number in range(1, 30):
        page = session.planned(("more", "next page", "la suite")[number % 3])
        assert page.offset == number * PAGE_SIZE
        assert replace(page, query=first.query, offset=0, confidence=first.confidence) == first


def test_the_pages_are_as_long_as_the_first_one() -> None:
    session = Session()
    session.planned("top 7 approved SOPs")
    assert [(page.limit, page.offset) for page in map(session.planned, ("more", "more"))] == [(7, 7), (7, 14)]


def test_the_pages_of_a_changed_listing_begin_anew() -> None:
    session = Session()
    assert session.planned(LIST).offset == 0
    assert session.planned("more").offset == PAGE_SIZE
    changed = session.planned("and the draft ones?")
    assert (changed.shape, changed.offset) == (Shape.METADATA_ONLY, 0)
    assert session.planned("more") == replace(
        changed, query="more", offset=PAGE_SIZE, carried=(), key_concepts=(), confidence=1.0, continues=False
    )


def test_after_another_answer_more_is_no_page() -> None:
    session = Session()
    session.planned(LIST)
    session.planned("How is equipment cleaned between batches?")
    assert session.planned("more").offset == 0


def test_without_anything_before_there_is_no_page() -> None:
    assert Session().planned("more").shape is not Shape.METADATA_ONLY


def test_a_page_of_one_base_is_not_gone_on_with_in_another() -> None:
    session = Session()
    session.planned(LIST)
    assert session.planned("more", base="archive").shape is not Shape.METADATA_ONLY


def test_a_model_is_not_asked_for_a_page() -> None:
    class Model:
        def plan(self, request: PlanRequest) -> Plan:
            raise AssertionError(f"The model was asked: {request.message}")

    shown = ListedPage("store", "archive", sort=Sort("title"), offset=40)
    rules = RulesPlanner(lambda *_: Classification(Intent.GENERAL, 0.1, "because"))
    planner = ChosenPlanner(rules, Model(), print, PlannerMode.MODEL)
    plan = planner.plan(PlanRequest("more", "store", NOW, listing=shown))
    assert (plan.knowledge_base, plan.sort, plan.offset, plan.by) == ("archive", Sort("title"), 60, "rules")


@pytest.mark.parametrize("shape", [shape for shape in Shape if shape is not Shape.METADATA_ONLY])
def test_only_a_listing_has_a_next_page(shape: Shape) -> None:
    assert listed_page(Plan(Intent.SCRIPT_QUERY, shape, "q"), "store") is None


def test_a_page_keeps_all_that_the_next_one_is_made_from() -> None:
    conditions = (AnyOf("status", frozenset({"draft"})),)
    plan = Plan(
        Intent.SCRIPT_QUERY,
        Shape.METADATA_ONLY,
        "q",
        knowledge_base="archive",
        filters=conditions,
        sort=Sort("title", descending=True),
        aggregates=(DOCUMENTS,),
        group=("type",),
        fields=("site",),
        limit=7,
        offset=14,
    )
    page = listed_page(plan, "store")
    assert page == ListedPage(
        "store", "archive", conditions, Sort("title", descending=True), (DOCUMENTS,), ("type",), ("site",), 7, 14
    )
    following = next_page(PlanRequest("more", "store", NOW, listing=page))
    assert following == replace(plan, query="more", offset=21)
    of_rows = next_page(PlanRequest("more", "store", NOW, listing=replace(page, of_rows=True)))
    assert of_rows == replace(plan, query="more", offset=21, of_rows=True)
    assert next_page(PlanRequest("more of it?", "store", NOW, listing=page)) is None


def test_after_numbers_alone_more_is_the_first_page_of_the_documents() -> None:
    conditions = (AnyOf("status", frozenset({"draft"})),)
    by_type = Sort("*", descending=True, of="count")
    shown = ListedPage("store", "store", conditions, by_type, (DOCUMENTS,), ("type",), limit=3)
    following = next_page(PlanRequest("more", "store", NOW, listing=shown))
    assert following is not None
    assert (following.filters, following.offset, following.limit) == (conditions, 0, None)
    assert (following.aggregates, following.group, following.sort) == ((), (), None)


def test_the_page_after_one_of_certain_documents_has_no_others() -> None:
    shown = ListedPage("store", "store", documents=("sop-qa-003.md",))
    plan = next_page(PlanRequest("more", "store", NOW, schema=SCHEMA, listing=shown))
    assert plan is not None
    assert (plan.named, plan.offset) == (("sop-qa-003.md",), PAGE_SIZE)
