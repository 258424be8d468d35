"""Which agent a message is for that does not say so surely by itself: the turns before tell."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from cicada.dialogue import Turn
from cicada.languages.terms import words
from cicada.retrieval.quality import content_words
from cicada.text import QUOTATION
from cicada.understanding.classifier import AGENT_INTENTS, AGENTS, Classify
from cicada.understanding.plan import Classification, Intent, PlanRequest

# An intent that is this sure stands, whatever was said before, unless the message points at what an agent named.
_SURE = 0.9
_LIKELY = 0.5
# A change that is asked for where the base searches for all that is not sure.
_LIKELY_CHANGE = 0.6
# What picks one of several that were named: "the lucky one", "the one about the owl".
_ONE_OF = re.compile(r"\W*the(?: [\w'’-]+){1,6}\W*", re.IGNORECASE)
# The same anywhere in a message; `other` needs no words that tell it.
_POINTS = re.compile(
    r"\bthe one (?:about|on|with|of|where|that|who) (?P<behind>[^,.;:?!]+)"
    r"|\b(?:the|that) (?P<before>(?:[\w'’-]+ ){1,4}?)one\b",
    re.IGNORECASE,
)
# What corrects what was said: "four storeys, not three".
_CORRECTS = re.compile(r",? (?:and |but )?not (?P<behind>[^,.;:?!]+)\W*", re.IGNORECASE)
_OTHER = "other"
# Words for what the agents keep, in the languages that have them so.
_KEPT = re.compile(r"profil|perfil|th[eé]or|teor|hypoth|card|note|entry|fich|karte", re.IGNORECASE)
_MOST_WORDS = 6
_LEAST_LETTERS, _LONGEST_ENDING = 4, 3
_FIRST_WORDS = 3


def agent_meant(
    found: Classification,
    request: PlanRequest,
    classify: Classify,
    asks_change: Callable[[str], bool],
    asks: Callable[[str], bool],
) -> Classification:
    """The agent that a message is for which does not say so surely by itself.

    One that asks for a change of an agent likely goes to that agent, one that has a name which was quoted before to the
    agent that it was quoted with. It continues the message before, if that went to an agent, if it asks for a change,
    if it answers what the agent asked, if it points at one of the entries that the agent named, if it is for an agent
    and does not say which, or if nothing is likely.
    """
    seems = found.seems or found
    asked = asks_change(request.message)
    if (seems.intent in AGENTS or asked) and (keeper := _keeper(request, classify, seems)):
        return Classification(keeper, seems.confidence, "names what an agent keeps")
    # After a list of documents "without the retired one" changes no profile.
    found = found if request.listing is not None else _alone(found, request.message, asks_change)
    answers = bool(request.turns) and request.turns[-1].answer.rstrip().endswith("?") and "?" not in request.message
    picks = _goes_on(request, answers, asked, asks)
    if not request.messages or (seems.confidence >= _SURE and not picks):
        return found
    before = _before(request, classify, asks_change)
    if before is None or before not in request.intents:
        return found
    is_open = seems.intent in AGENTS or seems.confidence < _LIKELY
    if is_open or answers or picks or asked:
        return Classification(before, seems.confidence, "continues what was asked of an agent")
    return found


def _goes_on(request: PlanRequest, answers: bool, asked: bool, asks: Callable[[str], bool]) -> bool:
    """Whether a message goes on from an agent's turn, whatever it seems to be for.

    It is what the agent asked for, asks for a change and names nothing, or points at what the agent named.
    """
    is_question = "?" in request.message or asks(" ".join(request.message.split()[:_FIRST_WORDS]))
    # A text that an agent asked for may say anything, but does not begin as a question.
    tells = answers and bool(request.turns[-1].agent) and not is_question
    refers = asked and not is_question and _names_nothing(request.message)
    picks = answers and _ONE_OF.fullmatch(request.message) is not None
    return tells or refers or picks or _points(request)


def _alone(found: Classification, message: str, asks_change: Callable[[str], bool]) -> Classification:
    """What a message is for by itself: an agent that is not sure but likely, if the message asks for a change."""
    seems = found.seems
    is_likely = seems and seems.intent in AGENTS and seems.confidence >= _LIKELY_CHANGE
    return seems if seems and is_likely and asks_change(message) else found


def _keeper(request: PlanRequest, classify: Classify, seems: Classification) -> Intent | None:
    """The agent of the first turn that quotes a name which the message has; a name of one word may be anything else."""
    said = request.message.casefold()
    lead = said.partition(":")[0]
    for turn in request.turns:
        quoted = (each.strip() for each in QUOTATION.findall(f"{turn.question}\n{turn.answer}".casefold()))
        # Behind a colon stands what is to be kept, which may have any name.
        if any(" " in each and each in (said if ":" in each else lead) for each in quoted):
            agent = AGENT_INTENTS.get(turn.agent) or _intent(turn.question, request, classify)
            return agent if agent in AGENTS and agent in request.intents else None
    if seems.confidence >= _SURE:
        return None
    for turn in reversed(request.turns):
        first = turn.answer.partition("\n")[0].casefold()
        if turn.agent and any(re.search(rf"\b{re.escape(each)}\b", lead) for each in QUOTATION.findall(first)):
            return AGENT_INTENTS.get(turn.agent)
    return None


def _intent(message: str, request: PlanRequest, classify: Classify) -> Intent:
    found = classify(message, request.base_key)
    return (found.seems or found).intent


def _points(request: PlanRequest) -> bool:
    """Whether the message points at an entry that an agent named: by words of that turn, or as the other one."""
    turns = [turn for turn in request.turns if turn.agent]
    if not turns or not request.turns[-1].agent:
        return False
    found = _POINTS.search(request.message)
    corrects = None if found or "?" in request.message else _CORRECTS.search(request.message)
    if found is None and corrects is None:
        return False
    said = corrects["behind"] if corrects else found["behind"] or found["before"] if found else ""
    if said.strip().lower() == _OTHER:
        return len(turns) > 1
    told = content_words(said)
    return bool(told) and all(_is_in(each, turns) for each in told)


def _names_nothing(message: str) -> bool:
    """Whether a message is as short as "no, bring it back" and has no name and no word for what is kept."""
    said = message.split()
    is_bare = len(said) <= _MOST_WORDS and not any(each[:1].isupper() for each in said[1:])
    return is_bare and not any(mark in message for mark in ':"“„«') and not _KEPT.search(message)


def _is_in(word: str, turns: Sequence[Turn]) -> bool:
    """Whether a word, or another form of it, stands in the turns: "fainting" beside "faint"."""
    begins = word[: max(_LEAST_LETTERS, len(word) - _LONGEST_ENDING)]
    return any(each.startswith(begins) for turn in turns for each in words(f"{turn.question} {turn.answer}"))


def _before(request: PlanRequest, classify: Classify, asks_change: Callable[[str], bool]) -> Intent | None:
    """The agent that the message before went to; one that only continues went where the one before it did."""
    if request.turns and (agent := AGENT_INTENTS.get(request.turns[-1].agent)):
        return agent
    for message in reversed(request.messages):
        found = _alone(classify(message, request.base_key), message, asks_change)
        seems = found.seems or found
        if found.intent in AGENTS and found.confidence >= _LIKELY:
            return found.intent
        if seems.confidence >= _SURE or not (seems.intent in AGENTS or asks_change(message)):
            return None
    return None
