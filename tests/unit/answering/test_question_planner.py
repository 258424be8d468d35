from __future__ import annotations

import re
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from cicada.answering.question_planner import QuestionPlanner
from cicada.errors import InvalidFilterError, UnknownKnowledgeBaseError
from cicada.identity import Principal
from cicada.knowledge_bases.settings import AgentName, KnowledgeBase, KnowledgeBases
from cicada.understanding.plan import Intent, Plan, PlanRequest, Shape
from tests.unit.answering.situation import ANN, NOW, QUESTION

LEA = Principal("acme", "lea", frozenset({"lawyers"}))
BASES = KnowledgeBases(
    named={
        "scripts": KnowledgeBase("scripts", "Plays."),
        "legal": KnowledgeBase("legal", "Contracts.", groups=("lawyers",)),
    }
)


@dataclass
class Choosing:
    """A planner that chooses this base; keeps the requests."""

    base: str = ""
    requests: list[PlanRequest] = field(default_factory=list)

    def plan(self, request: PlanRequest) -> Plan:
        self.requests.append(request)
        return Plan(Intent.SCRIPT_QUERY, Shape.CONTENT_ONLY, request.message, knowledge_base=self.base)


def test_a_planner_is_shown_only_bases_that_the_user_may_ask() -> None:
    planner = Choosing()
    questions = QuestionPlanner(planner, BASES, lambda: NOW)
    questions.plan(QUESTION, ANN)
    questions.plan(QUESTION, LEA)
    assert [request.bases for request in planner.requests] == [
        {"scripts": "Plays."},
        {"scripts": "Plays.", "legal": "Contracts."},
    ]


@pytest.mark.parametrize(
    ("agents", "missing"),
    [
        ((), {Intent.PROFILE_REQUEST, Intent.THEORY_REQUEST}),
        (("profiles",), {Intent.THEORY_REQUEST}),
        (("profiles", "theories"), set()),
    ],
)
def test_a_plan_may_have_the_intents_that_the_base_serves(agents: tuple[AgentName, ...], missing: set[Intent]) -> None:
    planner = Choosing()
    QuestionPlanner(planner, KnowledgeBases(KnowledgeBase("", agents=agents)), lambda: NOW).plan(QUESTION, ANN)
    assert set(Intent) - set(planner.requests[0].intents) == missing


def test_a_plan_for_a_base_that_the_user_may_not_ask_is_refused() -> None:
    questions = QuestionPlanner(Choosing("legal"), BASES, lambda: NOW)
    assert questions.plan(QUESTION, LEA).knowledge_base == "legal"
    with pytest.raises(UnknownKnowledgeBaseError):
        questions.plan(QUESTION, ANN)


def test_a_base_that_is_not_named_exists_with_documents_that_the_user_may_read() -> None:
    planner = Choosing()
    questions = QuestionPlanner(planner, BASES, lambda: NOW, lambda principal, name: (principal, name) == (ANN, "pots"))
    asked = replace(QUESTION, knowledge_base="pots")
    assert questions.plan(asked, ANN).knowledge_base == "pots"
    with pytest.raises(UnknownKnowledgeBaseError, match="“pots”"):
        questions.plan(asked, LEA)
    assert len(planner.requests) == 1


def test_an_episode_that_the_user_may_not_read_or_that_is_not_there_is_refused_with_those_that_are() -> None:
    known = {ANN: frozenset({"hamlet", "macbeth"}), LEA: frozenset()}
    questions = QuestionPlanner(Choosing(), BASES, lambda: NOW, episodes=lambda principal, _: known[principal])
    assert questions.plan(replace(QUESTION, episodes=("hamlet", "macbeth")), ANN).knowledge_base == "scripts"
    assert questions.plan(QUESTION, LEA).knowledge_base == "scripts"
    for principal, episode, sentence in (
        (ANN, "macbth", "has no episode “macbth”; did you mean “macbeth”? It has hamlet, macbeth."),
        (ANN, "romeo", "has no episode “romeo”. It has hamlet, macbeth."),
        (LEA, "macbeth", "has no episode “macbeth”. It has none."),
    ):
        with pytest.raises(InvalidFilterError, match=re.escape(sentence)):
            questions.plan(
                replace(QUESTION, episodes=("hamlet", episode) if principal is ANN else (episode,)), principal
            )
