"""Every question of one's own is found, whatever its age, and by the way the titles."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cicada.conversation.history import history
from cicada.conversation.limits import UsageLimits
from cicada.conversation.model import NewRequest, Question, RequestKey, Status
from cicada.conversation.protocol import (
    FRAME_LIMIT_BYTES,
    AskedQuestion,
    ChangeSession,
    DeleteSession,
    History,
    HistoryPage,
    SessionSummary,
    frame,
)
from cicada.conversation.search import SEARCHED_QUESTIONS, SEARCHED_SESSIONS
from cicada.conversation.sessions import Sessions
from cicada.errors import InvalidFrameError, LimitExceededError
from cicada.identity import Principal
from tests.fakes.usage_table import InMemoryUsageTable
from tests.unit.conversation.situation import ANN, BOB, ID, Situation

MOST_PAGES = 100


class Searched(Situation):
    """Ann's conversations, of which each question has ended."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.sessions = Sessions(self.log, self.shares, self.limits, lambda _: None, self.clock, lambda _: 0)

    def asked(self, session_id: str, message: str, principal: Principal = ANN) -> str:
        self.clock.now += 1
        now, key = self.clock.now, RequestKey(principal, str(uuid.uuid4()))
        self.limits.admit(key)
        self.log.create(NewRequest(key, Question(message, session_id, "store"), "c", now, now + 10**6), "{}")
        if lease := self.log.take_lease(key, now, now + 15):
            self.log.advance(lease, 1, 0, Status.COMPLETE)
        return key.request_id

    def page(self, search: str, principal: Principal = ANN, **fields: Any) -> HistoryPage:
        page = history(History(search=search, **fields), principal, self.log, self.withholding, self.limits)
        assert len(frame(page).encode()) <= FRAME_LIMIT_BYTES
        return page

    def pages(self, search: str, principal: Principal = ANN, **fields: Any) -> Iterator[HistoryPage]:
        """All pages, as a client asks for them."""
        before = None
        for _ in range(MOST_PAGES):
            page = self.page(search, principal, before=before, **fields)
            yield page
            before = page.before
            if before is None:
                return
        raise AssertionError("The search does not come to its end.")

    def found(self, search: str, principal: Principal = ANN, **fields: Any) -> list[SessionSummary]:
        return [each for page in self.pages(search, principal, **fields) for each in page.sessions]

    def questions(self, search: str, **fields: Any) -> list[AskedQuestion]:
        return [each for session in self.found(search, **fields) for each in session.asked or ()]

    def ids(self, search: str, **fields: Any) -> list[str]:
        return [each.request_id for each in self.questions(search, **fields)]


def marked(question: AskedQuestion) -> list[str]:
    return [question.excerpt[start:end] for start, end in question.spans]


@pytest.fixture
def talks() -> Searched:
    return Searched()


def test_each_question_with_the_words_is_named_with_its_moment_and_a_marked_excerpt(talks: Searched) -> None:
    talks.asked("s1", "Who murders Duncan?")
    porter = talks.asked("s1", f"{'And ' * 20}what does the PORTER\nsay, what?")
    talks.asked("s1", "Who else?")
    again = talks.asked("s1", "What of the porter?")
    other = talks.asked("s2", "What does the porter open?")
    assert [(each.session_id, each.title) for each in talks.found("porter WHAT")] == [
        ("s2", "What does the porter open?"),
        ("s1", "Who murders Duncan?"),
    ]
    found = talks.questions("porter WHAT")
    assert [each.request_id for each in found] == [other, again, porter]
    assert found[2].excerpt == f"…{'And ' * 17}what does the PORTER say, what?"
    assert marked(found[2]) == ["what", "PORTER", "what"]
    assert found[2].created_at == "2027-01-15T08:00:02.000+00:00"
    assert talks.found("murders porter") == []


def test_a_title_is_found_too_and_then_no_question_is_named(talks: Searched) -> None:
    talks.asked("s1", "Who?")
    talks.sessions.change(ChangeSession(ID, "s1", "The Queen"), ANN)
    [found] = talks.found("QUEEN")
    assert (found.title, found.asked) == ("The Queen", None)
    assert talks.found("queen who") == []


@pytest.mark.parametrize(
    ("message", "search", "expected"),
    [
        ("Où est le café fermé ?", "CAFE ferme", ["café", "fermé"]),
        ("Ou\u0300 est le cafe\u0301?", "café", ["cafe\u0301"]),
        ("Wie groß ist die Straße?", "GROSS strasse", ["groß", "Straße"]),
        ("What does the ﬁle say?", "file", ["ﬁle"]),
        ("ＷＨＯ is there?", "who", ["ＷＨＯ"]),
        ("Who 🦉 owls?", "owls", ["owls"]),
        ("aaaa", "aa a", ["aaaa"]),
        ("مَن قتل الملك؟", "من", ["مَن"]),
    ],
)
def test_capitals_accents_and_width_make_no_difference_and_whole_letters_are_marked(
    talks: Searched, message: str, search: str, expected: list[str]
) -> None:
    talks.asked("s1", message)
    [question] = talks.questions(search)
    assert marked(question) == expected


