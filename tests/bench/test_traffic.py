"""The end-to-end tests' frame check misses no frame: tested on a server that sends unpublished frames."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from tests.clients.disturbing_server import TOKEN, Body, DisturbingServer, running
from tests.e2e.traffic import Traffic, refused_on_purpose

PING = {"action": "ping"}


@pytest.fixture
def traffic(monkeypatch: pytest.MonkeyPatch) -> Traffic:
    traffic = Traffic()
    traffic.of_library(monkeypatch)
    return traffic


@pytest.fixture
def server() -> Iterator[DisturbingServer]:
    with running(DisturbingServer()) as server:
        yield server
        server.commands.clear()


def exchange(connection: Connection, command: Body) -> None:
    connection.send(json.dumps(command))
    connection.recv()


def test_published_frames_are_noted_and_have_no_fault(traffic: Traffic, server: DisturbingServer) -> None:
    with connect(f"{server.url}?token={TOKEN}") as connection:
        exchange(connection, PING)
    assert traffic.faults() == []
    assert (traffic.frames, traffic.commands) == (1, 1)


@pytest.mark.parametrize("reply", [{"type": "pong", "seq": 1}, {"type": "song"}, {}, {"type": "pong", "more": 1}])
def test_a_frame_that_is_not_published_is_a_fault(traffic: Traffic, server: DisturbingServer, reply: Body) -> None:
    server.on_command = lambda command: [reply]
    with connect(f"{server.url}?token={TOKEN}") as connection:
        exchange(connection, PING)
    [fault] = traffic.faults()
    assert str(reply) in fault
    assert traffic.faults() == []


@pytest.mark.parametrize("pieces", [False, True])
def test_a_command_that_is_not_published_is_a_fault_unless_it_is_one_on_purpose(
    traffic: Traffic, server: DisturbingServer, pieces: bool
) -> None:
    text = json.dumps(PING | {"more": 1})
    message = [text[:5], text[5:]] if pieces else text
    with connect(f"{server.url}?token={TOKEN}") as connection:
        with refused_on_purpose():
            connection.send(message)
        connection.recv()
        assert traffic.faults() == []
        connection.send(message)
        connection.recv()
    [fault] = traffic.faults()
    assert "more" in fault
