"""A user's questions and titles in which words are found, read back from the request log.

No index has the words of questions. They are read, one stretch of sessions after the other, as the client asks on: so
nothing is stored for the search, nothing is left of what is deleted, and a question of any age is found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from cicada.conversation.limits import UsageLimits
from cicada.conversation.model import RequestKey, SessionRow, TurnRow
from cicada.conversation.ports import RequestLog
from cicada.conversation.titles import clean_title
from cicada.identity import Principal
from cicada.text import skeleton

# What one stretch has at most. A read of the database has a hundred questions.
SEARCHED_SESSIONS = 50
SEARCHED_QUESTIONS = 200
# A session's list of turns is half a read, and so is a question.
_A_UNIT = 2
# Whoever searches would rather see the first results than wait for the end of a stretch.
_LONGEST_SECONDS = 2
# Characters of a question around what was found, and before it.
_SHOWN, _BEFORE = 100, 30
# Orders of pinned sessions are so large that a moment loses its last digit.
_TICK_SECONDS = 0.002

Spans = tuple[tuple[int, int], ...]
"""Pieces of a text, as characters from and before."""


class Place(Struct, frozen=True):
    """Where a stretch begins: behind the session of this order, or within it, behind the question of `asked_at`."""

    order: float
    asked_at: float | None = None


class FoundQuestion(Struct, frozen=True):
    """A question that has the words. `excerpt`: a piece of it on one line, `spans`: the places of the words in it."""

    turn: TurnRow
    excerpt: str
    spans: Spans


class Found(Struct, frozen=True):
    """A session's question that has the words; without a question the session's title alone has them."""

    session: SessionRow
    question: FoundQuestion | None = None

    @property
    def place(self) -> Place:
        return Place(self.session.order, self.question.turn.created_at if self.question else None)


class _Read(Struct, frozen=True):
    """A session and its questions of a stretch, newest first. `begins`: they are the newest that the session has."""

    session: SessionRow
    turns: Sequence[TurnRow]
    begins: bool


def search_words(text: str | None) -> list[str]:
    """The words of a search: capitals, accents and width make no difference."""
    return skeleton(text or "").split()


def search(
    words: Sequence[str], principal: Principal, place: Place | None, log: RequestLog, limits: UsageLimits
) -> tuple[list[Found], Place | None]:
    """What a stretch of the user's sessions has with all of the words at any place, newest first, and where to go on.

    What is read is charged; `LimitExceededError` if the user has to wait for that.
    """
    read, end = _stretch(principal, place, log, limits.clock)
    keys = [RequestKey(principal, turn.request_id) for each in read for turn in each.turns]
    if keys:
        limits.spend(principal, (len(read) + len(keys)) // _A_UNIT)
    questions = log.questions(keys) if keys else {}
    texts = {key.request_id: clean_title(question.message) for key, question in questions.items()}
    return [found for each in read for found in _found(each, texts, words)], end


def _stretch(
    principal: Principal, place: Place | None, log: RequestLog, clock: Callable[[], float]
) -> tuple[list[_Read], Place | None]:
    """The sessions from a place on, as many as one search reads, and where the next one begins; None at the end."""
    rows = log.sessions(principal, _before(place), SEARCHED_SESSIONS)
    room, until, read = SEARCHED_QUESTIONS, clock() + _LONGEST_SECONDS, list[_Read]()
    for row in rows:
        if clock() > until:
            return read, Place(read[-1].session.order)
        within = place.asked_at if place and abs(row.order - place.order) < _TICK_SECONDS else None
        turns = log.turns(principal, row.session_id, within, room)
        read.append(_Read(row, turns, within is None))
        room -= len(turns)
        if not room:
            return read, Place(row.order, turns[-1].created_at)
    return read, Place(rows[-1].order) if len(rows) == SEARCHED_SESSIONS else None


def _before(place: Place | None) -> float | None:
    if place is None or place.asked_at is None:
        return place.order if place else None
    return place.order + _TICK_SECONDS


def _found(read: _Read, texts: dict[str, str], words: Sequence[str]) -> list[Found]:
    found = [(turn, _excerpt(texts.get(turn.request_id, ""), words)) for turn in read.turns]
    asked = [Found(read.session, FoundQuestion(turn, *excerpt)) for turn, excerpt in found if excerpt]
    if not asked and read.begins and _has(skeleton(read.session.title), words):
        return [Found(read.session)]
    return asked


def _has(folded: str, words: Sequence[str]) -> bool:
    return all(word in folded for word in words)


def _excerpt(text: str, words: Sequence[str]) -> tuple[str, Spans] | None:
    """A piece of the text from a little before the first word on, and the words in it; None if it lacks one of them."""
    if not _has(skeleton(text), words):
        return None
    places = _places(text, words)
    start = _start(text, places[0][0]) if len(text) > _SHOWN else 0
    piece, lead = text[start : start + _SHOWN].rstrip(), "…" if start else ""
    end, shift = start + len(piece), len(lead) - start
    spans = tuple((max(first, start) + shift, min(last, end) + shift) for first, last in places if first < end)
    return f"{lead}{piece}{'…' if end < len(text) else ''}", spans


def _start(text: str, hit: int) -> int:
    """Where a piece begins: before the hit, as far as there is room for the end, and if possible with a word."""
    start = max(0, min(hit - _BEFORE, len(text) - _SHOWN))
    return text.find(" ", start, hit) + 1 or start if start else 0


def _places(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where the words are in the text, in order and apart. A letter may fold to several or to none."""
    folded = [skeleton(letter) for letter in text]
    origins = [place for place, letters in enumerate(folded) for _ in letters]
    whole = "".join(folded)
    hit = {origins[at] for word in words for start in _starts(whole, word) for at in range(start, start + len(word))}
    # An accent that is a letter of its own goes with the one before it.
    hit |= {place for place, letters in enumerate(folded) if not letters and place - 1 in hit}
    firsts = sorted(place for place in hit if place - 1 not in hit)
    lasts = sorted(place + 1 for place in hit if place + 1 not in hit)
    return list(zip(firsts, lasts, strict=True))


def _starts(text: str, word: str) -> list[int]:
    """Where the word begins in the text, each time that it is there."""
    starts, at = list[int](), text.find(word)
    while at >= 0:
        starts.append(at)
        at = text.find(word, at + len(word))
    return starts
