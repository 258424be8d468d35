"""`cicada export`: a conversation as Markdown or JSON in the terminal."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Shell, at_server
from tests.clients.disturbing_server import WORDS, Body, DisturbingServer, running


def replies(request_id: str, command: Body) -> list[Body] | None:
    if command["action"] == "changeSession":
        session = {"sessionId": "s1", "title": "The \x1b[1mqueen", "lastAt": "x", "knowledgeBase": "scripts"}
        return [{"type": "session", "requestId": command["requestId"], "session": session}]
    if command["action"] != "history":
        return None
    if "sessionId" not in command:
        # The second page has a session of the first again, which was asked meanwhile.
        page: Body = {
            "type": "history",
            "sessions": [{"sessionId": "s1"}],
            "before": None if "before" in command else "x",
        }
        return [page]
    turn = {"createdAt": "2026-01-02T03:04:05.000+00:00", "message": "Who?", "status": "complete", "answer": "cut"}
    turns = [] if command.get("sessionId") != "s1" else [turn | {"requestId": request_id}]
    return [{"type": "history", "sessionId": command.get("sessionId"), "turns": turns}]


def test_a_conversation_is_printed_with_its_whole_answers_and_sources(
    monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    with running(DisturbingServer()) as server:
        at_server(server, monkeypatch)
        shell("ask", "Who?")
        shell.out()
        request_id = server.questions()[0]["requestId"]
        server.on_command = lambda command: replies(request_id, command)
        assert shell("export", "s1") == 0
        text = "".join(WORDS)
        assert shell.out() == (
            "# The \\[1mqueen\n\nKnowledge base: scripts\n\n## 2026-01-02 03:04\n\n> Who?\n\n"
            f"{text}\n\n[1] Macbeth\n\n> SEYTON: The Queen, my lord, is dead.\n"
        )
        assert shell("export", "s1", "--json") == 0
        [turn] = shell.json()["turns"]
        assert (turn["message"], turn["text"], turn["status"]) == ("Who?", text, "complete")
        assert shell("export", "--all", "--json") == 0
        assert [each["turns"] for each in shell.json()["conversations"]] == [[turn]]
        assert shell("export", "--all", "s1") == 2
        assert shell("export", "s9") == 2
