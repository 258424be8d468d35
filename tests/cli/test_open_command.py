"""`cicada open`, and `/open` in a conversation: a document's text in the terminal."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

import pytest

from cli.__main__ import main
from tests.cli.conftest import Shell, at_server
from tests.clients.disturbing_server import SOURCE, Body, DisturbingServer, answer, running

PLACE = {"knowledgeBase": "plays", "documentId": "macbeth-5-5"}
TEXT: dict[int, list[tuple[int, str, tuple[int, int] | None]]] = {
    1: [
        (0, "MACBETH: Hang out our banners.", None),
        (1, "SEYTON: It is the cry of women.\nSEYTON: The queen", (32, 49)),
    ],
    2: [(2, "SEYTON: is dead.", (0, 16))],
}
FILES: dict[str, Body] = {"macbeth-5-5": {"original": "https://files/macbeth?signed"}}
OUTLINE = [{"heading": "5.4", "page": 1, "number": 0}, {"heading": "5.5", "page": 2, "number": 2}]


def page(command: Body) -> list[Body] | None:
    """A document of two pages; the marked passage is on both."""
    if command["action"] != "openDocument":
        return None
    if command["documentId"] == "gone":
        refused = {"type": "error", "error": "There is no such document.", "code": "document_not_found"}
        return [refused | {"requestId": command["requestId"], "retryable": False}]
    number = command.get("page", 1)
    blocks = [
        {"number": at, "text": text, "locator": {"chapter": "5.5 Dunsinane", "messages": [at, at]}}
        | ({"marked": list(marked)} if marked and "passage" in command else {})
        for at, text, marked in TEXT[number]
    ]
    head = {"requestId": command["requestId"], "type": "document", "title": "Macbeth", "version": "v1", "pages": 2}
    file = FILES.get(command["documentId"], {}) if command.get("original") else {}
    outline = {} if "page" in command else {"outline": OUTLINE}
    return [head | PLACE | {"page": number, "blocks": blocks} | outline | file]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[DisturbingServer]:
    sources = {"type": "sources", "sources": [SOURCE | {"passage": "1@v1"}], "knowledgeBase": "plays"}
    script = [sources if each["type"] == "sources" else each for each in answer()]
    with running(DisturbingServer(script, on_command=page)) as server:
        at_server(server, monkeypatch)
        yield server


def asked(server: DisturbingServer) -> list[Body]:
    return [
        {name: value for name, value in each.items() if name not in ("action", "requestId")}
        for each in server.sent("openDocument")
    ]


def test_a_page_is_shown_with_its_place_and_the_way_to_the_next(server: DisturbingServer, shell: Shell) -> None:
    assert main(["open", "macbeth-5-5", "--knowledge-base", "plays", "--passage", "1@v1"]) == 0
    said = shell.read()
    assert said.out.strip().splitlines() == [
        "MACBETH: Hang out our banners.",
        "SEYTON: It is the cry of women.",
        "» SEYTON: The queen",
    ]
    assert said.err.splitlines() == [
        "Macbeth · page 1 of 2",
        "5.5 Dunsinane",
        "`cicada open macbeth-5-5 --knowledge-base plays --page 2` shows the next page",
    ]
    assert asked(server) == [PLACE | {"passage": "1@v1"}]


def test_all_pages_are_shown_one_after_the_other(server: DisturbingServer, shell: Shell) -> None:
    assert main(["open", "macbeth-5-5", "--knowledge-base", "plays", "--all", "--json"]) == 0
    pages = json.loads(shell.out())
    assert [(each["page"], [block["number"] for block in each["blocks"]]) for each in pages] == [(1, [0, 1]), (2, [2])]
    assert asked(server) == [PLACE, PLACE | {"page": 2}]


def test_the_outline_says_where_each_scene_begins(server: DisturbingServer, shell: Shell) -> None:
    assert main(["open", "macbeth-5-5", "--outline"]) == 0
    assert [line.split() for line in shell.out().splitlines()] == [["Page", "Heading"], ["1", "5.4"], ["2", "5.5"]]
    assert main(["open", "macbeth-5-5", "--outline", "--page", "2"]) == 2


def test_what_is_gone_is_refused_in_one_sentence(server: DisturbingServer, shell: Shell) -> None:
    assert main(["open", "gone"]) == 1
    assert shell.err() == "cicada: There is no such document.\n"


def test_a_source_of_the_last_answer_opens_and_again_its_next_page(
    server: DisturbingServer, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Who?\n/open 1\n/open 1\n/open 1\n/open 7\n/open\n"))
    assert main(["chat"]) == 0
    said = shell.read()
    assert "» SEYTON: The queen" in said.out
    assert "» SEYTON: is dead." in said.out
    assert "The last answer has no passage 7 to open." in said.err
    assert "Say which: /open 1" in said.err
    assert "“/open 1” shows the next page" in said.err
    first, second = PLACE | {"passage": "1@v1"}, PLACE | {"passage": "1@v1", "page": 2}
    assert asked(server) == [first, second, first]


def test_the_address_of_the_file_is_printed_alone_or_said_to_be_missing(server: DisturbingServer, shell: Shell) -> None:
    assert main(["open", "macbeth-5-5", "--knowledge-base", "plays", "--original"]) == 0
    assert shell.out() == "https://files/macbeth?signed\n"
    assert main(["open", "typed-in", "--knowledge-base", "plays", "--original"]) == 1
    assert "gives no address of this document's file" in shell.err()
