"""A message about the last answer itself: its next page, or its passages again ("why?", "shorter", "more on 2")."""

from __future__ import annotations

from cicada.dialogue import ShownDocument
from cicada.documents.model import Subject
from cicada.understanding.asking_back import chosen, ordinal
from cicada.understanding.follow_up_cues import YOU, Cues
from cicada.understanding.follow_up_text import Reading, function_words, language_of, read
from cicada.understanding.follow_ups import stand_alone
from cicada.understanding.intent.small_talk import is_small_talk
from cicada.understanding.model import Intent
from cicada.understanding.paging import next_page
from cicada.understanding.plan import Plan, Shape
from cicada.understanding.planner import PlanRequest
from cicada.understanding.subjects import subjects_of

_LONGEST = 120


def of_last_answer(request: PlanRequest) -> Plan | None:
    """The plan of such a message, for which nothing need be understood or searched; None for every other one."""
    if (page := next_page(request)) is not None:
        return page
    message, shown = request.message, request.shown
    if not shown.documents or len(message) > _LONGEST or is_small_talk(message):
        return None
    reading = read(message, language_of([message], likely=language_of(request.messages)))
    number = _number(reading)
    if number is not None:
        return _of_number(number, request)
    # "Summarise it" is about the document, and not about the answer.
    is_about_it = shown.cited and _asks_again(reading) and not subjects_of(message)
    return _about(request, shown.cited) if is_about_it else None


def _of_number(number: int, request: PlanRequest) -> Plan | None:
    """The plan of what was shown under a number, or of asking which number is meant.

    A bare number may be the reply to a question that was asked back.
    """
    shown, named = request.shown, request.shown.numbered(number)
    is_bare = chosen(request.message, number) is not None
    if named is not None and (named.excerpt or not is_bare):
        return _about(request, (named,))
    if is_bare:
        return None
    said = f"The last answer shows nothing under {number}: its numbers go to {shown.documents[-1].number}."
    return Plan(Intent.SCRIPT_QUERY, Shape.NEEDS_CLARIFICATION, request.message, clarification=f"{said} Which one?")


def _about(request: PlanRequest, shown: tuple[ShownDocument, ...]) -> Plan:
    """A plan of the passages, or of a document as a whole, with the question that they answered."""
    before = stand_alone([*request.messages, request.message]).before
    return Plan(
        Intent.SCRIPT_QUERY,
        Shape.CONTENT_ONLY,
        request.message,
        knowledge_base=request.shown.knowledge_base,
        before=before,
        subjects=tuple(Subject(each.document_id) for each in shown if not each.excerpt),
        again=tuple(each for each in shown if each.excerpt),
    )


def _own_words(reading: Reading, cues: Cues) -> list[str]:
    """The words that say something of a topic, and do not only ask for the answer in another form."""
    idle = function_words(reading.language) | cues.again
    return [word.key for word in reading.words if word.key not in idle]


def _number(reading: Reading) -> int | None:
    """The one number that a message such as "more on 2" or "tell me about the second one" is about."""
    if reading.cues is None:
        return None
    own = _own_words(reading, reading.cues)
    if len(own) != 1:
        return None
    return int(own[0]) if own[0].isdecimal() and len(own[0]) <= 2 else ordinal(own[0])


def _asks_again(reading: Reading) -> bool:
    """Whether the message asks something, and has no word that could be searched for.

    One that speaks to the assistant ("what can you do?") must point at the answer, or ask for a form of it.
    """
    cues = reading.cues
    if cues is None:
        return not reading.topics
    keys = {word.key for word in reading.words}
    asks = keys & (cues.again | cues.pointing | cues.thing | cues.person | cues.comparing)
    if not keys or _own_words(reading, cues):
        return False
    return bool(asks or (keys & cues.asking and not keys & YOU))
