from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from cicada.conversation.model import Connection
from cicada.conversation.protocol import Cancelled, Ping
from cicada.errors import (
    FloodError,
    InvalidFrameError,
    LimitExceededError,
    NotConnectedError,
    RequestError,
    TokenExpiredError,
    UnavailableError,
)
from cicada.identity import Principal
from tests.unit.conversation.situation import ANN, BOB, Guarded, send_message

PING = '{"action":"ping"}'


class Door(Guarded):
    """Ann has two connections, Bob one; each may send 60 units a minute."""

    per_minute = 1
    commands_per_minute = 60

    def __post_init__(self) -> None:
        super().__post_init__()
        for id, who in (("a1", ANN), ("a2", ANN), ("b1", BOB)):
            self.connections.add(Connection(id, who, self.clock() + 600, self.clock()), self.clock() + 7200)

    def refused(self, connection_id: str, body: str) -> RequestError:
        with pytest.raises(RequestError) as caught:
            self.command_guard.enter(connection_id, body)
        return caught.value


@pytest.fixture
def here() -> Door:
    return Door()


def test_a_command_comes_with_the_connection_it_came_on(here: Door) -> None:
    assert here.command_guard.enter("b1", PING) == (Ping(), here.connections.rows["b1"])


def test_an_unknown_connection_is_refused_told_why_and_closed(here: Door) -> None:
    error = here.refused("none", PING)
    assert type(error) is NotConnectedError
    assert [json.loads(each)["error"] for each in here.channel.frames["none"]] == [str(error)]
    assert here.channel.closed == {"none"}
    assert type(here.refused("none", PING)) is NotConnectedError


def test_a_connection_that_cannot_be_told_is_closed_all_the_same(here: Door) -> None:
    def fail(connection_id: str, frame: str) -> None:
        raise UnavailableError("The connection endpoint could not be reached.")

    here.channel.before_post = fail
    assert type(here.refused("none", PING)) is NotConnectedError
    assert here.channel.closed == {"none"}


@pytest.mark.parametrize("body", ["{", '{"action":"dance"}', PING], ids=["malformed", "unknown", "expired"])
def test_frames_that_are_refused_anyway_are_charged_too(here: Door, body: str) -> None:
    late = 600 if body == PING else 0
    here.clock.now += late
    expected: type[RequestError] = TokenExpiredError if late else InvalidFrameError
    for _ in range(60):
        assert type(here.refused("a1", body)) is expected
    refused = here.refused("a2", body)
    assert isinstance(refused, LimitExceededError)
    assert refused.retry_after_seconds == 2


def test_a_users_connections_share_one_bucket_and_users_do_not(here: Door) -> None:
    for _ in range(30):
        here.command_guard.enter("a1", PING)
        here.command_guard.enter("a2", PING)
    assert isinstance(here.refused("a1", PING), LimitExceededError)
    here.command_guard.enter("b1", PING)


def flood(here: Door) -> FloodError:
    for _ in range(60):
        here.command_guard.enter("a1", PING)
    for _ in range(100):
        error = here.refused("a1", "{")
        if isinstance(error, FloodError):
            return error
    raise AssertionError("Nobody stopped it.")


def test_whoever_floods_is_told_why_and_loses_the_connection(here: Door) -> None:
    error = flood(here)
    assert json.loads(here.channel.frames["a1"][-1]) == {
        "type": "error",
        "error": str(error),
        "code": "rate_limited",
        "retryable": True,
        "retryAfterSeconds": error.retry_after_seconds,
    }
    assert here.channel.closed == {"a1"}
    assert type(here.refused("a1", PING)) is NotConnectedError
    here.clock.now += error.retry_after_seconds
    here.command_guard.enter("a2", PING)


class Crowded(Guarded):
    """Ann may have three connections."""

    most_connections = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        self.accepter = replace(self.accepter, limits=self.limits)

    def connect(self, *ids: str, who: Principal = ANN) -> None:
        for id in ids:
            self.clock.now += 1
            opened = Connection(id, who, self.clock() + 600, self.clock(), self.clock())
            self.command_guard.open(opened, self.clock() + 7200)


def test_the_oldest_connection_makes_room_for_a_new_one_and_is_told() -> None:
    here = Crowded()
    here.connect("b1", who=BOB)
    here.connect("a1", "a2", "a3")
    assert here.channel.closed == set()
    here.connect("a4")
    assert here.channel.closed == {"a1"}
    assert json.loads(here.channel.frames["a1"][-1]) == {
        "type": "error",
        "error": "You have more than 3 connections open; this one was closed for a newer one.",
        "code": "too_many_connections",
        "retryable": False,
    }
    assert sorted(here.connections.rows) == ["a2", "a3", "a4", "b1"]


def test_a_connection_on_which_an_answer_is_awaited_is_closed_last() -> None:
    here = Crowded()
    here.connect("a1", "a2", "a3")
    here.ask(connection_id="a1")
    here.connect("a4")
    assert here.channel.closed == {"a2"}
    here.delivery().send(Cancelled())
    here.connect("a5")
    assert here.channel.closed == {"a2", "a1"}


def test_where_no_connection_is_idle_the_oldest_is_closed_all_the_same() -> None:
    here = Crowded()
    here.connect("a1", "a2", "a3")
    for number, id in enumerate(("a1", "a2", "a3")):
        asked = f"{number}e57d004-2b97-4e7a-b45f-5387367791cd"
        here.accepter.accept(send_message(request_id=asked), here.connection(connection_id=id))
    here.connect("a4")
    assert here.channel.closed == {"a1"}


def test_connections_that_nobody_saw_at_once_are_closed_together_by_the_next() -> None:
    """The list of a user's connections is a moment late."""
    here = Crowded()
    for number in range(9):
        late = Connection(f"a{number}", ANN, here.clock() + 600, here.clock(), here.clock() + number)
        here.connections.add(late, here.clock() + 7200)
    here.connect("b")
    assert here.channel.closed == {f"a{number}" for number in range(7)}


def test_whoever_connects_too_often_is_refused_and_leaves_no_connection() -> None:
    here = Crowded()
    here.limits.enter(ANN, 1)
    here.limits.spend(ANN, 1195)
    with pytest.raises(LimitExceededError):
        for number in range(9):
            opened = Connection(f"a{number}", ANN, here.clock() + 600, here.clock(), here.clock())
            here.command_guard.open(opened, here.clock() + 7200)
    assert len(here.connections.rows) < 3
