"""The conversation in the terminal: through a pipe, and through a real terminal with its keys."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli.__main__ import main
from cli.user.prompt import completions
from cli.user.sessions import link_to
from tests.cli.conftest import Shell, at_server
from tests.clients.disturbing_server import TOKEN, WORDS, Body, Delivery, DisturbingServer, Drop, answer, running
from tests.clients.listings import DOCUMENTS, listed
from tests.patience import PATIENCE_SECONDS

TEXT = "".join(WORDS)
SOURCE_LINE = "[1] Macbeth (Status: retired) · Act 5 · Scene 5 · messages 12–18 · MACBETH, SEYTON"
CTRL_C, CTRL_D = b"\x03", b"\x04"


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> Iterator[DisturbingServer]:
    """A server that the environment names, and input that is a pipe."""
    with running(DisturbingServer()) as server:
        at_server(server, monkeypatch)
        yield server


def chat(lines: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    return main(["chat"])


def test_each_piped_line_is_a_question(piped: DisturbingServer, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    assert chat("first\n\nsecond\n", monkeypatch) == 0
    asked = [(command["message"], command.get("sessionId")) for command in piped.questions()]
    assert asked == [("first", None), ("second", "session-1")]
    assert shell.out() == f"{TEXT}\n{SOURCE_LINE}\n\n" * 2


def test_new_begins_another_conversation(piped: DisturbingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert chat("first\n/new\nsecond\n/quit\nthird\n", monkeypatch) == 0
    asked = [(command["message"], command.get("sessionId")) for command in piped.questions()]
    assert asked == [("first", None), ("second", None)]


def test_sources_of_the_last_answer(piped: DisturbingServer, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    assert chat("/sources\nfirst\n/sources\n", monkeypatch) == 0
    captured = shell.read()
    assert captured.err == "There are no sources.\n"
    assert captured.out.endswith(f"{SOURCE_LINE}\n    SEYTON: The Queen, my lord, is dead.\n")


def test_history(piped: DisturbingServer, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    turn = {"requestId": "r", "createdAt": "2026-01-02T03:04:05.000+00:00", "status": "complete", "message": "first"}
    session = {"sessionId": "s-9", "title": "An\x1b[1m older one", "lastAt": "2026-01-01T00:00:00.000+00:00"}

    def page(command: Body) -> list[Body] | None:
        if command["action"] != "history":
            return None
        if "sessionId" in command:
            return [{"type": "history", "sessionId": "session-1", "turns": [turn | {"answer": "The answer."}]}]
        asked = {"requestId": "r", "createdAt": turn["createdAt"], "excerpt": "Whose\x1b[1m?", "spans": [[0, 5]]}
        found = {"asked": [asked]} if "search" in command else {}
        return [{"type": "history", "sessions": [session | found]}]

    piped.on_command = page
    assert chat("/history\nfirst\n/history\n/history the lease\n", monkeypatch) == 0
    assert [(each.get("sessionId"), each.get("search")) for each in piped.sent("history")] == [
        (None, None),
        ("session-1", None),
        (None, "the lease"),
    ]
    captured = shell.read()
    assert captured.out.startswith("2026-01-01 00:00 s-9 An[1m older one\n")
    assert captured.out.endswith("The answer.\n2026-01-01 00:00 s-9 An[1m older one\n→ 2026-01-02 03:04 Whose[1m?\n")
    assert captured.err == "2026-01-02 03:04 first\n"


def test_more_is_asked_for_where_there_is_more(monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    with running(DisturbingServer(listed())) as server:
        at_server(server, monkeypatch)
        assert chat("list them\nmore\n", monkeypatch) == 0
        server.script = listed(next_offset=None)
        assert chat("list them\n", monkeypatch) == 0
    assert [each["message"] for each in server.questions()] == ["list them", "more", "list them"]
    assert server.questions()[1]["sessionId"] == "session-1"
    said = shell.err().splitlines()
    assert [line for line in said if "of 57" in line] == [
        *["21–23 of 57 · “/more” shows the next rows"] * 2,
        "21–23 of 57",
    ]


def test_the_next_rows_come_without_a_question(monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    page = {"type": "listingPage", "total": 57, "offset": 23, "nextOffset": None, "columns": ["Status"]}

    def rows(command: Body) -> list[Body] | None:
        if command["action"] != "listMore":
            return None
        return [{"requestId": command["requestId"], **page, "documents": [{"documentId": "d", "title": "The last"}]}]

    with running(DisturbingServer(listed(), on_command=rows)) as server:
        at_server(server, monkeypatch)
        assert chat("/more\nlist them\n/more\n/more\n", monkeypatch) == 0
    asked = [(each["answer"], each["offset"]) for each in server.commands if each["action"] == "listMore"]
    assert asked == [(server.questions()[0]["requestId"], 23)]
    captured = shell.read()
    assert "The last" in captured.out
    assert captured.err.splitlines()[-2:] == ["24 of 57", "There are no more rows to show."]


def test_a_listing_fits_into_the_terminal(tmp_path: Path) -> None:
    script = listed()
    script[2]["documents"] = [DOCUMENTS[0] | {"title": "A long title " * 20}, DOCUMENTS[1]]
    with running(DisturbingServer(script)) as server, terminal(server, tmp_path) as screen:
        screen.expect("> ")
        screen.press(b"q\r")
        screen.expect("Title")
        screen.expect("A long title A long title")
        screen.expect("…  approved  2026-02-01\r\n")
        screen.expect("\x1b[2m21–23 of 57 · “/more” shows the next rows\x1b[0m")
        screen.expect("\x1b[2mKnowledge base: store\x1b[0m")


def test_unknown_command(piped: DisturbingServer, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    assert chat("/nothing\n/help\n", monkeypatch) == 1
    assert piped.commands == []
    assert "There is no /nothing." in shell.err()


def test_refused_question(piped: DisturbingServer, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    def refuse_first(command: Body) -> list[Body] | None:
        if command.get("message") != "first":
            return None
        return [{"requestId": command["requestId"], "type": "error", "error": "Too long.", "code": "x"}]

    piped.on_command = refuse_first
    assert chat("first\nsecond\n", monkeypatch) == 1
    captured = shell.read()
    assert captured.err == "Too long.\n"
    assert TEXT in captured.out


class Terminal:
    """A chat in a pseudo-terminal of its own."""

    def __init__(self, process: subprocess.Popen[bytes], master: int) -> None:
        self._process = process
        self._master = master
        self.seen = ""

    def press(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def interrupt(self) -> None:
        """Press Ctrl-C at the prompt. A signal before readline waits for a key is seen only with the next one."""
        ends_at = time.monotonic() + PATIENCE_SECONDS
        while not self._is_waiting():
            assert time.monotonic() < ends_at, "the chat does not wait for a key"
            time.sleep(0.01)
        self.press(CTRL_C)

    def expect(self, text: str) -> None:
        """Read until the text has come after what was expected before; what came until then is forgotten."""
        ends_at = time.monotonic() + PATIENCE_SECONDS
        while text not in self.seen:
            assert time.monotonic() < ends_at, f"{text!r} did not come; there is {self.seen!r}"
            if select.select([self._master], [], [], 0.5)[0]:
                self.seen += os.read(self._master, 65536).decode(errors="replace")
        self.seen = self.seen.partition(text)[2]

    def exit_code(self) -> int:
        return self._process.wait(PATIENCE_SECONDS)

    def _is_waiting(self) -> bool:
        """Whether the process sleeps; at the prompt it does so only to wait for a key."""
        status = Path("/proc") / str(self._process.pid) / "stat"
        if status.exists():
            return status.read_text().rpartition(") ")[2].startswith("S")
        command = ["ps", "-o", "state=", "-p", str(self._process.pid)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.startswith(("S", "I"))


@contextmanager
def terminal(server: DisturbingServer, tmp_path: Path, **environment: str) -> Iterator[Terminal]:
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, 100))
    variables = {"CICADA_URL": server.url, "CICADA_TOKEN": TOKEN, "TERM": "xterm", "HOME": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "cli", "chat"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={"PYTHONUTF8": "1"} | variables | environment,
        preexec_fn=lambda: _control(slave),
    )
    os.close(slave)
    try:
        yield Terminal(process, master)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()
        os.close(master)


def _control(slave: int) -> None:
    """Make the terminal the child's own, so that Ctrl-C reaches it as a signal, which the tests may be ignoring."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


