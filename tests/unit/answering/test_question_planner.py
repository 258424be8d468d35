"""How a question is planned, and which other queries there are without a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from cicada.answering.question_planner import QuestionPlanner, WordRewriter
from cicada.dialogue import Conversation, Turn
from cicada.errors import InvalidFilterError, UnknownKnowledgeBaseError
from cicada.identity import Principal
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
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


SAYS = {"note that Ann limps": Intent.PROFILE_REQUEST, "my theory: she lies": Intent.THEORY_REQUEST}


@dataclass
class Listening(Choosing):
    """A planner that knows which agent each message of `SAYS` is for."""

    def plan(self, request: PlanRequest) -> Plan:
        return replace(super().plan(request), intent=SAYS.get(request.message, Intent.SCRIPT_QUERY))


def planned(*messages: str) -> tuple[Plan, Listening]:
    planner = Listening()
    said = Conversation(messages=messages[:-1])
    return QuestionPlanner(planner, BASES, lambda: NOW).plan(
        replace(QUESTION, message=messages[-1]), ANN, said
    ), planner


@pytest.mark.parametrize(
    ("messages", "intent"),
    [
        (("note that Ann limps", "what's in it?"), Intent.PROFILE_REQUEST),
        (("my theory: she lies", "what's in it?", "show it again"), Intent.THEORY_REQUEST),
        (("my theory: she lies", "who brings the letter?", "what's in it?"), Intent.SCRIPT_QUERY),
        (("what's in it?",), Intent.SCRIPT_QUERY),
        (("note that Ann limps", "what's in the letter?"), Intent.SCRIPT_QUERY),
    ],
)
def test_what_is_in_it_is_asked_of_the_agent_that_has_just_kept_something(
    messages: tuple[str, ...], intent: Intent
) -> None:
    assert planned(*messages)[0].intent is intent


@pytest.mark.parametrize(
    ("message", "agent", "intent"),
    [
        ("what have we got on him so far?", "profiles", Intent.PROFILE_REQUEST),
        ("and what contradicts it?", "theories", Intent.THEORY_REQUEST),
        ("and what contradicts it?", "profiles", Intent.SCRIPT_QUERY),
        ("and what contradicts it?", "", Intent.SCRIPT_QUERY),
        ("what does Locked Door say?", "theories", Intent.THEORY_REQUEST),
        ("what does Locked Door say?", "profiles", Intent.SCRIPT_QUERY),
        ("what does Ada say?", "theories", Intent.SCRIPT_QUERY),
        ("remind me who I said plays the boy", "", Intent.PROFILE_REQUEST),
    ],
)
def test_what_is_kept_is_read_by_the_agent_that_has_it(message: str, agent: str, intent: Intent) -> None:
    said = Conversation(("keep it", "who?"), (Turn("keep it", "Saved the theory “Locked Door”.", agent),))
    with_agents = KnowledgeBases(
        named={"scripts": KnowledgeBase("scripts", "Plays.", content="scripts", agents=("profiles", "theories"))}
    )
    found = QuestionPlanner(Listening(), with_agents, lambda: NOW).plan(replace(QUESTION, message=message), ANN, said)
    assert found.intent is intent


def test_what_was_only_looked_at_again_does_not_stand_between_an_agent_and_the_next_message() -> None:
    _, planner = planned("my theory: she lies", "what's in it?", "delete it")
    assert planner.requests[-1].messages == ("my theory: she lies",)
    _, planner = planned("who brings the letter?", "what's in it?", "delete it")
    assert planner.requests[-1].messages == ("who brings the letter?", "what's in it?")


def test_what_is_said_to_be_of_something_else_is_planned_without_what_came_before() -> None:
    _, planner = planned("who is the Prince of Norway?", "thanks! now something different: the Prince of Cumberland?")
    assert (planner.requests[-1].message, planner.requests[-1].messages) == ("the Prince of Cumberland?", ())
    _, planner = planned("who is the Prince of Norway?", "Another question: where does he live?")
    assert planner.requests[-1].messages == ("who is the Prince of Norway?",)


BASE = KnowledgeBase("store")
SCHEMA = Schema(
    {
        "type": SchemaField(
            "type", FieldType.KEYWORD, ("sop",), {"sop": ("standard operating procedure", "work instruction")}
        )
    }
)


def rewrites(question: str, base: KnowledgeBase = BASE) -> list[str]:
    """All queries, until there is no other."""
    tried: list[str] = [question]
    while (query := WordRewriter().rewrite(question, tried, base)) is not None:
        tried.append(query)
    return tried[1:]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who tells Macbeth that the queen is dead?", ["Macbeth queen dead", "Macbeth queen"]),
        ("Please tell me about E-4102!", ["E-4102"]),
        ("What is the Duke's dagger's price in 2019?", ["Duke dagger price 2019"]),
        ("And then? (Lady Macbeth) And then?", ["Lady Macbeth"]),
    ],
)
def test_words_of_the_question_go_and_names_stay(question: str, expected: Sequence[str]) -> None:
    assert rewrites(question) == expected


def test_the_schema_adds_other_words_for_what_is_named() -> None:
    base = KnowledgeBase("store", schema=SCHEMA)
    assert rewrites("Which work instruction covers spills?", base)[0] == (
        "work instruction covers spills sop standard operating procedure"
    )
    assert rewrites("Which rule covers spills?", base) == ["rule covers spills", "covers spills"]


@pytest.mark.parametrize("question", ["", "???", "What is it?", "spills"])
def test_where_nothing_can_be_left_out_there_is_no_other_query(question: str) -> None:
    assert rewrites(question) == []
