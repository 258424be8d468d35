"""Messages that continue what was asked of an agent, as "undo" and "delete it" do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cicada.documents.model import KnowledgeBaseKey
from cicada.understanding.model import Classification, Intent
from cicada.understanding.planner import PlanRequest

AGENTS: Final = frozenset({Intent.PROFILE_REQUEST, Intent.THEORY_REQUEST})
# An intent that is this sure stands, whatever was said before.
_SURE = 0.9
_LIKELY = 0.5

Classify = Callable[[str, KnowledgeBaseKey], Classification]


def continuing_agent(
    found: Classification, request: PlanRequest, classify: Classify, asks_change: Callable[[str], bool]
) -> Classification:
    """The intent of the message before, if that went to an agent and this one continues it.

    It does if it asks for a change, if it answers what the agent asked, or if it is for an agent and does not say
    which.
    """
    if not request.messages or found.confidence >= _SURE:
        return found
    before = _before(request, classify, asks_change)
    if before is None or before not in request.intents:
        return found
    answers = request.turns and request.turns[-1].answer.rstrip().endswith("?") and "?" not in request.message
    if found.intent in AGENTS or answers or asks_change(request.message):
        return Classification(before, found.confidence, "continues what was asked of an agent")
    return found


def _before(request: PlanRequest, classify: Classify, asks_change: Callable[[str], bool]) -> Intent | None:
    """The agent that the message before went to; one that only asks for a change went where the one before it did."""
    for message in reversed(request.messages):
        found = classify(message, request.base_key)
        if found.intent in AGENTS and found.confidence >= _LIKELY:
            return found.intent
        if found.confidence >= _SURE or not asks_change(message):
            return None
    return None