def test_a_conversation_at_a_terminal(tmp_path: Path) -> None:
    with running(DisturbingServer()) as server, terminal(server, tmp_path) as screen:
        screen.expect("> ")
        screen.press(b"Who says it?\r")
        screen.expect("The Queen, my lord, is dead. [1]")
        screen.expect(SOURCE_LINE)
        screen.expect("> ")
        screen.press(b"/he\t\r")
        screen.expect("/quit")
        screen.expect("> ")
        screen.press(CTRL_D)
        assert screen.exit_code() == 0


def test_a_lost_connection_is_one_dim_line_at_a_terminal(tmp_path: Path) -> None:
    def network(delivery: Delivery) -> list[Body | Drop]:
        frames: list[Body | Drop] = list(delivery.frames)
        return [*frames[:6], Drop()] if delivery.connection == 1 else frames

    with running(DisturbingServer(network=network)) as server, terminal(server, tmp_path) as screen:
        screen.expect("> ")
        screen.press(b"q\r")
        screen.expect("The Queen, my ")
        screen.expect("\x1b[2mThe connection was lost; the answer goes on where it stopped.\x1b[0m")
        screen.expect("lord, is dead. [1]")
        screen.expect(SOURCE_LINE)


def test_ctrl_c_cancels_the_answer_and_the_conversation_goes_on(tmp_path: Path) -> None:
    server = DisturbingServer(script=[*answer()[:6], {"type": "cancelled"}])

    def cancelled_on_demand(command: Body) -> list[Body] | None:
        numbered = server.numbered(command.get("requestId", ""))
        return {"ping": None, "cancel": numbered[6:]}.get(command["action"], numbered[:6])

    server.on_command = cancelled_on_demand
    with running(server), terminal(server, tmp_path) as screen:
        screen.expect("> ")
        screen.press(b"q\r")
        screen.expect("The Queen, my ")
        screen.press(CTRL_C)
        screen.expect("Cancelled.")
        screen.expect("> ")
        screen.press(b"/quit\r")
        assert screen.exit_code() == 0
    assert {command["requestId"] for command in server.sent("cancel")} == {server.questions()[0]["requestId"]}


