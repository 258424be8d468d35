"""A page of the user's history."""

from __future__ import annotations

from dataclasses import dataclass

from cicada_client.events import Frame
from cicada_client.forms import count, objects, pieces_of, spans_of, text_or_none


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question in which searched words were found. `request_id` and `created_at` are those of its `Turn`.

    `excerpt`: a piece of it, on one line. `spans`: from where to where the words are in that, in order and apart.
    """

    request_id: str
    created_at: str
    excerpt: str
    spans: tuple[tuple[int, int], ...] = ()

    @property
    def pieces(self) -> tuple[tuple[str, bool], ...]:
        """The excerpt in pieces, each with whether it was searched for."""
        return pieces_of(self.excerpt, self.spans)


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation. `title` was made from its first question or given by the user, `last_at` is an ISO 8601 time.

    `knowledge_base` is the one that it began with; None if the server does not say. `shared`: others of the user's
    tenant may read it by its link. `asked`: of what was searched for, the questions that were found, newest first;
    empty if the title alone has the words.
    """

    session_id: str
    title: str
    last_at: str
    knowledge_base: str | None = None
    pinned: bool = False
    shared: bool = False
    asked: tuple[AskedQuestion, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and its answer. `Client.follow(request_id)` gives the whole of a `truncated` one.

    `withheld`: how many of its documents were removed since, or may not be read by the user any more. `rating`: `good`
    or `bad`, as the user said.
    """

    request_id: str
    created_at: str
    status: str
    message: str
    answer: str
    truncated: bool
    withheld: int = 0
    rating: str | None = None


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Newest first: sessions, or one session's turns. `before` asks for the next page; None on the last.

    A search goes through the sessions page by page: one may have nothing, and a session may come again on the next.
    """

    sessions: tuple[Session, ...]
    turns: tuple[Turn, ...]
    before: str | None


def parse_history(frame: Frame) -> HistoryPage:
    """The page in a `history` frame; items that are not objects are left out."""
    before = frame.get("before")
    return HistoryPage(
        sessions=tuple(_session(item) for item in objects(frame.get("sessions"))),
        turns=tuple(_turn(item) for item in objects(frame.get("turns"))),
        before=before if isinstance(before, str) else None,
    )


def _session(item: Frame) -> Session:
    base = text_or_none(item.get("knowledgeBase"))
    pinned, shared = item.get("pinned") is True, item.get("shared") is True
    return Session(
        _text(item, "sessionId"),
        _text(item, "title"),
        _text(item, "lastAt"),
        base,
        pinned,
        shared,
        tuple(map(_asked, objects(item.get("asked")))),
    )


def _asked(item: Frame) -> AskedQuestion:
    excerpt = _text(item, "excerpt")
    spans = spans_of(item.get("spans"), len(excerpt))
    return AskedQuestion(_text(item, "requestId"), _text(item, "createdAt"), excerpt, spans)


def parse_session(frame: Frame) -> Session | None:
    """The session in a `session` frame; None if there is none any more."""
    session = frame.get("session")
    return _session(session) if isinstance(session, dict) else None


@dataclass(frozen=True, slots=True)
class Erased:
    """What was deleted: conversations, their questions, and profiles and theories with their earlier states.

    `left`: there is more to delete.
    """

    conversations: int
    questions: int
    entries: int
    left: bool

    def __add__(self, later: Erased) -> Erased:
        """Both together."""
        return Erased(
            self.conversations + later.conversations,
            self.questions + later.questions,
            self.entries + later.entries,
            later.left,
        )


def parse_erased(frame: Frame) -> Erased:
    """What an `erased` frame says."""
    conversations, questions, entries = (count(frame.get(name)) for name in ("conversations", "questions", "entries"))
    return Erased(conversations, questions, entries, frame.get("left") is True)


def _turn(item: Frame) -> Turn:
    return Turn(
        request_id=_text(item, "requestId"),
        created_at=_text(item, "createdAt"),
        status=_text(item, "status"),
        message=_text(item, "message"),
        answer=_text(item, "answer"),
        truncated=item.get("truncated") is True,
        withheld=count(item.get("withheld")),
        rating=text_or_none(item.get("rating")),
    )


def _text(item: Frame, name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""
