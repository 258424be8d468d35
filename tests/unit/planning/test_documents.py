"""Messages to a base of documents: everything but small talk is searched."""

from __future__ import annotations

import pytest

from cicada.planning.classifier import classify_for_documents
from cicada.planning.model import Intent
from cicada.planning.rules import load_rules

RULES = load_rules()


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
    ],
)
def test_a_question_is_searched_whatever_it_is_about(text: str) -> None:
    assert classify_for_documents(text, RULES).intent is Intent.SCRIPT_QUERY


@pytest.mark.parametrize("text", ["Hello there!", "Thanks a lot", "ok great, bye", "👋", "good morning"])
def test_small_talk_needs_no_search(text: str) -> None:
    assert classify_for_documents(text, RULES).intent is Intent.GENERAL
