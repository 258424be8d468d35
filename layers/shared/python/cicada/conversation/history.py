"""The user's sessions and a session's turns, read back from the request log."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import accumulate

from msgspec.json import encode
from msgspec.structs import replace

from cicada.conversation.limits import SEARCH, SESSION, TURN, UsageLimits
from cicada.conversation.model import Head, RequestKey, SessionRow, Status, StoredEvent, TurnRow
from cicada.conversation.ports import RequestLog
from cicada.conversation.protocol import (
    FRAME_LIMIT_BYTES,
    Chunk,
    History,
    HistoryPage,
    Reset,
    SessionSummary,
    Turn,
    known_event,
)
from cicada.conversation.question_search import sessions_that_ask
from cicada.conversation.withholding import Documents, Withholding, documents_shown
from cicada.errors import InvalidFrameError
from cicada.identity import Principal

_ANSWER_LIMIT_BYTES = 20 * 1024
_MESSAGE_LIMIT_BYTES = 10 * 1024


def history(
    command: History,
    principal: Principal,
    log: RequestLog,
    withholding: Withholding,
    limits: UsageLimits | None = None,
) -> HistoryPage:
    """One page, newest first, that fits in a frame; `before` of the page asks for the next one.

    `withholding` counts the documents of each answer that the user may not read any more. The page is charged by its
    length; `LimitExceededError` if the user has to wait for that.
    """
    before = moment_of(command.before)
    if command.session_id is None:
        words = (command.search or "").casefold().split()
        if limits:
            limits.spend(principal, SESSION * command.limit + (SEARCH if words else 0))
        asked = sessions_that_ask(words, principal, before, log, limits) if words else []
        return _sessions(log.sessions(principal, before, command.limit, words), asked, command.limit)
    rows = log.turns(principal, command.session_id, before, command.limit)
    if limits and rows:
        limits.spend(principal, TURN * len(rows))
    page, documents = _turns(principal, command.session_id, command.limit, rows, log)
    gone = withholding.withheld(principal, frozenset().union(*documents))
    turns = (replace(turn, withheld=len(each & gone)) for turn, each in zip(page.turns, documents, strict=True))
    return replace(page, turns=tuple(turns))


def answer_text(events: Iterable[StoredEvent]) -> str:
    """The text that a client assembles from these events: the chunks after the last reset.

    Events of a newer version are left out, as clients leave them out.
    """
    parts: list[str] = []
    for stored in events:
        event = known_event(stored.body)
        if isinstance(event, Chunk):
            parts.append(event.content)
        elif isinstance(event, Reset):
            parts.clear()
    return "".join(parts)


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


def _sessions(titled: Sequence[SessionRow], asked: Sequence[tuple[SessionRow, str]], limit: int) -> HistoryPage:
    """Sessions by their titles and by their questions, each once, as many as there may be and have room in a frame."""
    found = {row.session_id: (row, piece) for row, piece in asked} | {row.session_id: (row, "") for row in titled}
    rows = sorted(found.values(), key=lambda each: -each[0].order)[:limit]
    ends = list(accumulate(len(encode(summary(row, piece))) + len(",") for row, piece in rows))
    shown = rows[: bisect_right(ends, FRAME_LIMIT_BYTES - 512)]
    return HistoryPage(
        sessions=tuple(summary(row, piece) for row, piece in shown),
        before=time_text(shown[-1][0].order) if len(shown) < len(rows) or len(rows) == limit else None,
    )


def _turns(
    principal: Principal, session_id: str, limit: int, rows: Sequence[TurnRow], log: RequestLog
) -> tuple[HistoryPage, list[Documents]]:
    """The page, and of each turn the documents that it was made from."""
    turns: list[Turn] = []
    documents: list[Documents] = []
    room = FRAME_LIMIT_BYTES - 512
    for row in rows:
        turn, shown = _turn(RequestKey(principal, row.request_id), row, log)
        room -= len(encode(turn)) + len(",")
        if turns and room < 0:
            break
        turns.append(turn)
        documents.append(shown)
    more = len(turns) < len(rows) or len(rows) == limit
    end = turns[-1].created_at if more and turns else None
    return HistoryPage(session_id=session_id, turns=tuple(turns), before=end), documents


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
