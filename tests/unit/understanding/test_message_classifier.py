"""The intent of a message in bases with and without profiles and theories."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from cicada.documents.model import KnowledgeBaseKey
from cicada.knowledge_bases.settings import AgentName, ContentKind, KnowledgeBase, KnowledgeBases
from cicada.understanding.classifier import MessageClassifier, classify
from cicada.understanding.intent.model import IntentModel, load_model
from cicada.understanding.plan import Classification, Intent

CLAIM = "My theory: the butler did it. What in the text speaks for it?"
STORED_CLAIM = "Save this theory: the butler did it."
NOTE = "Add to the captain's card that he limps."


@cache
def model() -> IntentModel:
    return load_model()


def classified(message: str, content: ContentKind, *agents: AgentName) -> Classification:
    bases = KnowledgeBases(KnowledgeBase("", content=content, agents=agents))
    return MessageClassifier(bases, model()).classify(message, KnowledgeBaseKey("acme", "any"))


@pytest.mark.parametrize(
    ("message", "intent"),
    [
        ("Who hides behind the curtain in the third act?", Intent.SCRIPT_QUERY),
        ("第三幕で王を殺したのは誰ですか", Intent.SCRIPT_QUERY),
        (NOTE, Intent.PROFILE_REQUEST),
        (CLAIM, Intent.THEORY_REQUEST),
        (STORED_CLAIM, Intent.THEORY_REQUEST),
        ("How do I change my password?", Intent.GENERAL),
    ],
)
def test_a_base_of_scripts_with_both_agents_has_all_intents(message: str, intent: Intent) -> None:
    assert classified(message, "scripts", "profiles", "theories").intent is intent


@pytest.mark.parametrize(
    "message",
    [
        '"the lady doth protest too much" - who actually speaks that line? i bet it isnt the prince',
        'I think it was the captain who said "fair is foul", right?',
        "Compare the widow and the queen.",
        "what's the difference between the two captains and the mate",
    ],
)
def test_a_question_for_quoted_words_or_a_comparison_is_about_the_texts(message: str) -> None:
    assert classified(message, "scripts", "profiles", "theories").intent is Intent.SCRIPT_QUERY


def test_what_an_agent_keeps_is_compared_by_it() -> None:
    for message in ("Compare my notes on the widow and the queen", "compare the profiles of the widow and the queen"):
        assert classified(message, "scripts", "profiles", "theories").intent is Intent.PROFILE_REQUEST


@dataclass(frozen=True)
class SureOfATheory:
    """Takes every message for one about a theory, and if not for conversation."""

    threshold: float = 0.9

    def probabilities(self, message: str) -> Mapping[Intent, float]:
        return {
            Intent.SCRIPT_QUERY: 0.01,
            Intent.PROFILE_REQUEST: 0.01,
            Intent.THEORY_REQUEST: 0.9,
            Intent.GENERAL: 0.08,
        }

    def asks(self, message: str) -> bool:
        return model().asks(message)


QUESTIONS = [
    "where does my theory fail",
    "who shares my theory",
    "warum scheitert meine Theorie",
    "pourquoi ma théorie échoue",
    "quién cree en mi teoría",
    "chi crede alla mia teoria",
    "quem acredita na minha teoria",
    "what speaks for my theory",
    "when does my theory hold",
    "how does my theory hold",
    "combien de théories ai-je",
    "私の説を信じているのは誰",
    "我的理论为什么不成立",
    "내 이론을 누가 믿어",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_known_by_its_word_in_each_language(question: str) -> None:
    assert model().asks(question)


@pytest.mark.parametrize(
    "text",
    ["Delete what I wrote about her", "Salva quello che ho scritto", '"Who is there?" is my title', "", "保存して"],
)
def test_what_only_has_such_a_word_or_quotes_a_question_asks_nothing(text: str) -> None:
    assert not model().asks(text)


@pytest.mark.parametrize("question", ["Does my theory hold?", "この説は成り立ちますか？", *QUESTIONS])
def test_a_question_for_an_agent_that_is_off_is_searched(question: str) -> None:
    classifier = MessageClassifier(KnowledgeBases(KnowledgeBase("", content="scripts")), SureOfATheory())

    assert classifier.classify(question, KnowledgeBaseKey("acme", "any")).intent is Intent.SCRIPT_QUERY


def test_what_asks_nothing_of_an_agent_that_is_off_is_what_is_likeliest_without_it() -> None:
    classifier = MessageClassifier(KnowledgeBases(KnowledgeBase("", content="scripts")), SureOfATheory())

    found = classifier.classify("Delete this theory.", KnowledgeBaseKey("acme", "any"))

    assert found.intent is Intent.GENERAL
    assert found.confidence == pytest.approx(8 / 9)


@pytest.mark.parametrize("message", [STORED_CLAIM, CLAIM, NOTE])
@pytest.mark.parametrize("content", ["scripts", "documents"])
def test_no_message_is_for_an_agent_that_is_off(message: str, content: ContentKind) -> None:
    assert classified(message, content).intent in {Intent.SCRIPT_QUERY, Intent.GENERAL}


def test_an_agent_that_is_on_gets_its_messages_while_the_other_is_off() -> None:
    assert classified(NOTE, "scripts", "profiles").intent is Intent.PROFILE_REQUEST
    assert classified(STORED_CLAIM, "scripts", "theories").intent is Intent.THEORY_REQUEST
    assert classified(NOTE, "scripts", "theories").intent is not Intent.PROFILE_REQUEST


def test_in_a_base_of_documents_an_agent_gets_only_what_is_surely_for_it() -> None:
    bases = KnowledgeBases(KnowledgeBase("", content="documents", agents=("theories",)))
    certain = MessageClassifier(bases, replace(model(), threshold=0.0))
    never = MessageClassifier(bases, replace(model(), threshold=1.1))

    assert certain.classify(STORED_CLAIM, KnowledgeBaseKey("acme", "any")).intent is Intent.THEORY_REQUEST
    assert never.classify(STORED_CLAIM, KnowledgeBaseKey("acme", "any")).intent is Intent.SCRIPT_QUERY


def test_the_packaged_scripts_have_both_agents() -> None:
    from cicada.knowledge_bases.file import load_knowledge_bases

    bases = load_knowledge_bases()

    assert bases.deployed("scripts").agents == ("profiles", "theories")
    assert bases.deployed("anything else").agents == ()


@given(st.text(max_size=600))
@example("")
@example(" \n\t ")
@example('""')
@example("?!.,:-")
@example("\ufb01\u0130\u0000\U0001f9d0")
def test_any_text_has_one_intent_and_always_the_same(text: str) -> None:
    first = classify(text, model().probabilities)

    assert first == classify(text, model().probabilities)
    assert 0.25 <= first.confidence <= 1
    assert first.reason


@given(st.text(max_size=200))
def test_probabilities_add_up_to_one(text: str) -> None:
    assert sum(model().probabilities(text).values()) == pytest.approx(1)


def test_a_very_long_message_is_read_at_its_beginning_and_its_end() -> None:
    passage = "The storm goes on and the ships are lost. " * 5000

    assert classify(f"Save this on my card for the captain: {passage}", model().probabilities).intent is (
        Intent.PROFILE_REQUEST
    )
    assert classify(f"{passage} My theory: the captain sank them. Refute it.", model().probabilities).intent is (
        Intent.THEORY_REQUEST
    )


def test_what_is_classified_is_read_by_few_characters_however_long_it_is() -> None:
    long = "Who is it? " + "x " * 100_000 + " Who is it?"

    assert model().probabilities(long) == model().probabilities("Who is it? " + "x " * 1000 + " Who is it?")


def test_the_classifier_loads_no_heavy_module() -> None:
    code = "import sys, cicada.understanding.classifier, cicada.understanding.intent.model; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert {"boto3", "numpy", "pydantic", "tomllib", "intents"}.isdisjoint(loaded)