@settings(max_examples=60, deadline=None)
@given(message=st.text(min_size=1, max_size=300), data=st.data())
def test_a_question_is_found_by_any_piece_of_itself(message: str, data: st.DataObject) -> None:
    talks = Searched()
    talks.asked("s1", message)
    start = data.draw(st.integers(0, len(message) - 1))
    piece = message[start : start + 20]
    for question in talks.questions(piece):
        assert all(0 <= first < last <= len(question.excerpt) for first, last in question.spans)
        assert question.spans
    if piece.isascii() and piece.isalnum():
        assert talks.found(piece)


def test_a_search_of_nothing_that_is_seen_is_the_list(talks: Searched) -> None:
    talks.asked("s1", "Who?")
    for search in ("", "  ", "\u200b\u2066"):
        assert [each.title for each in talks.found(search)] == ["Who?"]


def test_the_oldest_of_many_sessions_and_of_many_questions_are_found(talks: Searched) -> None:
    first = talks.asked("s000", "Who is number first?")
    for number in range(1, 2 * SEARCHED_SESSIONS + 2):
        talks.asked(f"s{number:03}", "Who else?")
    assert talks.ids("number first") == [first]
    talks.asked("long", "The title")
    long = talks.asked("long", "Who is number long?")
    for _ in range(2 * SEARCHED_QUESTIONS + 5):
        talks.asked("long", "Again?")
    assert talks.ids("number") == [long, first]
    assert [each.session_id for each in talks.found("title") if not each.asked] == ["long"]
    assert len(talks.ids("again")) == 2 * SEARCHED_QUESTIONS + 5
    assert talks.page("number").before is not None, "One page reads a part."


@pytest.mark.parametrize("limit", [1, 3, 50])
@pytest.mark.parametrize("pinned", [False, True])
def test_every_question_is_found_once_however_the_pages_are_cut(talks: Searched, limit: int, pinned: bool) -> None:
    asked = [talks.asked(f"s{number % 3}", f"Who is number {number}?") for number in range(12)]
    if pinned:
        talks.sessions.change(ChangeSession(ID, "s1", pinned=True), ANN)
    talks.asked("s4", "Nothing")
    found = talks.ids("number who", limit=limit)
    assert sorted(found) == sorted(asked)
    assert len(talks.found("nothing", limit=limit)) == 1


def test_a_page_has_room_in_a_frame_whatever_is_found(talks: Searched) -> None:
    for number in range(60):
        for message in ("🦉" * 80, f"{'🦆' * 60} w {'🦆' * 60}"):
            talks.asked(f"{number:064}", message)
    assert len(set(talks.ids("w", limit=50))) == 60


def test_only_ones_own_are_found(talks: Searched) -> None:
    talks.asked("s1", "Who is the porter?", BOB)
    talks.shares.share(BOB, "s1", "an-id")
    talks.asked("s1", "Who is the porter?", Principal("other", "ann"))
    assert talks.found("porter") == []
    assert len(talks.found("porter", BOB)) == 1


def test_nothing_is_found_of_what_was_deleted(talks: Searched) -> None:
    for session in ("s1", "s2", "s3"):
        talks.asked(session, "Who is the porter?")
    talks.sessions.delete(DeleteSession(ID, "s1"), ANN)
    assert [each.session_id for each in talks.found("porter")] == ["s3", "s2"]
    talks.sessions.erase(ANN)
    assert talks.found("porter") == []


def test_a_session_that_moves_up_meanwhile_does_not_stop_the_search(talks: Searched) -> None:
    old = talks.asked("old", "Who is the porter?")
    for _ in range(SEARCHED_QUESTIONS + 5):
        talks.asked("long", "Again, porter?")
    first = talks.page("porter")
    talks.asked("long", "And now?")
    rest: list[str] = []
    before = first.before
    while before:
        page = talks.page("porter", before=before)
        rest += [each.request_id for session in page.sessions for each in session.asked or ()]
        before = page.before
    assert old in rest


def test_a_search_ends_in_time_and_goes_on_where_it_stopped(talks: Searched) -> None:
    asked = [talks.asked(session, f"Who is {session}?") for session in ("s1", "s2", "s3", "s4", "s5")]
    talks.log.before = slow_turns(talks)
    assert [len(page.sessions) for page in talks.pages("who is")] == [2, 2, 1]
    assert talks.ids("who is") == asked[::-1]


def slow_turns(talks: Searched) -> Callable[[str], None]:
    def before(step: str) -> None:
        talks.clock.now += 1.1 if step == "turns" else 0

    return before


def test_what_is_read_is_paid_for(talks: Searched) -> None:
    for number in range(20):
        talks.asked(f"s{number}", "Who?")
    limits = UsageLimits(InMemoryUsageTable(), talks.log, talks.clock, 60, 5, 1200)
    searches = 0
    with pytest.raises(LimitExceededError):
        while searches < 1000:
            history(History(search="nothing"), ANN, talks.log, talks.withholding, limits)
            searches += 1
    assert searches == 1200 // (25 + (20 + 20) // 2)


@pytest.mark.parametrize("before", ["", "/", "yesterday", "2027-01-15T08:00:01.000+00:00/", "2027-01-15/x", "a/b/c"])
def test_a_place_that_no_page_has_given_is_refused(talks: Searched, before: str) -> None:
    with pytest.raises(InvalidFrameError, match='"before"'):
        talks.page("who", before=before)
