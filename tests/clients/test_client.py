"""The client against a local server whose connections suffer every kind of network fault."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pytest

from cicada_client.client import Client
from cicada_client.errors import ConnectionLostError, RefusedError, UnauthorizedError
from cicada_client.events import Accepted, Cancelled, Chunk, Complete, Event, Reset
from cicada_client.notices import Notice, Reconnected, Reconnecting
from cicada_client.timing import Timing
from tests.clients.disturbing_server import (
    TOKEN,
    WORDS,
    Body,
    Delivery,
    DisturbingServer,
    Drop,
    Network,
    answer,
    refused,
    running,
)
from tests.patience import PATIENCE_SECONDS

TEXT = "".join(WORDS)
SCRIPT_LENGTH = len(answer())
# Nothing is repeated and no connection is given up, however slow the machine; connecting again takes no time.
PATIENT = Timing(
    gap_seconds=PATIENCE_SECONDS,
    accept_seconds=PATIENCE_SECONDS,
    silence_seconds=PATIENCE_SECONDS,
    reply_seconds=PATIENCE_SECONDS,
    open_seconds=PATIENCE_SECONDS,
    back_off_seconds=0.005,
    back_off_limit_seconds=0.02,
    close_seconds=0.2,
)


@dataclass
class Clock:
    """The time, and what the test adds to it."""

    ahead: float = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead

    def outlast(self, timing: Timing) -> None:
        """Let more time pass than the client's patience."""
        self.ahead += timing.patience_seconds + 1


@contextmanager
def asking(
    server: DisturbingServer,
    timing: Timing = PATIENT,
    notices: list[Notice] | None = None,
    token: str = TOKEN,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Client]:
    observe = (lambda notice: None) if notices is None else notices.append
    with running(server), Client(server.url, lambda: token, timing=timing, observe=observe, clock=clock) as client:
        yield client


def text_of(events: Iterable[Event]) -> str:
    text = ""
    for event in events:
        if isinstance(event, Chunk):
            text += event.content
        elif isinstance(event, Reset):
            text = ""
    return text


def ask_through(network: Network, timing: Timing = PATIENT) -> tuple[list[Event], DisturbingServer]:
    server = DisturbingServer(network=network)
    with asking(server, timing) as client:
        return list(client.ask("Who tells Macbeth that the queen is dead?")), server


def assert_whole(events: list[Event]) -> None:
    assert text_of(events) == TEXT
    assert [event.seq for event in events] == list(range(1, SCRIPT_LENGTH + 1))
    assert isinstance(events[-1], Complete)


def test_a_question_larger_than_a_frame_arrives_whole_and_its_answer_as_events() -> None:
    server = DisturbingServer()
    with asking(server) as client:
        events = list(client.ask("😀" * 8000, scope={"metadata": {"area": ["é" * 256] * 50}}))
    assert_whole(events)
    assert isinstance(events[0], Accepted)
    assert [(command["action"], command["message"]) for command in server.commands] == [("sendMessage", "😀" * 8000)]


def test_the_token_goes_into_the_query_on_this_machine_and_into_no_log(caplog: pytest.LogCaptureFixture) -> None:
    server = DisturbingServer()
    with caplog.at_level("DEBUG"), asking(server) as client:
        list(client.ask("q"))
    assert (server.tokens, server.offered_subprotocols) == ([TOKEN], [None])
    assert [record.name for record in caplog.records if record.name != "websockets.server"] == []


@pytest.mark.parametrize("last", range(SCRIPT_LENGTH))
def test_a_connection_that_breaks_after_any_frame_costs_nothing(last: int) -> None:
    def network(delivery: Delivery) -> Iterable[Body | Drop]:
        return [*delivery.frames[:last], Drop()] if delivery.connection == 1 else delivery.frames

    events, server = ask_through(network)
    assert_whole(events)
    assert [command["afterSeq"] for command in server.sent("resume")] == ([last] if last else [])
    assert len(server.sent("sendMessage")) == (1 if last else 2)


@pytest.mark.parametrize("seed", range(8))
def test_frames_out_of_order_and_twice_are_put_right(seed: int) -> None:
    def network(delivery: Delivery) -> list[Body]:
        frames = delivery.frames * 2
        random.Random(seed).shuffle(frames)
        return frames

    events, _ = ask_through(network)
    assert_whole(events)


