"""Messages about the last answer itself."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cicada.dialogue import Shown, ShownDocument
from cicada.documents.model import Subject
from cicada.understanding.by_rules import RulesPlanner
from cicada.understanding.last_answer import of_last_answer
from cicada.understanding.plan import Classification, Intent, Plan, PlanRequest, Shape
from cicada.understanding.planners import ChosenPlanner, PlannerMode

NOW = datetime(2026, 3, 1, tzinfo=UTC)
FEES, BOATS = ShownDocument(1, "fees.md", "Adults pay"), ShownDocument(2, "boats.md", "Damage must", cited=True)
PASSAGES = Shown("club", (FEES, BOATS))
LISTING = Shown("club", (ShownDocument(1, "fees.md"), ShownDocument(2, "boats.md")))
QUESTION = "When must damage be reported?"


def request(message: str, shown: Shown = PASSAGES) -> PlanRequest:
    return PlanRequest(message, "club", NOW, messages=(QUESTION,), shown=shown)


def planned(message: str, shown: Shown = PASSAGES) -> Plan | None:
    return of_last_answer(request(message, shown))


@pytest.mark.parametrize(
    "message",
    [
        "why?",
        "shorter please",
        "Who said that?",
        "and after that?",
        "Can you explain that in more detail?",
        "could you rephrase it?",
        "Warum?",
        "kürzer bitte",
        "Pourquoi ?",
        "¿Por qué?",
        "なぜ？",
        "为什么？",
    ],
)
def test_a_message_without_words_of_its_own_is_about_what_the_last_answer_cites(message: str) -> None:
    plan = planned(message)
    assert plan is not None
    assert (plan.again, plan.before, plan.knowledge_base) == ((BOATS,), QUESTION, "club")
    assert plan.asked(message) == f"{message} ({QUESTION})"


@pytest.mark.parametrize(
    "message",
    [
        "and how was it before?",
        "Who repairs boats?",
        "and juniors?",
        "thanks!",
        "What can you do?",
        "no",
        "",
        "summarise it",
        "and in 2024?",
        "and up to 72?",
    ],
)
def test_other_messages_are_planned_as_they_are(message: str) -> None:
    assert planned(message) is None


@pytest.mark.parametrize("message", ["more on 1", "Tell me about the first one", "what does [1] say?", "1"])
def test_a_number_is_that_of_a_source(message: str) -> None:
    plan = planned(message)
    assert plan is not None
    assert plan.again == (FEES,)


def test_a_number_of_a_list_is_a_document_that_is_read_as_a_whole() -> None:
    plan = planned("more on 2", LISTING)
    assert plan is not None
    assert (plan.subjects, plan.again) == ((Subject("boats.md"),), ())


def test_a_bare_number_after_a_list_may_be_the_reply_to_a_question() -> None:
    assert planned("2", LISTING) is None


def test_a_number_that_was_not_shown_is_asked_back() -> None:
    plan = planned("more on 7")
    assert plan is not None
    assert (plan.shape, "under 7" in plan.clarification) == (Shape.NEEDS_CLARIFICATION, True)


def test_after_an_answer_without_sources_nothing_is_repeated() -> None:
    assert planned("why?", Shown()) is None
    assert planned("why?", LISTING) is None


@pytest.mark.parametrize("mode", PlannerMode)
def test_no_model_plans_it(mode: PlannerMode) -> None:
    rules = RulesPlanner(lambda *_: Classification(Intent.GENERAL, 0.3, ""))
    plan = ChosenPlanner(rules, None, lambda _: None, mode).plan(request("why?"))
    assert (plan.again, plan.by) == ((BOATS,), "rules")
