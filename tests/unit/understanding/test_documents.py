"""Messages to a base of documents: everything but small talk is searched."""

from __future__ import annotations

import pytest

from cicada.documents.model import KnowledgeBaseKey
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.understanding.classifier import MessageClassifier
from cicada.understanding.intent.model import load_model
from cicada.understanding.intent.reading import is_small_talk
from cicada.understanding.plan import Intent

CLASSIFIER = MessageClassifier(KnowledgeBases(), load_model())


@pytest.mark.parametrize(
    "text",
    [
        "What does error E-4102 mean?",
        "What is the refund policy?",
        "How do I reset my password?",
        "How many holidays do employees have?",
        "Is the kettle dishwasher safe?",
        "My theory is that refunds take a month.",
        "Save my profile picture where?",
        "Hello, what does shipping to Asia cost?",
        "返品はできますか",
        "E-4102",
        "hi-fi",
        "Danke der Nachfrage, was kostet das?",
    ],
)
def test_a_question_is_searched_whatever_it_is_about(text: str) -> None:
    assert CLASSIFIER.classify(text, KnowledgeBaseKey("acme", "manuals")).intent is Intent.SCRIPT_QUERY


@pytest.mark.parametrize(
    "text",
    [
        "Hello there!",
        "Thanks a lot",
        "ok great, bye",
        "thanks, that was all",
        "👋",
        "good morning",
        "thanks, thats all I needed",
        "Merci beaucoup !",
        "ありがとう、おやすみ。",
        "¡Hola!",
    ],
)
def test_small_talk_needs_no_search(text: str) -> None:
    found = CLASSIFIER.classify(text, KnowledgeBaseKey("acme", "manuals"))

    assert found.intent is Intent.GENERAL
    assert found.confidence == 1


def test_a_greeting_inside_a_word_is_no_greeting() -> None:
    assert not is_small_talk("history")
    assert not is_small_talk("hi story")
    assert not is_small_talk("yoyo?")
