"""`cicada eval answers`, run as a person or a script runs it, with a client that needs no network."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import pytest

from cicada_client.errors import RefusedError
from cicada_client.events import Accepted, Chunk, Complete, Event
from cicada_client.timing import Timing
from cli.__main__ import main
from cli.arguments import Options
from cli.errors import CommandError
from cli.evaluate import answers

LINES = [
    {"id": "one", "group": "store", "knowledgeBase": "store", "user": "bob",
     "turns": [{"message": "How long?", "expect": {"text_all": ["12 hours"]}}]},
    {"id": "two", "group": "plays", "knowledgeBase": "scripts", "user": "alice",
     "turns": [{"message": "Who?"}, {"message": "Why?", "expect": {"text_all": ["because"]}}]},
]  # fmt: skip


@dataclass
class FakeClients:
    """Stands in for `open_client`: each client answers "12 hours" to everything. `trouble` may raise before it does."""

    opened: list[Options] = field(default_factory=list)
    asked: list[tuple[str | None, str, str | None, str | None, str | None]] = field(default_factory=list)
    closed: int = 0
    trouble: Callable[[str], None] = lambda message: None

    def open(self, options: Options, observe: Any, timing: Timing | None = None) -> FakeClient:
        if options.user == "mallory":
            raise CommandError("mallory is no sample user.", 2)
        assert timing and timing.patience_seconds < Timing().patience_seconds
        self.opened.append(options)
        return FakeClient(self, options.user)


@dataclass
class FakeClient:
    clients: FakeClients
    user: str | None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clients.closed += 1

    def ask(
        self, message: str, session_id: str | None, knowledge_base: str | None, scope: None, request_id: str | None
    ) -> Iterator[Event]:
        self.clients.asked.append((self.user, message, session_id, knowledge_base, request_id))
        self.clients.trouble(message)
        yield Accepted("r", 1, session_id or "")
        yield Chunk("r", 2, "It is 12 hours.")
        yield Complete("r", 3, {}, {}, (), None)


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> FakeClients:
    for name in ("CICADA_URL", "CICADA_TOKEN", "CICADA_USER", "CICADA_STACK"):
        monkeypatch.delenv(name, raising=False)
    fakes = FakeClients()
    monkeypatch.setattr(answers, "open_client", fakes.open)
    return fakes


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, LINES)), "utf-8")
    return str(path)


def test_each_conversation_is_asked_as_its_user(
    clients: FakeClients, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "answers", file, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["groups"]["all"] == {"turns": 2, "right": 1, "wrong_with_evidence": 0, "wrong_without_evidence": 1}
    assert [(user, message, base) for user, message, _, base, _ in clients.asked] == [
        ("bob", "How long?", "store"),
        ("alice", "Who?", "scripts"),
        ("alice", "Why?", "scripts"),
    ]
    sessions = [session for _, _, session, _, _ in clients.asked]
    assert sessions[0] != sessions[1] == sessions[2]
    assert clients.closed == 2


def test_the_report_shows_wrong_turns_and_the_exit_code_is_0(
    clients: FakeClients, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "answers", file]) == 0
    shown = capsys.readouterr().out
    assert "two, turn 2 (plays, evidence not there): Why?\n  text_all: lacks because\n  came: It is 12 hours." in shown


def test_a_user_or_a_token_asks_all_conversations(
    clients: FakeClients, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["eval", "answers", file, "--user", "carol"]) == 0
    assert main(["eval", "answers", file, "--url", "ws://h", "--token", "t"]) == 0
    monkeypatch.setenv("CICADA_TOKEN", "t")
    assert main(["eval", "answers", file]) == 0
    assert main(["eval", "answers", file, "--user", "carol", "--stack", "Cicada-dev"]) == 0
    assert [(each.user, each.token, each.url, each.stack) for each in clients.opened] == [
        ("carol", None, None, None),
        (None, "t", "ws://h", None),
        (None, None, None, None),
        ("carol", None, None, "Cicada-dev"),
    ]


def test_only_conversations_of_an_id_or_a_group_are_asked(
    clients: FakeClients, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "answers", file, "--only", "plays"]) == 0
    assert {message for _, message, _, _, _ in clients.asked} == {"Who?", "Why?"}
    assert [each.user for each in clients.opened] == ["alice"]
    assert main(["eval", "answers", file, "--only", "one", "--only", "two"]) == 0
    assert main(["eval", "answers", file, "--only", "three"]) == 2
    assert "no conversation and no group three" in capsys.readouterr().err


def test_evidence_is_looked_up_in_the_folder_that_is_named(clients: FakeClients, file: str, tmp_path: Path) -> None:
    assert main(["eval", "answers", file, "--documents", str(tmp_path)]) == 0


def test_a_message_that_came_too_soon_is_sent_again_after_the_pause(
    clients: FakeClients, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    left = [1.5, 0.5]

    def too_soon(message: str) -> None:
        if left:
            raise RefusedError("Wait.", code="rate_limited", retryable=True, retry_after_seconds=left.pop(0))

    clients.trouble = too_soon
    monkeypatch.setattr("time.sleep", pauses.append)
    assert main(["eval", "answers", file, "--only", "one"]) == 0
    assert pauses == [1.5, 0.5]
    assert len({request_id for *_, request_id in clients.asked}) == 1


@pytest.mark.parametrize("wait", [None, 1.0])
def test_a_refusal_fails_its_turn(
    wait: float | None, clients: FakeClients, file: str, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    def refused(message: str) -> None:
        code = "unknown_knowledge_base" if wait is None else "rate_limited"
        raise RefusedError("There is no such base.", code=code, retryable=False, retry_after_seconds=wait)

    clients.trouble = refused
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    assert main(["eval", "answers", file, "--only", "one"]) == 0
    shown = capsys.readouterr()
    assert "answer: There is no such base." in shown.out
    assert shown.err == "one, turn 1: There is no such base.\n"


def test_ctrl_c_reports_what_was_judged_and_closes_the_connections(
    clients: FakeClients, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def pressed(message: str) -> None:
        if message == "Why?":
            raise KeyboardInterrupt

    clients.trouble = pressed
    assert main(["eval", "answers", file]) == 130
    assert capsys.readouterr().out.endswith("Interrupted after 1 of 2 turns.\n")
    assert clients.closed == 2


def test_a_bad_file_and_a_user_who_cannot_sign_in_are_refused_before_anything_is_asked(
    clients: FakeClients, tmp_path: Path, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(json.dumps(LINES[0]) + '\n{"id": "x"}\n', "utf-8")
    assert main(["eval", "answers", str(bad)]) == 1
    assert "bad.jsonl, line 2: group: Field required." in capsys.readouterr().err
    assert main(["eval", "answers", file, "--user", "mallory"]) == 2
    assert capsys.readouterr().err == "cicada: mallory is no sample user.\n"
    assert clients.asked == []