@pytest.mark.parametrize("missing", range(SCRIPT_LENGTH))
def test_a_frame_that_never_arrives_is_asked_for_on_the_same_connection(missing: int) -> None:
    """It comes only when exactly it is asked for: a slow machine may make the client ask for others before."""

    def network(delivery: Delivery) -> list[Body]:
        is_asked_for = delivery.command.get("afterSeq") == missing
        return [frame for frame in delivery.frames if is_asked_for or frame.get("seq") != missing + 1]

    events, server = ask_through(network, replace(PATIENT, gap_seconds=0.02, silence_seconds=0.05))
    assert_whole(events)
    assert server.connections == 1


def test_a_question_that_was_not_taken_is_sent_again_with_the_same_id() -> None:
    heard: list[Body] = []

    def network(delivery: Delivery) -> list[Body]:
        if delivery.command["action"] == "sendMessage":
            heard.append(delivery.command)
        return delivery.frames if len(heard) != 1 or delivery.command["action"] == "ping" else []

    events, _ = ask_through(network, replace(PATIENT, accept_seconds=0.05))
    assert_whole(events)
    assert heard[0] == heard[1]


def test_a_connection_that_answers_nothing_at_all_is_replaced() -> None:
    timing = replace(PATIENT, accept_seconds=0.05, reply_seconds=0.1)
    events, server = ask_through(lambda delivery: [] if delivery.connection == 1 else delivery.frames, timing)
    assert_whole(events)
    assert server.connections >= 2


def garbage(request_id: str) -> list[Body | str | bytes]:
    return [
        "",
        "not json",
        "null",
        "[1, 2]",
        "[" * 100_000,
        b"\xff\x00\xfe",
        '{"seq": NaN, "type": "chunk"}',
        {"message": "Internal server error", "connectionId": "c", "requestId": "r"},
        {"requestId": request_id, "type": "chunk", "content": "no number"},
        {"requestId": request_id, "seq": True, "type": "chunk", "content": "true is no number"},
        {"requestId": request_id, "seq": 0, "type": "chunk", "content": "zero"},
        {"requestId": request_id, "seq": 10**30, "type": "chunk", "content": "far"},
        {"requestId": request_id, "seq": 4, "type": "chunk", "content": ["not a text"]},
        {"requestId": request_id, "seq": 4, "type": ["chunk"], "content": "no type"},
        {"requestId": "another", "seq": 4, "type": "chunk", "content": "of another"},
        {"requestId": request_id, "type": "error", "error": None, "code": 7},
        {"requestId": ["x"], "seq": 1, "type": "chunk", "content": ""},
    ]


def test_garbage_between_the_frames_changes_nothing() -> None:
    def network(delivery: Delivery) -> Iterator[Body | str | bytes]:
        for frame in delivery.frames:
            yield from garbage(delivery.command.get("requestId", ""))
            yield frame

    events, _ = ask_through(network)
    assert_whole(events)


def test_the_token_goes_into_the_subprotocol_when_asked_to() -> None:
    server = DisturbingServer()
    with running(server), Client(server.url, lambda: TOKEN, token_place="subprotocol", timing=PATIENT) as client:
        assert text_of(client.ask("q")) == TEXT
    assert server.offered_subprotocols == [f"cicada.v1, {TOKEN}"]


def test_a_token_refused_once_is_replaced_by_a_fresh_one() -> None:
    fresh = iter(["stale-token", TOKEN])
    server = DisturbingServer()
    with running(server), Client(server.url, lambda: next(fresh), timing=PATIENT) as client:
        assert text_of(client.ask("q")) == TEXT
    assert server.tokens == ["stale-token", TOKEN]


@pytest.mark.parametrize("status", [401, 403])
def test_a_token_refused_twice_is_final(status: int) -> None:
    server = DisturbingServer(refuse=lambda number, token: status)
    with asking(server, token="secret-token") as client, pytest.raises(UnauthorizedError, match=str(status)) as caught:
        list(client.ask("q"))
    assert "secret-token" not in str(caught.value)
    assert len(server.tokens) == 2


def test_a_token_that_expires_in_mid_answer_costs_a_reconnect_with_a_fresh_one() -> None:
    expired = refused(None, "token_expired", "Your access token has expired.", retryable=True)

    def network(delivery: Delivery) -> list[Body]:
        return [*delivery.frames[:6], expired] if delivery.connection == 1 else delivery.frames

    events, server = ask_through(network)
    assert_whole(events)
    assert server.sent("resume") == [
        {"action": "resume", "requestId": server.commands[0]["requestId"], "afterSeq": 6},
    ]


