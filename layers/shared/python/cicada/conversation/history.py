"""The user's sessions and a session's turns, read back from the request log."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from cicada.conversation.limits import SEARCH, SESSION, TURN, UsageLimits
from cicada.conversation.model import Head, RequestKey, SessionRow, Status, StoredEvent, TurnRow
from cicada.conversation.ports import RequestLog
from cicada.conversation.protocol import (
    FRAME_LIMIT_BYTES,
    Chunk,
    History,
    HistoryPage,
    SessionSummary,
    Turn,
    answer_events,
    first_that_fit,
)
from cicada.conversation.titles import clean_title
from cicada.conversation.withholding import Documents, Withholding, documents_shown
from cicada.errors import InvalidFrameError
from cicada.identity import Principal

# A turn as long as it may be has room in a page.
_ROOM_BYTES = FRAME_LIMIT_BYTES - 512
_ANSWER_LIMIT_BYTES = 20 * 1024
_MESSAGE_LIMIT_BYTES = 10 * 1024

# No index has the words of questions, so they are read and looked through: few, and not for long. As many are searched
# as one read of the database has.
SEARCHED_SESSIONS = 20
_SEARCHED_QUESTIONS = 100
_QUESTIONS_OF_A_SESSION = 25
# Each is a part of a read, as they are written.
_QUESTIONS_A_UNIT = 2
# The list of titles is worth more than questions that come late.
_LONGEST_SEARCH_SECONDS = 2
# Characters of a question around what was found, and before it.
_SHOWN, _BEFORE = 100, 30

_Found = tuple[SessionRow, str]
"""A session, and a piece of its newest question that has the words."""


def history(
    command: History, principal: Principal, log: RequestLog, withholding: Withholding, limits: UsageLimits
) -> HistoryPage:
    """One page, newest first, that fits in a frame; `before` of the page asks for the next one.

    `withholding` counts the documents of each answer that the user may not read any more. The page is charged by its
    length; `LimitExceededError` if the user has to wait for that.
    """
    before = moment_of(command.before)
    if command.session_id is None:
        words = (command.search or "").casefold().split()
        limits.spend(principal, SESSION * command.limit + (SEARCH if words else 0))
        asked = _sessions_that_ask(words, principal, before, log, limits) if words else []
        return _sessions(log.sessions(principal, before, command.limit, words), asked, command.limit)
    rows = log.turns(principal, command.session_id, before, command.limit)
    if rows:
        limits.spend(principal, TURN * len(rows))
    page, documents = _turns(principal, command.session_id, command.limit, rows, log)
    gone = withholding.withheld(principal, frozenset().union(*documents))
    turns = (replace(turn, withheld=len(each & gone)) for turn, each in zip(page.turns, documents, strict=True))
    return replace(page, turns=tuple(turns))


def answer_text(events: Iterable[StoredEvent]) -> str:
    """The text that a client assembles from these events: the chunks after the last reset."""
    return "".join(event.content for event in answer_events(events) if isinstance(event, Chunk))


def summary(row: SessionRow, asked: str = "") -> SessionSummary:
    """The session as clients are told of it. `asked`: a piece of a question in which searched words were found."""
    return SessionSummary(
        session_id=row.session_id,
        title=row.title,
        last_at=time_text(row.last_at),
        knowledge_base=row.knowledge_base or None,
        pinned=row.pinned or None,
        shared=bool(row.share_id) or None,
        asked=asked or None,
    )


def _sessions_that_ask(
    words: Sequence[str], principal: Principal, before: float | None, log: RequestLog, limits: UsageLimits
) -> list[_Found]:
    """The user's newest sessions below `before` in which one question has each of the words, in lower case.

    What is read is charged; `LimitExceededError` if the user has to wait for that.
    """
    rows = log.sessions(principal, before, SEARCHED_SESSIONS)
    asked = list(_asked(rows, principal, log, limits.clock))
    if asked:
        limits.spend(principal, SESSION * len(rows) + len(asked) // _QUESTIONS_A_UNIT)
    questions = log.questions([key for _, key in asked]) if asked else {}
    found: dict[str, _Found] = {}
    for row, key in asked:
        text = clean_title(questions[key].message) if key in questions else ""
        folded = text.casefold()
        if row.session_id not in found and text and all(word in folded for word in words):
            found[row.session_id] = row, _piece(text, folded.find(words[0]))
    return list(found.values())


def _asked(
    rows: Sequence[SessionRow], principal: Principal, log: RequestLog, clock: Callable[[], float]
) -> Iterator[tuple[SessionRow, RequestKey]]:
    """The newest questions of each session, as many as are searched."""
    room, until = _SEARCHED_QUESTIONS, clock() + _LONGEST_SEARCH_SECONDS
    for row in rows:
        if not room or clock() > until:
            return
        turns = log.turns(principal, row.session_id, None, min(room, _QUESTIONS_OF_A_SESSION))
        room -= len(turns)
        yield from ((row, RequestKey(principal, each.request_id)) for each in turns)


def _piece(text: str, place: int) -> str:
    start = max(0, place - _BEFORE) if len(text) > _SHOWN else 0
    piece = text[start : start + _SHOWN].strip()
    return f"{'…' if start else ''}{piece}{'…' if start + _SHOWN < len(text) else ''}"


def _sessions(titled: Sequence[SessionRow], asked: Sequence[_Found], limit: int) -> HistoryPage:
    """Sessions by their titles and by their questions, each once, as many as there may be and have room in a frame."""
    found = {row.session_id: (row, piece) for row, piece in asked} | {row.session_id: (row, "") for row in titled}
    rows = sorted(found.values(), key=lambda each: -each[0].order)[:limit]
    shown = first_that_fit(rows, _ROOM_BYTES, lambda each: summary(*each))
    return HistoryPage(
        sessions=tuple(summary(row, piece) for row, piece in shown),
        before=time_text(shown[-1][0].order) if len(shown) < len(rows) or len(rows) == limit else None,
    )


def _turns(
    principal: Principal, session_id: str, limit: int, rows: Sequence[TurnRow], log: RequestLog
) -> tuple[HistoryPage, list[Documents]]:
    """The page, and of each turn the documents that it was made from."""
    read = (_turn(RequestKey(principal, row.request_id), row, log) for row in rows)
    fitting = first_that_fit(read, _ROOM_BYTES, lambda each: each[0])
    turns = tuple(turn for turn, _ in fitting)
    more = len(turns) < len(rows) or len(rows) == limit
    end = turns[-1].created_at if more and turns else None
    return HistoryPage(session_id=session_id, turns=turns, before=end), [documents for _, documents in fitting]


def _turn(key: RequestKey, row: TurnRow, log: RequestLog) -> tuple[Turn, Documents]:
    head, question = log.head(key), log.question(key)
    message = question.message if question else ""
    events = list(log.events(key, 0, head.last_seq)) if head else []
    answer = answer_text(events)
    kept_message, kept_answer = beginning(message, _MESSAGE_LIMIT_BYTES), beginning(answer, _ANSWER_LIMIT_BYTES)
    turn = Turn(
        request_id=row.request_id,
        created_at=time_text(row.created_at),
        status=status_of(head),
        message=kept_message,
        answer=kept_answer,
        truncated=(kept_message, kept_answer) != (message, answer),
        rating=head.feedback.rating if head and head.feedback else None,
    )
    return turn, documents_shown(key.principal, events)


def status_of(head: Head | None) -> Status:
    """The status of a request, which has failed if it is not there any more."""
    return head.status if head else Status.FAILED


def beginning(text: str, limit_bytes: int) -> str:
    """The longest prefix of the text that takes at most `limit_bytes` in a frame, including escapes."""
    if _bytes_in_json(text) <= limit_bytes:
        return text
    return text[: bisect_right(range(len(text)), limit_bytes, key=lambda end: _bytes_in_json(text[:end])) - 1]


def _bytes_in_json(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode())


def moment_of(text: str | None) -> float | None:
    """The time that a client gives as `before`. Raises `InvalidFrameError` for another text."""
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise InvalidFrameError('The field "before" must be a time as given in an earlier page.') from None


def time_text(moment: float) -> str:
    """The time as clients are told of it, in UTC."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")
