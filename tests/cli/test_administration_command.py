"""`cicada administration`: what administrators read of their tenant in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.conftest import Shell, at_server
from tests.clients.disturbing_server import Body, DisturbingServer, running

ASKED: Body = {"requestId": "r-1", "askedAt": "2026-11-21T11:59:00.000+00:00", "knowledgeBase": "store"}
REPLIES: dict[str, Body] = {
    "readUse": {
        "type": "use",
        "days": [{"day": "2026-11-21", "tokens": 105000, "dollars": 0.25}, {"day": "2026-11-20", "tokens": 0}],
        "limit": 200000,
        "pricesOf": "2026-11-01",
    },
    "readFeedback": {
        "type": "ratings",
        "days": [{"day": "2026-11-21", "good": 2, "bad": 1}],
        "latest": [ASKED | {"rating": "bad", "reasons": ["wrong"], "comment": "No\x1b[1m."}],
        "complete": True,
    },
    "readFailures": {
        "type": "failures",
        "days": [{"day": "2026-11-21", "code": "internal", "requests": 3}],
        "latest": [ASKED | {"code": "internal"}],
        "complete": False,
    },
}
REFUSED: list[Body] = []


def replies(command: Body) -> list[Body]:
    found = REFUSED[0] if REFUSED else REPLIES[command["action"]]
    return [found | {"requestId": command["requestId"]}]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[DisturbingServer]:
    with running(DisturbingServer(on_command=replies)) as server:
        at_server(server, monkeypatch)
        yield server
    REFUSED.clear()


def test_use_is_shown_by_day_with_an_estimate_of_its_cost(server: DisturbingServer, shell: Shell) -> None:
    assert shell("administration", "use", "--days", "2") == 0
    out = shell.out()
    assert "2026-11-21  105,000  $0.25" in out
    assert "200,000 tokens may be used in a day. Costs are estimates by list prices of 2026-11-01." in out
    assert server.sent("readUse")[-1]["days"] == 2


def test_feedback_is_shown_with_what_was_said_and_does_not_steer_the_terminal(
    server: DisturbingServer, shell: Shell
) -> None:
    assert shell("administration", "feedback") == 0
    out = shell.out()
    assert "wrong: No[1m." in out and "\x1b" not in out
    assert "3 requests rated." in out


def test_failures_are_shown_and_what_was_not_counted_is_said(server: DisturbingServer, shell: Shell) -> None:
    assert shell("administration", "failures", "--days", "31") == 0
    out = shell.out()
    assert "internal" in out and "r-1" in out
    assert "3 requests failed. There are more: only the latest were counted." in out
    assert shell("administration", "failures", "--json") == 0
    assert shell.json()["days"] == [["2026-11-21", "internal", 3]]


def test_whoever_is_no_administrator_is_told_so(server: DisturbingServer, shell: Shell) -> None:
    REFUSED.append({"type": "error", "error": "You do not administer accounts here.", "code": "no_administrator"})
    assert shell("administration", "failures") == 1
    assert "You do not administer accounts here." in shell.err()


@pytest.mark.parametrize("command", [("use", "8"), ("feedback", "32"), ("failures", "0")])
def test_days_out_of_range_are_wrong_use(server: DisturbingServer, shell: Shell, command: tuple[str, str]) -> None:
    assert shell("administration", command[0], "--days", command[1]) == 2
    assert server.commands == []
