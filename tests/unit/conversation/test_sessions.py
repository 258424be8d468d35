"""Naming, pinning and deleting sessions."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from cicada.conversation.history import history
from cicada.conversation.limits import UsageLimits
from cicada.conversation.model import NewRequest, Question, RequestKey, Status, TurnRow
from cicada.conversation.protocol import (
    ChangeSession,
    DeleteSession,
    Erased,
    History,
    SessionChanged,
    SessionSummary,
)
from cicada.conversation.sessions import Sessions
from cicada.errors import InvalidFrameError, LimitExceededError, SessionBusyError, SessionNotFoundError
from cicada.identity import Principal
from cicada.observability.audit import SessionDeleted
from tests.fakes.usage_table import InMemoryUsageTable
from tests.unit.conversation.situation import BOB, ID, Situation

ANN = Principal("acme", "ann", login="ann@acme")


class Shelf(Situation):
    """Ann's conversations."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.records: list[SessionDeleted] = []
        self.entries = {ANN: 3, BOB: 1}
        self.limits = UsageLimits(InMemoryUsageTable(), self.log, self.clock, 600, 5, 6000)
        self.sessions = Sessions(
            *(self.log, self.shares, self.limits, self.records.append, self.clock),
            lambda principal: self.entries.pop(principal, 0),
        )

    def slow_turns(self, step: str) -> None:
        self.clock.now += 1.1 if step == "turns" else 0

    def asked(
        self, session_id: str, message: str = "Who?", base: str = "scripts", *, answered: bool = True
    ) -> RequestKey:
        """A question and, if `answered`, its answer."""
        self.clock.now += 1
        now, key = self.clock.now, RequestKey(ANN, str(uuid.uuid4()))
        self.limits.admit(key)
        self.log.create(NewRequest(key, Question(message, session_id, base), "c", now, now + 999), "{}")
        if answered and (lease := self.log.take_lease(key, now, now + 15)):
            self.log.advance(lease, 1, 0, Status.COMPLETE)
        return key

    def change(self, principal: Principal = ANN, **fields: Any) -> SessionSummary | None:
        return self.sessions.change(ChangeSession(ID, "s1", **fields), principal).session

    def listed(self) -> list[str]:
        page = history(History(), ANN, self.log, self.withholding, self.limits)
        return [each.title for each in page.sessions]


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def test_a_session_is_named_and_pinned_and_the_reply_says_what_it_is_now(shelf: Shelf) -> None:
    shelf.asked("s1")
    shelf.asked("s2", "A later one")
    assert shelf.listed() == ["A later one", "Who?"]
    named = shelf.change(title="  The\u202e queen\n\x1b[31m is dead ")
    assert named
    assert (named.title, named.pinned) == ("The queen [31m is dead", None)
    pinned = shelf.change(pinned=True)
    assert pinned
    assert (pinned.title, pinned.pinned, pinned.last_at) == (named.title, True, named.last_at)
    assert shelf.listed() == ["The queen [31m is dead", "A later one"]


@pytest.mark.parametrize("title", [" ", "\u200b\u2066", "\x07"])
def test_a_title_that_nobody_sees_is_refused(shelf: Shelf, title: str) -> None:
    shelf.asked("s1")
    with pytest.raises(InvalidFrameError):
        shelf.change(title=title)
    assert shelf.listed() == ["Who?"]


def test_another_users_session_is_neither_named_nor_deleted(shelf: Shelf) -> None:
    shelf.asked("s1")
    with pytest.raises(SessionNotFoundError):
        shelf.change(BOB, title="Mine")
    with pytest.raises(SessionNotFoundError):
        shelf.sessions.delete(DeleteSession(ID, "s1"), BOB)
    assert (shelf.listed(), shelf.records) == (["Who?"], [])


def test_a_deleted_session_is_gone_with_its_turns_and_its_deletion_is_recorded(shelf: Shelf) -> None:
    keys = [shelf.asked("s1") for _ in range(101)]
    stays = shelf.asked("s2", "Another")
    shelf.shares.share(ANN, "s1", "a")
    assert shelf.sessions.delete(DeleteSession(ID, "s1"), ANN).session is None
    assert shelf.listed() == ["Another"]
    assert [shelf.log.head(key) for key in keys] == [None] * 101
    assert shelf.log.head(stays)
    assert shelf.shares.find("acme", "a") is None
    assert shelf.records == [SessionDeleted(shelf.clock.now, "acme", "ann", "s1", 101, "ann@acme")]
    with pytest.raises(SessionNotFoundError):
        shelf.sessions.delete(DeleteSession(ID, "s1"), ANN)


