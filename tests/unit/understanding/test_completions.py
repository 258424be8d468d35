"""What is asked back, and the message that completes it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from cicada.documents.model import AnyOf
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.understanding.asking_back import completing, may_complete
from cicada.understanding.by_rules import RulesPlanner, SchemaPlanner
from cicada.understanding.classifier import MessageClassifier
from cicada.understanding.intent.model import load_model
from cicada.understanding.plan import Intent, Plan, PlanRequest, Shape

UNCLEAR = "What does it say?"
SCHEMA = Schema({"type": SchemaField("type", FieldType.KEYWORD, ("SOP", "policy"))})


def planned(message: str, *before: str) -> Plan:
    planner = RulesPlanner(MessageClassifier(KnowledgeBases(), load_model()).classify, SchemaPlanner())
    request = PlanRequest(message, "store", datetime(2026, 3, 1, tzinfo=UTC), messages=before, schema=SCHEMA)
    return planner.plan(request)


@pytest.mark.parametrize("answer", ["Kestrel Park", "Change control.", "I mean Kestrel Park!", "変更管理"])
def test_a_reply_to_what_was_asked_back_is_searched_for(answer: str) -> None:
    assert planned(UNCLEAR).shape is Shape.NEEDS_CLARIFICATION
    plan = planned(answer, UNCLEAR)
    assert plan.shape is Shape.CONTENT_ONLY
    assert answer.removeprefix("I mean ").rstrip(".!") in plan.search_value
    assert plan.carried == ("What does it say",)


def test_conditions_of_a_reply_are_kept() -> None:
    plan = planned("the SOP on change control", UNCLEAR)
    assert (plan.shape, plan.filters) == (Shape.HYBRID, (AnyOf("type", frozenset({"SOP"})),))
    assert plan.search_value == "What does the SOP on change control say?"


@pytest.mark.parametrize(
    "message", ["How is a deviation classified?", "List the SOPs", "Thanks!", "Thank you very much", UNCLEAR, "x" * 81]
)
def test_what_is_no_answer_is_planned_as_by_itself(message: str) -> None:
    alone = planned(message)
    assert replace(planned(message, UNCLEAR), confidence=alone.confidence) == alone


def test_after_a_clear_question_nothing_is_completed() -> None:
    clear = "How is a deviation classified?"
    assert planned(clear).shape is not Shape.NEEDS_CLARIFICATION
    assert "How is" not in planned("Kestrel Park", clear).query
    assert planned("Kestrel Park", UNCLEAR, clear).query.count("What does it say") == 0


SOP = (AnyOf("type", frozenset({"SOP"})),)


def reply(search_value: str = "", *conditions: AnyOf, **more: object) -> Plan:
    return Plan(Intent.GENERAL, Shape.NO_MATCH, "the cleaning one", search_value, filters=conditions, **more)  # type: ignore[arg-type]


def test_a_completed_plan_searches_for_the_answer_and_what_was_asked() -> None:
    plan = completing(reply("cleaning", *SOP), " What does it say?! ")
    assert (plan.intent, plan.shape, plan.filters) == (Intent.SCRIPT_QUERY, Shape.HYBRID, SOP)
    assert plan.query == "the cleaning one (What does it say)"
    assert plan.search_value == "cleaning (What does it say)"
    assert plan.carried == ("What does it say",)


def test_a_completed_plan_without_words_to_search_for_searches_for_its_query() -> None:
    plan = completing(reply(), "What does it say?")
    assert plan.shape is Shape.CONTENT_ONLY
    assert plan.query == plan.search_value == "the cleaning one (What does it say)"


@pytest.mark.parametrize("intent", [Intent.GENERAL, Intent.SCRIPT_QUERY])
@pytest.mark.parametrize("shape", [Shape.NO_MATCH, Shape.CONTENT_ONLY, Shape.HYBRID, Shape.NEEDS_CLARIFICATION])
def test_a_short_message_may_answer_what_was_asked_back(intent: Intent, shape: Shape) -> None:
    assert may_complete("the cleaning one", Plan(intent, shape, "the cleaning one"))


@pytest.mark.parametrize("message", ["which one? ", "どれ？", "أي واحد؟", "x" * 81, "thanks!"])
def test_a_question_a_long_message_and_thanks_answer_nothing(message: str) -> None:
    assert not may_complete(message, reply())
    assert may_complete("x" * 80, reply())


@pytest.mark.parametrize(
    "plan",
    [
        replace(reply(), intent=Intent.THEORY_REQUEST),
        replace(reply(), intent=Intent.PROFILE_REQUEST),
        replace(reply(), shape=Shape.METADATA_ONLY),
        reply(carried=("change control",)),
    ],
)
def test_a_message_that_asks_for_something_itself_answers_nothing(plan: Plan) -> None:
    assert not may_complete("the cleaning one", plan)