def test_a_connection_that_the_server_keeps_disowning_ends_in_a_sentence() -> None:
    server = DisturbingServer(on_command=lambda command: [refused(None, "unauthorized", "Connect again.")])
    with asking(server) as client, pytest.raises(UnauthorizedError, match="Connect again"):
        list(client.ask("q"))
    assert server.connections == 2


def test_an_answer_left_in_the_middle_can_be_followed_by_another_client() -> None:
    server = DisturbingServer()
    request_id = "11111111-2222-3333-4444-555555555555"
    with running(server):
        with Client(server.url, lambda: TOKEN, timing=PATIENT) as first:
            events = first.ask("q", request_id=request_id)
            begun = [next(events) for _ in range(5)]
        with Client(server.url, lambda: TOKEN, timing=PATIENT) as second:
            assert_whole([*begun, *second.follow(request_id, after_seq=5)])


def test_a_cancelled_answer_ends_as_cancelled() -> None:
    server = DisturbingServer(script=[*answer()[:6], {"type": "cancelled"}])

    def network(delivery: Delivery) -> list[Body]:
        return delivery.frames[:6] if delivery.command["action"] == "sendMessage" else delivery.frames

    def cancelling(command: Body) -> list[Body] | None:
        return server.numbered(command["requestId"])[6:] if command["action"] == "cancel" else None

    server.network, server.on_command = network, cancelling
    events = []
    with asking(server) as client:
        for event in client.ask("q"):
            events.append(event)
            if event.seq == 6:
                client.cancel(event.request_id)
    assert isinstance(events[-1], Cancelled)
    assert len(server.sent("cancel")) == 1


def test_a_cancel_before_the_question_was_taken_is_sent_once_it_was() -> None:
    taken = threading.Event()
    request_id = "11111111-2222-3333-4444-555555555555"
    server = DisturbingServer(script=[answer()[0], {"type": "cancelled"}])

    def held_back(command: Body) -> list[Body] | None:
        if command["action"] == "sendMessage":
            client.cancel(request_id)
            taken.set()
            return server.numbered(request_id)[:1]
        return server.numbered(request_id)[1:] if command["action"] == "cancel" else None

    server.on_command = held_back
    with asking(server) as client:
        assert isinstance(list(client.ask("q", request_id=request_id))[-1], Cancelled)
    assert taken.is_set()
    assert [command["action"] for command in server.commands] == ["sendMessage", "cancel"]