def test_a_second_ctrl_c_leaves(tmp_path: Path) -> None:
    server = DisturbingServer(network=lambda delivery: delivery.frames[:6])
    with running(server), terminal(server, tmp_path) as screen:
        screen.expect("> ")
        screen.press(b"q\r")
        screen.expect("The Queen, my ")
        screen.press(CTRL_C)
        while not server.sent("cancel"):
            time.sleep(0.01)
        screen.press(CTRL_C)
        assert screen.exit_code() == 130


def test_ctrl_c_at_the_prompt_asks_once_more(tmp_path: Path) -> None:
    with running(DisturbingServer()) as server, terminal(server, tmp_path) as screen:
        screen.expect("> ")
        screen.interrupt()
        screen.expect("Ctrl-C again leaves.")
        screen.expect("> ")
        screen.interrupt()
        assert screen.exit_code() == 130


def test_a_conversation_is_renamed_pinned_and_deleted(
    piped: DisturbingServer, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    def change(command: Body) -> list[Body] | None:
        if command["action"] not in ("changeSession", "deleteSession"):
            return None
        session = {"sessionId": "session-1", "title": command.get("title", ""), "lastAt": "x"}
        return [{"requestId": command["requestId"], "type": "session", "session": session}]

    piped.on_command = change
    assert chat("/pin\n", monkeypatch) == 1
    assert shell.err() == "Ask something first: there is no conversation yet.\n"
    assert chat("first\n/rename The queen\n/pin\n/pin off\n/delete\n/delete yes\nsecond\n", monkeypatch) == 0
    changes = [
        {name: each[name] for name in ("title", "pinned") if name in each} for each in piped.sent("changeSession")
    ]
    assert changes == [{"title": "The queen"}, {"pinned": True}, {"pinned": False}]
    assert [each["sessionId"] for each in piped.sent("deleteSession")] == ["session-1"]
    assert piped.questions()[-1].get("sessionId") is None
    assert "This conversation is called “The queen” now." in shell.err()


def test_a_conversation_is_shared_and_unshared(
    piped: DisturbingServer, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    def shared(command: Body) -> list[Body] | None:
        if command["action"] not in ("shareSession", "unshareSession"):
            return None
        return [{"type": "sessionShared", "requestId": command["requestId"], "shareId": "AbC_-1"}]

    piped.on_command = shared
    assert chat("/share\n", monkeypatch) == 1
    assert shell.err() == "Ask something first: there is no conversation yet.\n"
    assert chat("first\n/share\n/unshare\n", monkeypatch) == 0
    for action in ("shareSession", "unshareSession"):
        assert [each["sessionId"] for each in piped.sent(action)] == ["session-1"]
    said = shell.read()
    assert said.out.endswith("\nAbC_-1\n")
    assert said.err.splitlines()[-1] == "Not shared any more."


def test_a_link_to_a_shared_conversation_is_of_the_stacks_page() -> None:
    assert link_to("AbC_-1", "https://chat.example.com/") == "https://chat.example.com/#shared=AbC_-1"
    assert link_to("AbC_-1", None) is None


def test_the_last_answer_is_rated_and_the_same_again_takes_it_back(
    piped: DisturbingServer, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    def kept(command: Body) -> list[Body] | None:
        if command["action"] != "feedback":
            return None
        return [{"type": "feedback", "requestId": command["requestId"], "rating": command.get("rating")}]

    piped.on_command = kept
    assert chat("/good\nfirst\n/good\n/bad wrong, outdated: it ended in May\n/bad\n/bad\n", monkeypatch) == 0
    [question] = piped.questions()
    said = [each for each in piped.commands if each["action"] == "feedback"]
    assert {each["requestId"] for each in said} == {question["requestId"]}
    assert [{name: value for name, value in each.items() if name not in ("action", "requestId")} for each in said] == [
        {"rating": "good"},
        {"rating": "bad", "reasons": ["wrong", "outdated"], "comment": "it ended in May"},
        {"rating": "bad"},
        {},
    ]
    assert shell.err().startswith("There is no answer to rate.\n")


def replies(command: Body) -> list[Body] | None:
    """What a server says of its bases, documents and sessions."""
    shop = {"name": "shop", "documents": 2, "questions": ["What is sold?", "Who sells it?"]}
    over = [{"documentId": "lease-2.md", "title": "Lease", "version": "2", "standing": "inForce"}]
    lease = {"documentId": "lease.md", "title": "Lease", "passages": 3, "fields": {"Status": "open"}}
    listed = [lease | {"standing": "noLonger", "versions": over}]
    said: dict[str, Body] = {
        "listKnowledgeBases": {"type": "knowledgeBases", "bases": [shop]},
        "listDocuments": {"type": "documents", "total": 2, "documents": listed, "nextOffset": 1},
        "openDocument": {"type": "document", "page": 1, "pages": 1, "title": "Lease", "blocks": []},
        "changeSession": {"type": "session", "session": {"sessionId": "session-1", "title": "The queen", "lastAt": ""}},
    }
    reply = said.get(command["action"])
    return [reply | {"requestId": command.get("requestId")}] if reply else None


def test_documents_of_the_base_are_listed_read_on_and_opened(
    piped: DisturbingServer, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    piped.on_command = replies
    assert chat("/base shop\n/documents lease\n/documents lease\n/documents\n/open lease.md\n", monkeypatch) == 0
    asked = [(each["knowledgeBase"], each.get("search"), each.get("offset")) for each in piped.sent("listDocuments")]
    assert asked == [("shop", "lease", None), ("shop", "lease", 1), ("shop", None, None)]
    assert [(each["knowledgeBase"], each["documentId"]) for each in piped.sent("openDocument")] == [
        ("shop", "lease.md")
    ]
    captured = shell.read()
    assert "lease.md" in captured.out
    assert "1–1 of 2 · “/documents lease” shows the next page" in captured.err


def test_words_of_a_list_of_documents_may_be_filters_and_versions_say_what_is_in_force(
    piped: DisturbingServer, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    piped.on_command = replies
    assert chat('/documents rent Status="in review" due<2026-01-31\n/documents status=\n', monkeypatch) == 0
    [asked] = piped.sent("listDocuments")
    assert asked["search"] == "rent"
    assert asked["filters"] == [
        {"field": "Status", "op": "any", "values": ["in review"]},
        {"field": "due", "op": "lt", "value": "2026-01-31"},
    ]
    captured = shell.read()
    assert "no longer: lease-2.md is" in captured.out
    assert "'status=' is no filter" in captured.err


def test_another_base_begins_another_conversation(
    piped: DisturbingServer, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    piped.on_command = replies
    assert chat("first\n/base nowhere\nsecond\n/base shop\nthird\n", monkeypatch) == 1
    asked = [(each.get("knowledgeBase"), each.get("sessionId")) for each in piped.questions()]
    assert asked == [(None, None), (None, "session-1"), ("shop", None)]
    assert "There is no knowledge base “nowhere” for you. /bases lists yours." in shell.err()


def test_a_question_is_asked_again_and_suggestions_are_asked_by_their_numbers(
    piped: DisturbingServer, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    piped.on_command = replies
    assert chat("/base shop\n/suggest\n/suggest 2\n/again\n", monkeypatch) == 0
    assert [each["message"] for each in piped.questions()] == ["Who sells it?", "Who sells it?"]
    assert "1  What is sold?\n2  Who sells it?\n" in shell.err()
    assert chat("/again\n/suggest 9\n", monkeypatch) == 1
    assert "There is no question to ask again.\nThere is no suggestion 9." in shell.err()


def test_a_conversation_is_written_to_a_file_and_over_none(
    piped: DisturbingServer, monkeypatch: pytest.MonkeyPatch, shell: Shell, tmp_path: Path
) -> None:
    def with_turns(command: Body) -> list[Body] | None:
        turns = [{"requestId": each["requestId"], "message": each["message"]} for each in piped.questions()]
        page = {"type": "history", "sessionId": "session-1", "turns": turns[-1:]}
        return [page] if command["action"] == "history" else replies(command)

    piped.on_command = with_turns
    text, data = tmp_path / "a.md", tmp_path / "a.json"
    assert chat(f"first\n/export {text}\n/export {data}\n/export\n", monkeypatch) == 0
    assert text.read_text("utf-8").startswith("# The queen\n")
    assert text.read_text("utf-8") in shell.out()
    assert json.loads(data.read_text("utf-8"))["turns"][0]["message"] == "first"
    assert chat(f"first\n/export {text}\n", monkeypatch) == 1
    assert f"{text} was not written: File exists." in shell.err()


def test_commands_are_completed_and_questions_are_not() -> None:
    commands = ["/pin", "/pin off", "/open"]
    assert completions(commands, "/pi") == ["/pin", "/pin off"]
    assert completions(commands, "") == completions(commands, "pi") == []
