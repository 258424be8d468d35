"""Messages that the base that was asked cannot answer, and another one can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from cicada.answering.answer import Answerer
from cicada.answering.other_bases import OtherBases
from cicada.answering.parts import AnswerPart, Cited, Unanswered
from cicada.answering.question_planner import QuestionPlanner
from cicada.conversation.model import Question
from cicada.dialogue import NO_CONVERSATION, Conversation, Shown, ShownDocument
from cicada.documents.model import AnyOf, DocumentKey, KnowledgeBaseKey, Passage, SectionLocator
from cicada.generation import ModelUsage
from cicada.identity import Principal
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.observability.telemetry import Telemetry, recording
from cicada.retrieval.model import EmbeddedPassage
from cicada.understanding.by_rules import RulesPlanner, SchemaPlanner
from cicada.understanding.classifier import MessageClassifier
from cicada.understanding.plan import Intent
from tests.fakes.chat_model import ScriptedModel
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.fakes.quality import FixedJudge
from tests.unit.answering.situation import ANN, NOW, Situation, end_of, text_of

LEA = Principal("acme", "lea", frozenset({"lawyers"}))
TYPES = SchemaField("type", FieldType.KEYWORD, ("contract", "policy"), {"policy": ("rule",)}, shown=True)
BASES = KnowledgeBases(
    named={
        "scripts": KnowledgeBase("scripts", content="scripts"),
        "store": KnowledgeBase("store", schema=Schema({"type": TYPES}, items=("document",))),
        "legal": KnowledgeBase("legal", groups=("lawyers",)),
    }
)
TEXTS = {
    "scripts": ["Seyton tells Macbeth that the queen is dead.", "The ghost of Banquo sits in the chair."],
    "store": ["Every employee has thirty days of holiday.", "The boiler is inspected by Brandt."],
    "legal": ["The arbitration clause binds the licensee."],
}


@dataclass
class Fixed:
    """The likelihood that a message is conversation."""

    general: float = 0.0
    threshold: float = 0.8

    def probabilities(self, message: str) -> dict[Intent, float]:
        return {Intent.GENERAL: self.general, Intent.SCRIPT_QUERY: 1 - self.general}

    def asks(self, message: str) -> bool:
        return message.endswith("?")


@dataclass
class Library(Situation):
    """Three bases; the evidence of a question is as good as the first passage has its words."""

    index: InMemoryPassageIndex = field(default_factory=lambda: _filled())  # type: ignore[assignment]
    intents: Fixed = field(default_factory=Fixed)
    bases: KnowledgeBases = field(default_factory=lambda: BASES)

    @property
    def answerer(self) -> Answerer:
        self.catalogue = self.index
        rules = RulesPlanner(MessageClassifier(self.bases, self.intents).classify, SchemaPlanner())
        plan = QuestionPlanner(rules, self.bases, lambda: NOW).plan
        return replace(super().answerer, plan=plan, other_bases=OtherBases(self.index, self.bases))

    def asked(
        self, message: str, base: str = "scripts", user: Principal = ANN, before: Conversation = NO_CONVERSATION
    ) -> list[AnswerPart]:
        return list(self.answerer.answer(Question(message, "s1", base), user, before))


def _filled() -> InMemoryPassageIndex:
    index = InMemoryPassageIndex("fixed", 1)
    for base, texts in TEXTS.items():
        for number, text in enumerate(texts):
            key = DocumentKey(KnowledgeBaseKey("acme", base), f"{base}-{number}")
            passage = Passage(f"{base}-{number}#0", key, "v1", base.title(), text, "", SectionLocator(()))
            index.replace(key, [EmbeddedPassage(passage, [1.0])])
    return index


def sources(parts: Sequence[AnswerPart]) -> set[str]:
    return {
        each.passage.document.base_key.knowledge_base
        for part in parts
        if isinstance(part, Cited)
        for each in part.passages
    }


@pytest.fixture
def known() -> OtherBases:
    return OtherBases(_filled(), BASES)


@pytest.mark.parametrize(
    ("message", "asked", "knowing"),
    [
        ("Who inspects the boiler?", "scripts", ["store"]),
        ("Which contracts and rules are there?", "scripts", ["store"]),
        ("Where does the ghost of Banquo sit?", "store", ["scripts"]),
        ("Who inspects the lighthouse?", "scripts", []),
        ("What is 17 times 4?", "store", []),
        ("What can you do?", "scripts", []),
    ],
)
def test_a_base_knows_a_message_by_the_words_of_its_passages_and_of_its_schema(
    known: OtherBases, message: str, asked: str, knowing: list[str]
) -> None:
    assert known.knowing(message, asked, ANN) == knowing


def test_only_bases_that_the_user_may_ask_are_looked_at(known: OtherBases) -> None:
    message = "Whom does the arbitration clause bind?"
    assert known.knowing(message, "scripts", ANN) == []
    assert known.knowing(message, "scripts", LEA) == ["legal"]


BOILER = "Who inspects the boiler?"
WEAK, GOOD = 0.1, 0.9


def test_what_the_base_cannot_answer_is_answered_from_another_one_that_says_so() -> None:
    parts = Library(judge=FixedJudge(WEAK, GOOD)).asked(BOILER)
    assert sources(parts) == {"store"}
    assert text_of(parts).startswith("Nothing in “scripts” answers this; from “store”:\n\n")
    end = end_of(parts)
    assert end.plan is not None
    assert (end.plan.knowledge_base, "elsewhere:store" in end.path) == ("store", True)
    assert not any(isinstance(part, Unanswered) for part in parts)


@pytest.mark.parametrize(("qualities", "shown"), [((GOOD,), {"scripts"}), ((WEAK,), {"scripts"})])
def test_the_base_itself_answers_if_it_can_or_no_other_one_can(qualities: tuple[float, ...], shown: set[str]) -> None:
    parts = Library(judge=FixedJudge(*qualities)).asked(BOILER)
    assert sources(parts) == shown
    assert not any(step.startswith("elsewhere") for step in end_of(parts).path)


def test_another_base_whose_model_finds_no_answer_is_not_given() -> None:
    refusing = ScriptedModel(("The passages do not ", "hold an answer. ", "Nearest is:\n", "the boiler."))
    parts = Library(judge=FixedJudge(WEAK, GOOD), model=refusing).asked(BOILER)
    assert sources(parts) == {"scripts"}
    assert not any(step.startswith("elsewhere") for step in end_of(parts).path)


def test_what_the_model_read_for_an_answer_that_is_not_given_is_counted() -> None:
    refusing = ScriptedModel(("The passages do not hold an answer. ", "Nearest is the boiler.", ModelUsage(300, 20)))
    telemetry = Telemetry(lambda: 0.0)
    with recording(telemetry):
        Library(judge=FixedJudge(WEAK, GOOD), model=refusing).asked(BOILER)
    assert telemetry.tokens == (300, 20)


@pytest.mark.parametrize("message", ["And who inspects their boiler?", "boiler"])
def test_what_goes_on_and_a_single_word_stay_in_their_base(message: str) -> None:
    parts = Library(judge=FixedJudge(WEAK, GOOD)).asked(message)
    assert not any(step.startswith("elsewhere") for step in end_of(parts).path)


def test_a_question_with_filters_stays_in_its_base() -> None:
    here = Library(judge=FixedJudge(WEAK, GOOD))
    question = Question(BOILER, "s1", "scripts", filters=(AnyOf("type", frozenset({"policy"})),))
    parts = list(here.answerer.answer(question, ANN))
    assert not any(step.startswith("elsewhere") for step in end_of(parts).path)


def test_what_seems_conversation_is_searched_where_its_words_are() -> None:
    here = Library(judge=FixedJudge(GOOD), intents=Fixed(general=0.9))
    assert sources(here.asked("hi, where does the ghost of Banquo sit?")) == {"scripts"}
    assert sources(here.asked("hi, how many days of holiday has an employee?")) == {"store"}
    assert end_of(here.asked("How is the weather in Lisbon?")).path == ("general", "plan:rules", "generate")


@pytest.mark.parametrize("message", ["What is 17 times 4?", "Hello!", "thanks a lot", "What can you do?"])
@pytest.mark.parametrize("base", ["scripts", "legal"])
def test_conversation_costs_no_search(message: str, base: str) -> None:
    here = Library(intents=Fixed(general=1.0))
    assert end_of(here.asked(message, base, LEA)).path == ("general", "plan:rules", "generate")
    assert here.reranker.questions == []


def test_what_goes_on_from_an_answer_of_another_base_stays_there() -> None:
    here = Library(judge=FixedJudge(GOOD))
    before = Conversation((BOILER,), shown=Shown("store", (ShownDocument(1, "store-1", "The boiler"),)))
    assert sources(here.asked("When does he do it?", before=before)) == {"store"}
    assert sources(here.asked("why?", before=before)) == {"store"}
    assert sources(here.asked("Where does the ghost of Banquo sit?", before=before)) == {"scripts"}


def test_what_another_base_cannot_go_on_with_is_asked_of_the_sessions_own() -> None:
    here = Library(judge=FixedJudge(WEAK, GOOD))
    before = Conversation((BOILER,), shown=Shown("store", (ShownDocument(1, "gone", "The boiler"),)))
    parts = here.asked("And where does it sit, the ghost?", before=before)
    assert (sources(parts), "elsewhere:scripts" in end_of(parts).path) == ({"scripts"}, True)
