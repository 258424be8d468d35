"""Searches the questions that a user has asked, in the user's newest sessions.

No index has the words of questions, so they are read and looked through: few, and not for long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from cicada.conversation.limits import SESSION, UsageLimits
from cicada.conversation.model import RequestKey, SessionRow
from cicada.conversation.ports import RequestLog
from cicada.conversation.titles import clean_title
from cicada.identity import Principal

SEARCHED_SESSIONS = 20
"""Of so many of a user's sessions the questions are searched, and of each its newest ones."""

SEARCHED_QUESTIONS = 100
"""As many questions are searched, so that one read of the database has them all."""

_OF_A_SESSION = 25
# Each is a part of a read, as they are written.
_QUESTIONS_A_UNIT = 2
# The list of titles is worth more than questions that come late.
_LONGEST_SECONDS = 2
# Characters of a question around what was found, and before it.
_SHOWN, _BEFORE = 100, 30

Found = tuple[SessionRow, str]
"""A session, and a piece of its newest question that has the words."""


def sessions_that_ask(
    words: Sequence[str], principal: Principal, before: float | None, log: RequestLog, limits: UsageLimits | None = None
) -> list[Found]:
    """The user's newest sessions below `before` in which one question has each of the words, in lower case.

    What is read is charged; `LimitExceededError` if the user has to wait for that.
    """
    rows = log.sessions(principal, before, SEARCHED_SESSIONS)
    asked = list(_asked(rows, principal, log, _deadline(limits)))
    if limits and asked:
        limits.spend(principal, SESSION * len(rows) + len(asked) // _QUESTIONS_A_UNIT)
    questions = log.questions([key for _, key in asked]) if asked else {}
    found: dict[str, Found] = {}
    for row, key in asked:
        text = clean_title(questions[key].message) if key in questions else ""
        folded = text.casefold()
        if row.session_id not in found and text and all(word in folded for word in words):
            found[row.session_id] = row, _piece(text, folded.find(words[0]))
    return list(found.values())


def _asked(
    rows: Sequence[SessionRow], principal: Principal, log: RequestLog, is_late: Callable[[], bool]
) -> Iterator[tuple[SessionRow, RequestKey]]:
    """The newest questions of each session, as many as are searched."""
    room = SEARCHED_QUESTIONS
    for row in rows:
        if not room or is_late():
            return
        turns = log.turns(principal, row.session_id, None, min(room, _OF_A_SESSION))
        room -= len(turns)
        yield from ((row, RequestKey(principal, each.request_id)) for each in turns)


def _deadline(limits: UsageLimits | None) -> Callable[[], bool]:
    if limits is None:
        return lambda: False
    until, clock = limits.clock() + _LONGEST_SECONDS, limits.clock
    return lambda: clock() > until


def _piece(text: str, place: int) -> str:
    start = max(0, place - _BEFORE) if len(text) > _SHOWN else 0
    piece = text[start : start + _SHOWN].strip()
    return f"{'…' if start else ''}{piece}{'…' if start + _SHOWN < len(text) else ''}"
