from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cicada.dialogue import Turn
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.planning.by_rules import RulesPlanner, SchemaPlanner
from cicada.planning.model import Classification, Intent
from cicada.planning.paging import asked_page
from cicada.planning.plan import PAGE_SIZE, Shape
from cicada.planning.planner import PlanRequest

LIST = "List the approved SOPs"
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
    assert asked_page([LIST, message]) == (LIST, 1)
    assert asked_page(["Hello", LIST, message, message]) == (LIST, 2)


@pytest.mark.parametrize(
    "message",
    ["more than two?", "next year's contracts", "What is more important?", "the rest is silence", "más barato"],
)
def test_a_message_that_says_more_is_no_request_for_a_page(message: str) -> None:
    assert asked_page([LIST, message]) is None


def test_without_anything_before_there_is_no_page() -> None:
    assert asked_page(["more"]) is asked_page([]) is asked_page(["more", "more"]) is None


def planned(message: str, *before: str) -> tuple[Shape, int, int]:
    planner = RulesPlanner(lambda *_: Classification(Intent.SCRIPT_QUERY, 1.0, "because"), SchemaPlanner())
    request = PlanRequest(
        message,
        "store",
        datetime(2026, 3, 1, tzinfo=UTC),
        turns=tuple(Turn(each, "Answer.") for each in before),
        messages=before,
        schema=SCHEMA,
    )
    plan = planner.plan(request)
    return plan.shape, plan.offset, len(plan.filters)


def test_a_listing_goes_on_with_its_conditions() -> None:
    assert planned(LIST) == (Shape.METADATA_ONLY, 0, 2)
    assert planned("next page", LIST) == (Shape.METADATA_ONLY, PAGE_SIZE, 2)
    assert planned("more", LIST, "and the draft ones?") == (Shape.METADATA_ONLY, PAGE_SIZE, 2)
    assert planned("more", LIST, "next page") == (Shape.METADATA_ONLY, 2 * PAGE_SIZE, 2)


def test_after_another_answer_more_is_no_page() -> None:
    assert planned("more", "How is equipment cleaned between batches?")[1] == 0
