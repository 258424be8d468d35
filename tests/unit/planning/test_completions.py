"""What is asked back, and the message that completes it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cicada.documents.filter import AnyOf
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.planning.by_rules import RulesPlanner, SchemaPlanner
from cicada.planning.classifier import MessageClassifier
from cicada.planning.intent.linear import load_model
from cicada.planning.plan import Plan, Shape
from cicada.planning.planner import PlanRequest

UNCLEAR = "What does it say?"
SCHEMA = Schema({"type": SchemaField("type", FieldType.KEYWORD, ("SOP", "policy"))})


def planned(message: str, *before: str) -> Plan:
    planner = RulesPlanner(MessageClassifier(KnowledgeBases(), load_model()).classify, SchemaPlanner())
    request = PlanRequest(message, "store", datetime(2026, 3, 1, tzinfo=UTC), messages=before, schema=SCHEMA)
    return planner.plan(request)


@pytest.mark.parametrize("answer", ["Kestrel Park", "Change control.", "I mean Kestrel Park!", "変更管理"])
def test_the_message_after_what_was_asked_back_is_searched_for_with_it(answer: str) -> None:
    assert planned(UNCLEAR).shape is Shape.NEEDS_CLARIFICATION
    plan = planned(answer, UNCLEAR)
    assert plan.shape is Shape.CONTENT_ONLY
    assert (plan.search_value or plan.query).endswith("(What does it say)")
    assert (plan.search_value or plan.query).startswith(answer.rstrip(".!"))
    assert plan.carried == ("What does it say",)


def test_conditions_of_the_answer_are_kept() -> None:
    plan = planned("the SOP on change control", UNCLEAR)
    assert (plan.shape, plan.filters) == (Shape.HYBRID, (AnyOf("type", frozenset({"SOP"})),))
    assert plan.search_value.startswith("change control")
    assert plan.carried


@pytest.mark.parametrize(
    "message", ["How is a deviation classified?", "List the SOPs", "Thanks!", "Thank you very much", UNCLEAR, "x" * 81]
)
def test_what_is_no_answer_is_planned_as_by_itself(message: str) -> None:
    assert planned(message, UNCLEAR) == planned(message)


def test_after_a_clear_question_nothing_is_completed() -> None:
    clear = "How is a deviation classified?"
    assert planned(clear).shape is not Shape.NEEDS_CLARIFICATION
    assert "How is" not in planned("Kestrel Park", clear).query
    assert planned("Kestrel Park", UNCLEAR, clear).query.count("What does it say") == 0
