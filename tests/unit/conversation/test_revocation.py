"""What ending a user's sign-ins leaves open: nothing that is older, everything that is newer."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress

import pytest
from msgspec.structs import replace

from cicada.conversation.model import Charge, Connection, RequestKey, Usage
from cicada.conversation.protocol import SignOutEverywhere
from cicada.conversation.revocation import Revoker, check_signed_in
from cicada.errors import LimitExceededError, SignedOutError, UnavailableError
from cicada.identity import Principal
from tests.unit.conversation.situation import ANN, BOB, ID, WHOLE, Guarded

# The issuer's whole second in which it ended the sign-ins.
SECOND = 1_800_000_000
PING = '{"action":"ping"}'
SIGN_OUT = '{"action":"signOutEverywhere"}'


class House(Guarded):
    """Who is connected, and what happens while the revoker waits for its second look."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.meanwhile: Callable[[], object] = lambda: None
        self.clock.now = SECOND + 0.9

    @property
    def revoker(self) -> Revoker:
        return Revoker(self.users, self.connections, self.channel, self.log, lambda seconds: self.meanwhile())

    def connect(self, connection_id: str, issued_at: float, principal: Principal = ANN) -> None:
        """A connection that was there before."""
        self.connections.add(Connection(connection_id, principal, issued_at + 600, issued_at), 0)

    def knock(self, connection_id: str, issued_at: float) -> None:
        """A new connection of Ann's."""
        self.command_guard.open(Connection(connection_id, ANN, issued_at + 600, issued_at), 0)

    def admit(self, request_id: str = ID, principal: Principal = ANN) -> None:
        """Admit a request as a question is, before it is stored."""
        before = self.users.get(principal)
        admitted = {**before.admitted, request_id: self.clock.now}
        self.users.admit(principal, Charge(0, 0, 0), before, admitted, 0)

    def is_cancelled(self, principal: Principal = ANN) -> bool:
        return self.head(RequestKey(principal, ID)).cancel_requested


@pytest.fixture
def house() -> House:
    return House()


@pytest.mark.parametrize("issued_at", [0, SECOND - 600, SECOND - 1, SECOND, SECOND + 1])
def test_a_token_of_the_same_second_or_an_older_one_does_not_survive(house: House, issued_at: float) -> None:
    house.connect("c1", issued_at)
    assert house.revoker.revoke(ANN, SECOND) == 1
    assert house.channel.closed == {"c1"}
    assert house.connections.get("c1") is None
    with pytest.raises(SignedOutError):
        house.knock("c2", issued_at)
    assert house.connections.get("c2") is None


def test_a_sign_in_two_seconds_later_is_good(house: House) -> None:
    house.revoker.revoke(ANN, SECOND + 0.9)
    house.knock("c1", SECOND + 2)
    house.command_guard.enter("c1", PING)
    assert list(house.connections.rows) == ["c1"]


def test_a_newer_connection_is_left_open(house: House) -> None:
    house.connect("old", SECOND - 5)
    house.meanwhile = lambda: house.connect("new", SECOND + 2)
    house.revoker.revoke(ANN, SECOND)
    assert house.channel.closed == {"old"}


def test_a_connection_that_the_list_did_not_have_yet_is_closed_at_the_second_look(house: House) -> None:
    house.connect("old", SECOND - 5)
    house.meanwhile = lambda: house.connect("late", SECOND - 1)
    assert house.revoker.revoke(ANN, SECOND) == 2
    assert house.channel.closed == {"old", "late"}


def test_nobody_else_is_signed_out(house: House) -> None:
    house.connect("bob", SECOND - 5, BOB)
    house.connect("other", SECOND - 5, Principal("other", ANN.user))
    assert house.revoker.revoke(ANN, SECOND) == 0
    assert house.channel.closed == set()
    assert house.users.get(BOB) == Usage()