def test_a_session_with_an_answer_under_way_is_not_deleted(shelf: Shelf) -> None:
    shelf.asked("s1")
    going = shelf.asked("s1", "And then?", answered=False)
    with pytest.raises(SessionBusyError, match="stop it first"):
        shelf.sessions.delete(DeleteSession(ID, "s1"), ANN)
    assert shelf.log.head(going)
    assert shelf.listed() == ["Who?"]


@pytest.mark.parametrize(
    ("again", "reply"),
    [
        (lambda sessions: sessions.delete(DeleteSession(ID, "s1"), ANN), SessionChanged(None)),
        (lambda sessions: sessions.erase(ANN), Erased(1, 1, 3, False)),
    ],
)
def test_an_interrupted_deletion_goes_on_where_it_stopped(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, again: Callable[[Sessions], object], reply: object
) -> None:
    key = shelf.asked("s1")
    with monkeypatch.context() as broken:
        broken.setattr(shelf.log, "delete_requests", lambda _keys: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            shelf.sessions.delete(DeleteSession(ID, "s1"), ANN)
    assert shelf.records == []
    assert again(shelf.sessions) == reply
    assert shelf.log.head(key) is None


def test_a_question_that_comes_while_the_rest_of_a_session_is_deleted_stays(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session's row is gone since an earlier attempt, so that it does not tell of the question."""
    shelf.asked("s1")
    turns, came = shelf.log.turns, list[RequestKey]()

    def listing(*asked: Any) -> list[TurnRow]:
        came.extend([] if came else [shelf.asked("s1", "Again?", answered=False)])
        return turns(*asked)

    monkeypatch.setattr(shelf.log, "session", lambda *_: None)
    monkeypatch.setattr(shelf.log, "turns", listing)
    with pytest.raises(SessionBusyError):
        shelf.sessions.delete(DeleteSession(ID, "s1"), ANN)
    assert shelf.log.head(came[0])


def test_everything_of_a_user_is_deleted_and_nothing_of_another(shelf: Shelf) -> None:
    mine = [shelf.asked("s1"), shelf.asked("s1"), shelf.asked("s2")]
    shelf.shares.share(ANN, "s2", "a")
    assert shelf.sessions.erase(ANN) == Erased(2, 3, 3, False)
    assert (shelf.listed(), shelf.shares.find("acme", "a")) == ([], None)
    assert [shelf.log.head(key) for key in mine] == [None] * 3
    assert (shelf.entries, list(shelf.log.session_ids(ANN))) == ({BOB: 1}, [])
    assert shelf.records == [SessionDeleted(shelf.clock.now, "acme", "ann", "", 3, "ann@acme", 2, 3)]
    assert shelf.sessions.erase(ANN) == Erased(0, 0, 0, False)
    assert len(shelf.records) == 1


def test_nothing_is_deleted_while_an_answer_is_under_way(shelf: Shelf) -> None:
    shelf.asked("s1")
    shelf.asked("s2", answered=False)
    with pytest.raises(SessionBusyError, match="stop it first"):
        shelf.sessions.erase(ANN)
    assert (len(shelf.listed()), shelf.entries, shelf.records) == (2, {ANN: 3, BOB: 1}, [])


def test_more_than_the_limit_allows_is_deleted_in_parts(shelf: Shelf) -> None:
    for number in range(7):
        shelf.asked(f"s{number}")
    shelf.clock.now += 60
    few = replace(shelf.sessions, limits=replace(shelf.limits, messages_per_minute=6, commands_per_minute=60))
    assert few.erase(ANN) == Erased(6, 6, 3, True)
    with pytest.raises(LimitExceededError):
        few.erase(ANN)
    shelf.clock.now += 60
    assert few.erase(ANN) == Erased(1, 1, 0, False)


def test_what_takes_too_long_is_deleted_in_parts(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        shelf.asked(f"s{number}")
    delete = shelf.log.delete_requests

    def slowly(keys: Sequence[RequestKey]) -> None:
        shelf.clock.now += 3
        delete(keys)

    monkeypatch.setattr(shelf.log, "delete_requests", slowly)
    assert shelf.sessions.erase(ANN) == Erased(2, 2, 3, True)
    assert shelf.sessions.erase(ANN) == Erased(1, 1, 0, False)
