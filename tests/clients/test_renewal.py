"""Connections that are replaced before their token expires, and connections whose user was signed out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import jwt
import pytest

from cicada_client.client import Client
from cicada_client.errors import ConnectionLostError, RefusedError, SignedOutError
from cicada_client.notices import Notice
from tests.clients.disturbing_server import Body, Delivery, DisturbingServer, refused, running
from tests.clients.test_client import PATIENT, SCRIPT_LENGTH, TEXT, Clock, assert_whole, text_of
from tests.patience import PATIENCE_SECONDS

LIFE_SECONDS = 600
ENDED = refused(None, "signed_out", "You were signed out on all devices; sign in again.")


def token(number: int) -> str:
    claims = {"jti": str(number), "iat": 1_000, "exp": 1_000 + LIFE_SECONDS}
    return jwt.encode(claims, "a secret of at least thirty-two bytes", algorithm="HS256")


@dataclass
class User:
    """Signs in, and gets a new token each time."""

    signed_in: int = 0
    fails: Callable[[int], bool] = lambda number: False

    def __call__(self) -> str:
        self.signed_in += 1
        if self.fails(self.signed_in):
            raise ConnectionLostError("Cognito is busy.")
        return token(self.signed_in)


@dataclass
class Renewal:
    """A client, a server that takes every token, and the time."""

    server: DisturbingServer = field(default_factory=lambda: DisturbingServer(refuse=lambda number, token: None))
    user: Callable[[], str] = field(default_factory=User)
    clock: Clock = field(default_factory=Clock)
    notices: list[Notice] = field(default_factory=list)

    def client(self) -> Client:
        return Client(self.server.url, self.user, timing=PATIENT, observe=self.notices.append, clock=self.clock)

    def ask(self, *pauses: int) -> None:
        """Ask, and let nine and a half minutes pass after the events of these numbers: an answer that takes long."""
        with running(self.server), self.client() as client:
            events = []
            for event in client.ask("q"):
                events.append(event)
                if event.seq in pauses:
                    self.clock.ahead += LIFE_SECONDS - 30
            assert_whole(events)


def in_parts(*first: int) -> Callable[[Delivery], Iterable[Body]]:
    """The n-th connection carries the events up to the n-th number, and those after the last one carry all."""

    def network(delivery: Delivery) -> list[Body]:
        last = first[delivery.connection - 1] if delivery.connection <= len(first) else SCRIPT_LENGTH
        return [frame for frame in delivery.frames if frame.get("seq", 0) <= last]

    return network


def test_an_answer_that_outlasts_its_token_goes_on_over_a_second_connection() -> None:
    renewal = Renewal()
    renewal.server.network = in_parts(5)
    open_at_handshake: list[int] = []
    renewal.server.refuse = lambda number, token: open_at_handshake.append(renewal.server.open)
    renewal.ask(5)
    assert renewal.server.tokens == [token(1), token(2)]
    assert [each["afterSeq"] for each in renewal.server.sent("resume")] == [5]
    assert open_at_handshake == [0, 1]
    assert renewal.notices == []


def test_a_connection_that_was_idle_for_long_is_replaced_before_a_question() -> None:
    renewal = Renewal()
    with running(renewal.server), renewal.client() as client:
        list(client.ask("q"))
        renewal.clock.ahead += LIFE_SECONDS
        assert text_of(client.ask("r")) == TEXT
        assert renewal.server.connections == 2
        while renewal.server.open > 1:  # the first one is closed, or the test never ends
            time.sleep(0.001)
    assert renewal.notices == []


def test_a_token_that_is_not_old_is_kept() -> None:
    renewal = Renewal()
    with running(renewal.server), renewal.client() as client:
        for _ in range(4):
            assert text_of(client.ask("q")) == TEXT
            renewal.clock.ahead += 100
    assert renewal.server.tokens == [token(1)]


def test_a_provider_without_a_newer_token_is_asked_once() -> None:
    calls: list[str] = []

    def provider() -> str:
        calls.append("called")
        return token(7)

    renewal = Renewal(user=provider)
    with running(renewal.server), renewal.client() as client:
        for _ in range(4):
            assert text_of(client.ask("q")) == TEXT
            renewal.clock.ahead += LIFE_SECONDS
    assert (len(calls), renewal.server.connections) == (2, 1)


def interrupted_once(gate: threading.Event) -> Callable[[Delivery], Iterator[Body]]:
    """The first connection holds the sixth event back until the gate opens."""

    def network(delivery: Delivery) -> Iterator[Body]:
        for frame in delivery.frames:
            if frame.get("seq") == 6 and delivery.connection == 1:
                assert gate.wait(PATIENCE_SECONDS)
            yield frame

    return network


def test_a_connection_that_cannot_be_replaced_goes_on_and_is_tried_again_later() -> None:
    gate = threading.Event()

    def fails(number: int) -> bool:
        if number == 2:
            gate.set()
        return number == 2

    user = User(fails=fails)
    renewal = Renewal(user=user)
    renewal.server.network = interrupted_once(gate)
    renewal.ask(5)
    assert (user.signed_in, renewal.server.connections) == (2, 1)
    assert renewal.notices == []


def test_a_handshake_that_is_refused_leaves_the_open_connection_alone() -> None:
    gate = threading.Event()

    def refuse(number: int, token: str | None) -> int | None:
        if number == 1:
            return None
        gate.set()
        return 403

    renewal = Renewal()
    renewal.server.refuse = refuse
    renewal.server.network = interrupted_once(gate)
    renewal.ask(5)
    assert renewal.server.connections == 1


def test_whoever_was_signed_out_is_told_and_not_connected_again() -> None:
    user = User()
    renewal = Renewal(user=user)
    renewal.server.network = lambda delivery: [*delivery.frames[:3], ENDED]
    with running(renewal.server), renewal.client() as client:
        for _ in range(2):
            with pytest.raises(SignedOutError, match="signed out on all devices"):
                list(client.ask("q"))
    assert user.signed_in == 1


def test_signing_out_everywhere_ends_with_the_servers_word() -> None:
    renewal = Renewal()
    renewal.server.on_command = lambda command: [ENDED] if command["action"] == "signOutEverywhere" else None
    with running(renewal.server), renewal.client() as client:
        list(client.ask("q"))
        client.sign_out_everywhere()
        with pytest.raises(SignedOutError):
            client.history()
    assert [command["action"] for command in renewal.server.commands] == ["sendMessage", "signOutEverywhere"]


def test_a_sign_out_that_failed_is_said() -> None:
    failed = refused(None, "dependency_unavailable", "Try again.", retryable=True)
    renewal = Renewal(server=DisturbingServer(refuse=lambda *_: None, on_command=lambda command: [failed]))
    with running(renewal.server), renewal.client() as client, pytest.raises(RefusedError, match=r"Try again\."):
        client.sign_out_everywhere()
