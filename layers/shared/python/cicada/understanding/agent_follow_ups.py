"""Messages that do not say surely by themselves which agent they are for, as "undo" and "delete it"."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from cicada.documents.model import KnowledgeBaseKey
from cicada.understanding.model import Classification, Intent
from cicada.understanding.planner import PlanRequest

AGENTS: Final = frozenset({Intent.PROFILE_REQUEST, Intent.THEORY_REQUEST})
# An intent that is this sure stands, whatever was said before.
_SURE = 0.9
_LIKELY = 0.5
# A change that is asked for where the base searches for all that is not sure.
_LIKELY_CHANGE = 0.6
# One word in quotation marks may be anything.
_NAME = re.compile(r'["“„«]([^"“”„«»\n]+ [^"“”„«»\n]+)["”“»]')

Classify = Callable[[str, KnowledgeBaseKey], Classification]


def agent_meant(
    found: Classification, request: PlanRequest, classify: Classify, asks_change: Callable[[str], bool]
) -> Classification:
    """The agent that a message is for which does not say so surely by itself.

    One that asks for a change of an agent likely goes to that agent, one that has a name which was quoted before to the
    agent that it was quoted with. It continues the message before, if that went to an agent, if it asks for a change,
    if it answers what the agent asked, if it is for an agent and does not say which, or if nothing is likely.
    """
    seems = found.seems or found
    if seems.intent in AGENTS and (keeper := _keeper(request, classify)):
        return Classification(keeper, seems.confidence, "names what an agent keeps")
    found = _alone(found, request.message, asks_change)
    if not request.messages or seems.confidence >= _SURE:
        return found
    before = _before(request, classify, asks_change)
    if before is None or before not in request.intents:
        return found
    answers = request.turns and request.turns[-1].answer.rstrip().endswith("?") and "?" not in request.message
    is_open = seems.intent in AGENTS or seems.confidence < _LIKELY
    if is_open or answers or asks_change(request.message):
        return Classification(before, seems.confidence, "continues what was asked of an agent")
    return found


def _alone(found: Classification, message: str, asks_change: Callable[[str], bool]) -> Classification:
    """What a message is for by itself: an agent that is not sure but likely, if the message asks for a change."""
    seems = found.seems
    is_likely = seems and seems.intent in AGENTS and seems.confidence >= _LIKELY_CHANGE
    return seems if seems and is_likely and asks_change(message) else found


def _keeper(request: PlanRequest, classify: Classify) -> Intent | None:
    """The agent of the first turn that quotes a name of several words which the message has."""
    said = request.message.casefold()
    for turn in request.turns:
        names = _NAME.findall(f"{turn.question}\n{turn.answer}".casefold())
        if any(name in said for name in names):
            found = classify(turn.question, request.base_key)
            agent = (found.seems or found).intent
            return agent if agent in AGENTS and agent in request.intents else None
    return None


def _before(request: PlanRequest, classify: Classify, asks_change: Callable[[str], bool]) -> Intent | None:
    """The agent that the message before went to; one that only continues went where the one before it did."""
    for message in reversed(request.messages):
        found = _alone(classify(message, request.base_key), message, asks_change)
        seems = found.seems or found
        if found.intent in AGENTS and found.confidence >= _LIKELY:
            return found.intent
        if seems.confidence >= _SURE or not (seems.intent in AGENTS or asks_change(message)):
            return None
    return None
