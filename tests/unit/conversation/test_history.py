from __future__ import annotations

import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cicada.conversation.history import history
from cicada.conversation.model import RequestKey, Status
from cicada.conversation.protocol import (
    FRAME_LIMIT_BYTES,
    Chunk,
    Failed,
    History,
    HistoryPage,
    Reset,
    StatusChanged,
    Turn,
    frame,
)
from cicada.errors import InvalidFrameError
from cicada.identity import Principal
from tests.unit.conversation.situation import ANN, BOB, WHOLE, Situation, send_message


class Talk(Situation):
    """A conversation in which questions are answered."""

    def turn(self, message: str = "Who?", *answer: str, session: str = "s1", principal: Principal = ANN) -> str:
        """Ask and answer, one second after the last turn; returns the requestId."""
        self.clock.now += 1
        request_id = str(uuid.UUID(int=int(self.clock.now), version=4))
        self.accepter.accept(send_message(message, request_id, sessionId=session), self.connection(principal))
        if answer:
            delivery = self.delivery(self.lease(RequestKey(principal, request_id)))
            delivery.send(StatusChanged(stage="answering"))
            for piece in answer:
                delivery.send(Reset(reason="again") if piece == "<reset>" else Chunk(content=piece))
            delivery.send(WHOLE)
        return request_id

    def page(self, session: str | None = None, before: str | None = None, limit: int = 20) -> HistoryPage:
        command = History(session_id=session, before=before, limit=limit)
        page = history(command, ANN, self.log, self.withholding, self.limits)
        assert len(frame(page).encode()) <= FRAME_LIMIT_BYTES
        return page

    def all_turns(self, session: str, limit: int) -> list[Turn]:
        """Page by page to the end."""
        turns: list[Turn] = []
        before = None
        while True:
            page = self.page(session, before, limit)
            turns += page.turns
            before = page.before
            if before is None:
                return turns


@pytest.fixture
def talk() -> Talk:
    return Talk()


def test_a_turn_has_its_question_and_the_text_of_its_answer(talk: Talk) -> None:
    request_id = talk.turn("Who?", "Sey", "ton.")
    assert talk.page("s1").turns == (
        Turn(
            request_id=request_id,
            created_at="2027-01-15T08:00:01.000+00:00",
            status=Status.COMPLETE,
            message="Who?",
            answer="Seyton.",
        ),
    )


def test_a_reset_discards_the_text_before_it(talk: Talk) -> None:
    talk.turn("Who?", "Mac", "<reset>", "Sey", "<reset>", "Seyton", ".")
    assert talk.page("s1").turns[0].answer == "Seyton."


def test_a_turn_under_way_has_the_text_so_far(talk: Talk) -> None:
    key = RequestKey(ANN, talk.turn("Who?"))
    assert (talk.page("s1").turns[0].status, talk.page("s1").turns[0].answer) == ("queued", "")
    delivery = talk.delivery(talk.lease(key))
    delivery.send(Chunk(content="Sey"))
    assert (talk.page("s1").turns[0].status, talk.page("s1").turns[0].answer) == ("processing", "Sey")
    delivery.send(Failed(error="No.", code="internal", retryable=False))
    assert talk.page("s1").turns[0].status == "failed"


def test_sessions_come_most_recently_used_first_with_the_beginning_of_their_first_message(talk: Talk) -> None:
    talk.turn("First " + "word " * 40, session="s1")
    talk.turn("Second", session="s2")
    talk.turn("Third", session="s1")
    page = talk.page()
    assert [summary.session_id for summary in page.sessions] == ["s1", "s2"]
    assert page.sessions[0].knowledge_base == "scripts"
    assert page.sessions[0].title.startswith("First word")
    assert len(page.sessions[0].title) == 76
    assert page.sessions[0].last_at == "2027-01-15T08:00:03.000+00:00"
    assert page.before is None


def test_nobody_sees_another_users_sessions_or_turns(talk: Talk) -> None:
    talk.turn("Secret?", "Yes.", session="s1", principal=BOB)
    talk.turn("Secret?", "Yes.", session="s1", principal=Principal("other", "ann"))
    assert talk.page() == HistoryPage()
    assert talk.page("s1") == HistoryPage(session_id="s1")


def test_sessions_are_paged_without_gap_or_repeat(talk: Talk) -> None:
    for number in range(7):
        talk.turn(session=f"s{number}")
    seen: list[str] = []
    before = None
    for _ in range(4):
        page = talk.page(before=before, limit=2)
        seen += [summary.session_id for summary in page.sessions]
        before = page.before
    assert seen == [f"s{number}" for number in reversed(range(7))]
    assert before is None


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 50])
def test_turns_are_paged_without_gap_or_repeat(talk: Talk, limit: int) -> None:
    asked = [talk.turn(f"Question {number}", "Answer.") for number in range(7)]
    assert [turn.request_id for turn in talk.all_turns("s1", limit)] == asked[::-1]


def test_an_answer_too_long_for_a_frame_is_cut_and_says_so(talk: Talk) -> None:
    talk.turn("Who?", *["y" * 5_000] * 10)
    turn = talk.page("s1").turns[0]
    assert turn.truncated
    assert turn.answer == "y" * len(turn.answer)
    assert len(turn.answer) > 16_000


@settings(max_examples=40)
@given(message=st.text(min_size=1, max_size=20), answer=st.text(min_size=1, max_size=20), repeats=st.integers(1, 400))
@pytest.mark.parametrize("session", ["s1"])
def test_whatever_was_said_a_page_fits_in_a_frame(session: str, message: str, answer: str, repeats: int) -> None:
    talk = Talk()
    asked = ("Q" + message * repeats)[:8000]
    for _ in range(2):
        talk.turn(asked, *[answer * repeats] * 10)
    turns = talk.all_turns(session, 50)
    assert len(turns) == 2
    for turn in turns:
        assert asked.startswith(turn.message)
        assert (answer * repeats * 10).startswith(turn.answer)
        assert turn.truncated == ((turn.message, turn.answer) != (asked, answer * repeats * 10))


@pytest.mark.parametrize("hard", ["\x01", '"', "\\", "\n", "😀"])
def test_what_json_escapes_is_counted(talk: Talk, hard: str) -> None:
    talk.turn("Q" + hard * 7999, *[hard * 5_000] * 4)
    assert talk.page("s1").turns[0].truncated


@pytest.mark.parametrize("title", ["\x01" * 80, "😀" * 80])
def test_fifty_sessions_fit_in_a_frame(talk: Talk, title: str) -> None:
    for number in range(50):
        talk.turn(title, session=f"{number:02}" + "s" * 62)
    assert len(talk.page(limit=50).sessions) == 50


@pytest.mark.parametrize("before", ["", "yesterday", "17", "2027-13-01", "0001-01-01", "9999-12-31T23:59:59+00:00x"])
def test_a_place_that_no_page_has_given_is_refused(talk: Talk, before: str) -> None:
    with pytest.raises(InvalidFrameError, match='"before"'):
        talk.page(before=before)
