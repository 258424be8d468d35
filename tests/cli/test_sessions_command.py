"""`cicada sessions`: the user's conversations in the terminal."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from cli import deployment_target
from tests.cli.conftest import Shell, at_server
from tests.clients.disturbing_server import TOKEN, Body, DisturbingServer, running

SESSIONS: list[Body] = [
    {"sessionId": "s1", "title": "The \x1b[1mlease", "lastAt": "2026-01-02T03:04:05.000+00:00", "pinned": True},
    {"sessionId": "s2", "title": "Who?", "lastAt": "2026-01-01T00:00:00.000+00:00", "knowledgeBase": "store"},
]

BASES = [
    {"name": "store", "documents": 1, "description": "A \x1b[1mshop.", "questions": ["Which documents are there?"]},
    {"name": "scripts", "documents": 2, "questions": []},
]
LEFT: list[bool] = []


def shared(command: Body) -> Body:
    """Two pages of a turn each."""
    if command["shareId"] != "AbC_-1":
        return {"type": "error", "error": "There is no such shared conversation.", "code": "share_not_found"}
    turn = {"createdAt": "2026-01-02T03:04:05.000+00:00", "message": "And \x1b[1mthen?", "answer": "Then [1]."}
    source = {"n": 1, "documentId": "plan.md", "title": "The plan", "locator": {}, "excerpt": "Then."}
    newest = command.get("before") is None
    turns = [turn | {"sources": [source]}] if newest else [turn | {"message": "Who?", "answer": "Ann."}]
    return {"type": "shared", "owner": "ann", "title": "Lease", "turns": turns, "before": "x" if newest else None}


def replies(command: Body) -> list[Body] | None:
    if command["action"] == "history":
        turns = [{"requestId": "r"}] if command.get("sessionId") == "s1" else []
        sessions = [] if "sessionId" in command else SESSIONS
        return [{"type": "history", "sessionId": command.get("sessionId"), "sessions": sessions, "turns": turns}]
    if command["action"] == "listKnowledgeBases":
        return [{"type": "knowledgeBases", "requestId": command["requestId"], "bases": BASES}]
    if command["action"] == "eraseMine":
        numbers = {"conversations": 2, "questions": 5, "entries": 1}
        return [{"type": "erased", "requestId": command["requestId"], "left": LEFT.pop(0), **numbers}]
    if command["action"] in ("shareSession", "unshareSession"):
        return [{"type": "sessionShared", "requestId": command["requestId"], "shareId": "AbC_-1"}]
    if command["action"] == "openShared":
        return [{"requestId": command["requestId"], **shared(command)}]
    busy = {"error": "An answer of this conversation is under way.", "code": "session_busy", "retryable": False}
    reply = (
        {"type": "session", "session": SESSIONS[0]}
        if command["action"] == "changeSession"
        else {"type": "error"} | busy
    )
    return [reply | {"requestId": command["requestId"]}]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[DisturbingServer]:
    with running(DisturbingServer(on_command=replies)) as server:
        at_server(server, monkeypatch)
        yield server


def test_conversations_are_listed_oldest_first_as_chat_lists_them(server: DisturbingServer, shell: Shell) -> None:
    assert shell("sessions", "list", "--search", "lease") == 0
    assert shell.lines() == ["2026-01-01 00:00 s2 [store] Who?", "2026-01-02 03:04 s1 (pinned) The [1mlease"]
    assert server.commands[-1]["search"] == "lease"
    assert shell("sessions", "list", "--json") == 0
    assert [each["session_id"] for each in shell.json()["sessions"]] == ["s1", "s2"]


def asked(number: int) -> Body:
    moment = f"2026-01-01T00:0{number}:00.000+00:00"
    return {"requestId": f"r{number}", "createdAt": moment, "excerpt": f"Whose {number}?", "spans": [[0, 5]]}


def search_page(command: Body) -> list[Body] | None:
    """Three pages: one without anything, and two with the same conversation."""
    pages: dict[str | None, tuple[list[int], str | None]] = {None: ([], "a"), "a": ([4, 3], "b"), "b": ([2, 1], None)}
    numbers, before = pages[command.get("before")]
    found = [SESSIONS[1] | {"asked": [asked(each) for each in numbers]}] if numbers else []
    return [{"type": "history", "sessions": found, "before": before}]


def test_a_search_goes_on_until_so_many_questions_are_found_or_nothing_is_left(
    server: DisturbingServer, shell: Shell
) -> None:
    server.on_command = search_page
    assert shell("sessions", "list", "--search", "whose", "--json") == 0
    found = shell.json()
    assert (found["before"], [each["session_id"] for each in found["sessions"]]) == (None, ["s2"])
    assert [each["request_id"] for each in found["sessions"][0]["asked"]] == ["r4", "r3", "r2", "r1"]
    assert [each["limit"] for each in server.sent("history")] == [20, 20, 18]
    assert shell("sessions", "list", "--search", "whose", "--limit", "2", "--json") == 0
    assert shell.json()["before"] == "b"
    assert shell("sessions", "list", "--search", "whose", "--limit", "2") == 0
    assert shell.lines() == [
        "2026-01-01 00:00 s2 [store] Who?",
        "→ 2026-01-01 00:03 Whose 3?",
        "→ 2026-01-01 00:04 Whose 4?",
    ]


def test_a_search_that_finds_nothing_says_so(server: DisturbingServer, shell: Shell) -> None:
    server.on_command = lambda _: [{"type": "history", "sessions": []}]
    assert shell("sessions", "list", "--search", "nothing") == 0
    assert shell.err() == "No question and no title of yours has these words.\n"


def test_a_conversation_is_renamed_and_pinned(server: DisturbingServer, shell: Shell) -> None:
    assert shell("sessions", "rename", "s1", "Leases") == 0
    assert shell("sessions", "pin", "s1") == 0
    assert shell("sessions", "pin", "s1", "--off") == 0
    sent = [(each.get("title"), each.get("pinned")) for each in server.sent("changeSession")]
    assert sent == [("Leases", None), (None, True), (None, False)]


def test_deleting_asks_and_says_why_it_was_refused(server: DisturbingServer, shell: Shell) -> None:
    assert shell("sessions", "delete", "s1") == 2
    assert server.sent("deleteSession") == []
    assert shell("sessions", "delete", "s9", "--yes") == 2
    assert "You have no conversation s9" in shell.err()
    assert shell("sessions", "delete", "s1", "--yes") == 1
    assert shell.err() == "cicada: An answer of this conversation is under way.\n"


def test_a_conversation_is_shared_and_its_link_is_read_by_somebody_else(server: DisturbingServer, shell: Shell) -> None:
    assert shell("sessions", "share", "s1") == 0
    assert shell.lines() == ["AbC_-1"]
    for link in ("https://chat.example.com/#shared=AbC_-1", " AbC_-1"):
        assert shell("sessions", "read", link) == 0
        said = shell.read()
        assert [line for line in said.out.splitlines() if line] == ["Ann.", "Then [1].", "[1] The plan"]
        assert "Lease · shared by ann" in said.err
    assert shell("sessions", "read", "AbC_-1", "--json") == 0
    assert [each["message"] for each in shell.json()["turns"]] == ["And \x1b[1mthen?", "Who?"]
    assert shell("sessions", "unshare", "s1") == 0
    assert [each["sessionId"] for each in server.sent("unshareSession")] == ["s1"]


def test_the_link_is_the_chat_pages_address_with_the_id(
    server: DisturbingServer, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs = {"WebSocketUrl": server.url, "PageUrl": "https://chat.example.com"}
    monkeypatch.setattr(deployment_target, "stack_outputs", lambda stack: outputs)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    assert shell("sessions", "share", "s1", "--stack", "Cicada-dev", "--token", TOKEN, "--json") == 0
    assert shell.json() == {"share_id": "AbC_-1", "link": "https://chat.example.com/#shared=AbC_-1"}


@pytest.mark.parametrize(
    ("link", "code", "sentence"),
    [
        ("abc_-1", 1, "There is no such shared conversation."),
        ("", 2, "is no link to a shared conversation"),
        ("https://chat.example.com/", 2, "is no link to a shared conversation"),
        ("https://chat.example.com/#shared=", 2, "is no link to a shared conversation"),
        ("#shared=" + "x" * 129, 2, "is no link to a shared conversation"),
    ],
)
def test_a_link_that_opens_nothing_is_said(
    server: DisturbingServer, shell: Shell, link: str, code: int, sentence: str
) -> None:
    assert shell("sessions", "read", link) == code
    assert sentence in shell.err()


def test_everything_is_deleted_in_parts_after_a_question(server: DisturbingServer, shell: Shell) -> None:
    assert shell("sessions", "delete-all") == 2
    assert server.sent("eraseMine") == []
    LEFT[:] = [True, False]
    assert shell("sessions", "delete-all", "--yes", "--json") == 0
    assert shell.json() == {"conversations": 4, "questions": 10, "entries": 2, "left": False}


def test_the_bases_that_one_may_ask_are_listed(
    server: DisturbingServer, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["store: 1 document. A [1mshop.", "  Which documents are there?", "scripts: 2 documents"]
    assert shell("bases", "list") == 0
    assert shell.lines() == lines
    assert shell("bases", "list", "--json") == 0
    assert [each["documents"] for each in shell.json()["bases"]] == [1, 2]
    monkeypatch.setattr("sys.stdin", io.StringIO("/bases\n"))
    assert shell("chat") == 0
    assert shell.err().splitlines() == lines