def test_two_threads_share_a_connection() -> None:
    server = DisturbingServer()
    texts: list[str] = []
    with asking(server) as client:
        threads = [threading.Thread(target=lambda: texts.append(text_of(client.ask("q")))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert texts == [TEXT] * 4
    assert server.connections == 1


def test_the_same_request_cannot_be_read_twice_at_once() -> None:
    request_id = "11111111-2222-3333-4444-555555555555"
    with asking(DisturbingServer()) as client:
        first = client.ask("q", request_id=request_id)
        next(first)
        with pytest.raises(ValueError, match="already"):
            next(client.ask("q", request_id=request_id))


def test_lost_connections_are_told_of() -> None:
    notices: list[Notice] = []

    def network(delivery: Delivery) -> Iterable[Body | Drop]:
        return [*delivery.frames[:4], Drop()] if delivery.connection == 1 else delivery.frames

    with asking(DisturbingServer(network=network), notices=notices) as client:
        list(client.ask("q"))
    assert isinstance(notices[0], Reconnecting)
    assert notices[1:] == [Reconnected()]


def test_a_connection_lost_between_two_questions_is_replaced_without_a_word() -> None:
    notices: list[Notice] = []
    server = DisturbingServer(network=lambda delivery: [*delivery.frames, Drop()])
    with asking(server, notices=notices) as client:
        assert text_of(client.ask("q")) == TEXT
        while any(thread.name == "cicada-connection" for thread in threading.enumerate()):
            time.sleep(0.001)
        assert text_of(client.ask("r")) == TEXT
    assert notices == []


def test_an_idle_connection_is_pinged() -> None:
    server = DisturbingServer()
    pinged = threading.Event()

    def note_ping(command: Body) -> list[Body] | None:
        if command["action"] == "ping":
            pinged.set()
        return None

    server.on_command = note_ping
    with asking(server, replace(PATIENT, keep_alive_seconds=0.05)) as client:
        list(client.ask("q"))
        assert pinged.wait(PATIENCE_SECONDS)


def test_nobody_listening_is_said_after_a_few_attempts() -> None:
    with running(DisturbingServer()) as server:
        url = server.url
    with Client(url, lambda: "secret-token", timing=PATIENT) as client, pytest.raises(ConnectionLostError) as caught:
        list(client.ask("q"))
    assert str(caught.value) == f"Nothing answers at {url}."


def test_a_server_that_never_comes_back_exhausts_the_patience() -> None:
    clock = Clock()

    def refuse(number: int, token: str | None) -> int | None:
        if number == 4:
            clock.outlast(PATIENT)
        return None if number == 1 else 503

    server = DisturbingServer(network=lambda delivery: [*delivery.frames[:3], Drop()], refuse=refuse)
    with asking(server, clock=clock) as client, pytest.raises(ConnectionLostError, match="HTTP 503"):
        list(client.ask("q"))
    assert len(server.tokens) == 4


def test_a_server_that_pongs_and_never_answers_exhausts_the_patience() -> None:
    server = DisturbingServer(on_command=lambda command: None if command["action"] == "ping" else [])
    with (
        asking(server, replace(PATIENT, accept_seconds=0.05, patience_seconds=0.3)) as client,
        pytest.raises(ConnectionLostError, match="silent"),
    ):
        list(client.ask("q"))


def test_a_token_that_cannot_be_a_header_is_refused_before_it_is_sent() -> None:
    server = DisturbingServer()
    bad = "a\r\nX-Evil: 1"
    with (
        running(server),
        Client(server.url, lambda: bad, token_place="subprotocol", timing=PATIENT) as client,
        pytest.raises(UnauthorizedError),
    ):
        list(client.ask("q"))
    assert server.tokens == []


@pytest.mark.parametrize("url", ["", "http://127.0.0.1", "ws://", "ws://host:99999999", "127.0.0.1:8000"])
def test_what_is_no_websocket_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError):
        Client(url, lambda: TOKEN)


def test_history_is_a_page_of_values() -> None:
    turn = {"requestId": "r", "createdAt": "2026-01-01T00:00:00.000+00:00", "status": "complete", "message": "q"}
    page = {"type": "history", "sessionId": "s", "sessions": [], "turns": [turn | {"answer": "a"}, "x"], "before": "b"}
    server = DisturbingServer(on_command=lambda command: [page])
    with asking(server) as client:
        read = client.history("s", limit=5)
    assert [(item.message, item.answer, item.truncated) for item in read.turns] == [("q", "a", False)]
    assert read.before == "b"
    assert server.commands == [{"action": "history", "sessionId": "s", "limit": 5}]


def test_history_survives_a_connection_that_breaks() -> None:
    page: Body = {"type": "history", "sessions": [{"sessionId": "s", "title": "t", "lastAt": "x"}], "turns": []}
    server = DisturbingServer(on_command=lambda command: [page])
    server.network = lambda delivery: [Drop()] if delivery.connection == 1 else delivery.frames
    with asking(server) as client:
        assert [session.title for session in client.history().sessions] == ["t"]
    assert server.connections == 2


def test_history_that_is_refused_for_its_rate_is_asked_for_again_after_the_time_to_wait() -> None:
    wait = refused(None, "rate_limited", "Too fast.", retryable=True, retryAfterSeconds=0.25)
    replies = iter([wait, wait, {"type": "history"}])
    with asking(DisturbingServer(on_command=lambda command: [next(replies)])) as client:
        assert client.history().turns == ()


def test_a_client_whose_connection_was_closed_for_a_newer_one_says_so_and_does_not_connect_again() -> None:
    server = DisturbingServer(on_command=lambda command: [refused(None, "too_many_connections", "Closed for another.")])
    with asking(server) as client:
        with pytest.raises(RefusedError, match="Closed for another"):
            list(client.ask("q"))
        with pytest.raises(RefusedError, match="Closed for another"):
            client.history()
    assert server.connections == 2


def test_refused_history_is_said() -> None:
    server = DisturbingServer(on_command=lambda command: [refused(None, "invalid_frame", 'The field "before" …')])
    with asking(server) as client, pytest.raises(RefusedError, match="before"):
        client.history(before="yesterday")
