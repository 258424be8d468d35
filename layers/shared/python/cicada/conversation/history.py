"""The user's sessions and a session's turns, read back from the request log."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from cicada.conversation.limits import SEARCH, SESSION, TURN, UsageLimits
from cicada.conversation.model import Head, RequestKey, SessionRow, Status, StoredEvent, TurnRow
from cicada.conversation.ports import RequestLog
from cicada.conversation.protocol import (
    FRAME_LIMIT_BYTES,
    AskedQuestion,
    Chunk,
    History,
    HistoryPage,
    SessionSummary,
    Turn,
    answer_events,
    first_that_fit,
)
from cicada.conversation.search import Found, FoundQuestion, Place, search, search_words
from cicada.conversation.withholding import Documents, Withholding, documents_shown
from cicada.errors import InvalidFrameError
from cicada.identity import Principal

# A turn as long as it may be has room in a page.
_ROOM_BYTES = FRAME_LIMIT_BYTES - 512
_ANSWER_LIMIT_BYTES = 20 * 1024
_MESSAGE_LIMIT_BYTES = 10 * 1024
# Between the two moments of a place within a session.
_WITHIN = "/"


def history(
    command: History, principal: Principal, log: RequestLog, withholding: Withholding, limits: UsageLimits
) -> HistoryPage:
    """One page, newest first, that fits in a frame; `before` of the page asks for the next one.

    `withholding` counts the documents of each answer that the user may not read any more. The page is charged by its
    length; `LimitExceededError` if the user has to wait for that.
    """
    if command.session_id is None:
        words = search_words(command.search)
        limits.spend(principal, SEARCH if words else SESSION * command.limit)
        return _searched(words, command, principal, log, limits) if words else _listed(command, principal, log)
    rows = log.turns(principal, command.session_id, moment_of(command.before), command.limit)
    if rows:
        limits.spend(principal, TURN * len(rows))
    page, documents = _turns(principal, command.session_id, command.limit, rows, log)
    gone = withholding.withheld(principal, frozenset().union(*documents))
    turns = (replace(turn, withheld=len(each & gone)) for turn, each in zip(page.turns, documents, strict=True))
    return replace(page, turns=tuple(turns))


def answer_text(events: Iterable[StoredEvent]) -> str:
    """The text that a client assembles from these events: the chunks after the last reset."""
    return "".join(event.content for event in answer_events(events) if isinstance(event, Chunk))


def summary(row: SessionRow) -> SessionSummary:
    """The session as clients are told of it."""
    return SessionSummary(
        session_id=row.session_id,
        title=row.title,
        last_at=time_text(row.last_at),
        knowledge_base=row.knowledge_base or None,
        pinned=row.pinned or None,
        shared=bool(row.share_id) or None,
    )


def _listed(command: History, principal: Principal, log: RequestLog) -> HistoryPage:
    """The user's sessions, as many as are asked for and have room in a frame."""
    rows = log.sessions(principal, moment_of(command.before), command.limit)
    shown = first_that_fit(rows, _ROOM_BYTES, summary)
    more = len(shown) < len(rows) or len(rows) == command.limit
    return HistoryPage(sessions=tuple(map(summary, shown)), before=time_text(shown[-1].order) if more else None)


def _searched(
    words: Sequence[str], command: History, principal: Principal, log: RequestLog, limits: UsageLimits
) -> HistoryPage:
    """What a stretch of the user's sessions has with the words; `limit` counts the questions that are found."""
    found, end = search(words, principal, _place_of(command.before), log, limits)
    shown = first_that_fit(found[: command.limit], _ROOM_BYTES, lambda each: _found_summary([each]))
    if len(shown) < len(found):
        end = shown[-1].place
    by_session: dict[str, list[Found]] = {}
    for each in shown:
        by_session.setdefault(each.session.session_id, []).append(each)
    return HistoryPage(sessions=tuple(map(_found_summary, by_session.values())), before=_place_text(end))


def _found_summary(found: Sequence[Found]) -> SessionSummary:
    asked = tuple(_asked(each.question) for each in found if each.question)
    return replace(summary(found[0].session), asked=asked or None)


def _asked(found: FoundQuestion) -> AskedQuestion:
    return AskedQuestion(found.turn.request_id, time_text(found.turn.created_at), found.excerpt, found.spans)


def _place_of(before: str | None) -> Place | None:
    """Where to search on. Raises `InvalidFrameError` for what no page has given."""
    if before is None:
        return None
    session, within, asked_at = before.partition(_WITHIN)
    return Place(_moment(session), _moment(asked_at) if within else None)


def _place_text(place: Place | None) -> str | None:
    if place is None or place.asked_at is None:
        return time_text(place.order) if place else None
    return f"{time_text(place.order)}{_WITHIN}{time_text(place.asked_at)}"


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
    return None if text is None else _moment(text)


def _moment(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise InvalidFrameError('The field "before" must be a time as given in an earlier page.') from None


def time_text(moment: float) -> str:
    """The time as clients are told of it, in UTC."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")