def test_a_connection_is_told_why_before_it_is_closed(house: House) -> None:
    house.connect("c1", SECOND - 5)
    house.revoker.revoke(ANN, SECOND)
    said = '{"type":"error","error":"You were signed out on all devices; sign in again.","code":"signed_out"'
    assert house.channel.frames["c1"] == [said + ',"retryable":false}']


def test_a_connection_that_cannot_be_closed_leaves_no_other_open(house: House) -> None:
    def fail_once(connection_id: str) -> None:
        if connection_id == "c1":
            raise UnavailableError("The connection endpoint did not answer.")
        close(connection_id)

    close, house.channel.close = house.channel.close, fail_once  # type: ignore[method-assign]
    house.connect("c1", SECOND - 5)
    house.connect("c2", SECOND - 5)
    with pytest.raises(UnavailableError):
        house.revoker.revoke(ANN, SECOND)
    assert house.channel.closed == {"c2"}


def test_answers_under_way_are_cancelled(house: House) -> None:
    house.ask("Who?")
    house.admit()
    house.revoker.revoke(ANN, SECOND)
    assert house.is_cancelled()


def test_an_answer_that_has_ended_is_left_alone(house: House) -> None:
    house.ask("Who?")
    house.admit()
    house.delivery().send(WHOLE)
    assert house.head(RequestKey(ANN, ID)).status.final
    house.revoker.revoke(ANN, SECOND)
    assert not house.is_cancelled()


def test_a_question_that_was_admitted_but_not_stored_is_cancelled_at_the_second_look(house: House) -> None:
    house.admit()
    house.meanwhile = lambda: house.ask("Who?")
    house.revoker.revoke(ANN, SECOND)
    assert house.is_cancelled()


def test_a_question_of_a_newer_sign_in_goes_on(house: House) -> None:
    def sign_in_and_ask() -> None:
        house.clock.now = SECOND + 3.0
        house.ask("Who?")
        house.admit()

    house.meanwhile = sign_in_and_ask
    house.revoker.revoke(ANN, SECOND)
    assert not house.is_cancelled()


def test_an_earlier_revocation_does_not_take_back_a_later_one(house: House) -> None:
    house.revoker.revoke(ANN, SECOND)
    house.revoker.revoke(ANN, SECOND - 60)
    with pytest.raises(SignedOutError):
        house.knock("c1", SECOND)


def test_a_token_counts_from_the_moment_of_the_revocation_on(house: House) -> None:
    connection = Connection("c1", ANN, SECOND + 600, SECOND)
    check_signed_in(connection, Usage(revoked_before=SECOND))
    with pytest.raises(SignedOutError):
        check_signed_in(replace(connection, token_issued_at=SECOND - 1), Usage(revoked_before=SECOND))


def test_a_connection_that_nobody_closed_is_told_and_closed_with_its_next_command(house: House) -> None:
    house.connect("c1", SECOND - 5)
    house.users.revoke(ANN, SECOND, 0)
    with pytest.raises(SignedOutError):
        house.command_guard.enter("c1", PING)
    assert json.loads(house.channel.frames["c1"][-1])["code"] == "signed_out"
    assert house.channel.closed == {"c1"}
    assert house.connections.get("c1") is None


def test_a_flood_does_not_keep_the_owner_from_signing_out(house: House) -> None:
    house.connect("thief", SECOND - 5)
    house.connect("owner", SECOND - 5)
    flood(house, "thief")
    command, connection = house.command_guard.enter("owner", SIGN_OUT)
    assert (command, connection.connection_id) == (SignOutEverywhere(), "owner")


def flood(house: House, connection_id: str) -> None:
    """Until the connection is closed for it."""
    while house.connections.get(connection_id):
        with suppress(LimitExceededError):
            house.command_guard.enter(connection_id, PING)


def test_signing_out_is_charged_too(house: House) -> None:
    house.connect("c1", SECOND - 5)
    house.command_guard.enter("c1", SIGN_OUT)
    assert house.users.get(ANN).theoretical_arrival > house.clock.now
