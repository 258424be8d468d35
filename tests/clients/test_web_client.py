"""The web client on frames made from the published schema, and its commands against the schema of these.

Its other tests are in tests/web; Node runs it here too, on everything at once.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.patience import PATIENCE_SECONDS
from tests.published.generation import EVENTS, commands, frames
from tests.published.validation import fault_in_command

DRIVER = Path(__file__).parents[1] / "web" / "published.mjs"
# The web client's shortest wait for anything, in clients/javascript/timings.js.
GAP_MILLISECONDS = 1000
EACH_KIND = 16
Fields = dict[str, Any]


def made(strategy: st.SearchStrategy[Any], count: int) -> list[Any]:
    """Examples of the strategy, `count` of them, the same in every run."""
    found: list[Any] = []

    @settings(max_examples=count)
    @given(strategy)
    def collect(value: Any) -> None:
        found.append(value)

    collect()
    return found


def web_client(of_server: list[Fields], of_client: list[Fields]) -> tuple[list[Any], list[list[Fields]]]:
    """What it makes of each frame, and what it sends where each command is due."""
    given_to = json.dumps({"frames": of_server, "commands": of_client})
    done = subprocess.run(
        ["node", DRIVER], input=given_to, capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS
    )
    found = json.loads(done.stdout)
    return found["read"], found["sent"]


def read_by_web_client(of_server: list[Fields]) -> list[tuple[Fields, Any]]:
    return list(zip(of_server, web_client(of_server, [])[0], strict=True))


LISTING: Fields = {
    "total": 1,
    "documents": [{"documentId": "0"}],
    "offset": 0,
    "nextOffset": 1,
    **dict.fromkeys(("columns", "aggregates", "groupedBy", "groups", "groupCount")),
}
# What an event changes in an answer that has the text "before", one source and one listed document.
CHANGES: dict[str, Callable[[Fields], Fields]] = {
    "accepted": lambda frame: {"sessionId": frame["sessionId"]},
    "status": lambda frame: {"stage": frame["stage"], "detail": frame.get("detail")},
    "sources": lambda frame: {"sources": by_number([{"n": 0}, *frame["sources"]])},
    "listing": lambda frame: {"listing": more_listed(frame)},
    "chunk": lambda frame: {"text": "before" + frame["content"]},
    "reset": lambda frame: {"text": "", "sources": [], "listing": None, "resetReason": frame["reason"]},
    "complete": lambda frame: {"outcome": "complete"},
    "cancelled": lambda frame: {"outcome": "cancelled"},
    "error": lambda frame: {"outcome": "error", "failure": frame},
}
UNCHANGED: Fields = {
    "text": "before",
    "sources": [{"n": 0}],
    "listing": LISTING,
    **dict.fromkeys(("sessionId", "stage", "detail", "resetReason", "outcome", "failure")),
}


def by_number(sources: list[Fields]) -> list[Fields]:
    return sorted({source["n"]: source for source in sources}.values(), key=lambda source: source["n"])


def more_listed(frame: Fields) -> Fields:
    documents = [*LISTING["documents"], *frame["documents"]]
    return LISTING | {"total": frame["total"], "documents": documents, "nextOffset": frame["nextOffset"]}


@pytest.mark.parametrize("of_later_server", [False, True])
def test_every_event_changes_the_answer_as_it_says(of_later_server: bool) -> None:
    of_server = [frame for kind in EVENTS for frame in made(frames(kind, of_later_server=of_later_server), EACH_KIND)]
    assert {frame["type"] for frame in of_server} == set(CHANGES)
    for frame, view in read_by_web_client(of_server):
        assert view == UNCHANGED | {"lastSeq": frame["seq"]} | CHANGES[frame["type"]](frame)


def test_a_page_reaches_who_asked_for_it() -> None:
    for frame, page in read_by_web_client(made(frames("HistoryPage"), EACH_KIND)):
        assert page == frame


def test_a_page_of_a_document_reaches_who_opened_it() -> None:
    for frame, page in read_by_web_client(made(frames("DocumentPage"), EACH_KIND)):
        assert page == frame


@pytest.mark.parametrize(
    "model", ["DocumentsPage", "ListingPage", "UploadForm", "DocumentDescription", "DocumentRemoved"]
)
def test_what_is_said_of_documents_reaches_who_asked(model: str) -> None:
    for frame, reply in read_by_web_client(made(frames(model), EACH_KIND // 2)):
        assert reply == frame


def test_what_a_session_is_now_reaches_who_changed_it() -> None:
    for frame, session in read_by_web_client(made(frames("SessionChanged"), EACH_KIND)):
        assert session == frame["session"]


def test_the_id_of_a_share_reaches_who_shares() -> None:
    for frame, share_id in read_by_web_client(made(frames("SessionShared"), EACH_KIND)):
        assert share_id == frame["shareId"]


def test_a_page_of_a_shared_session_reaches_who_opened_it() -> None:
    for frame, page in read_by_web_client(made(frames("SharedPage"), EACH_KIND)):
        assert page == frame


def test_the_bases_reach_who_asked_for_them() -> None:
    for frame, bases in read_by_web_client(made(frames("KnowledgeBasesListed"), EACH_KIND)):
        assert bases == frame["bases"]


def test_what_was_deleted_reaches_who_deleted_it() -> None:
    for frame, erased in read_by_web_client(made(frames("Erased"), EACH_KIND)):
        assert erased == {name: frame[name] for name in ("conversations", "questions", "entries", "left")}


def test_a_refusal_reaches_who_was_refused() -> None:
    for frame, told in read_by_web_client(made(frames("Refusal"), EACH_KIND)):
        assert told == {name: frame[name] for name in ("error", "code", "retryable")}


def test_what_pending_says_is_when_the_client_resumes() -> None:
    soon = made(frames("Pending").filter(lambda frame: 0 <= frame["retryAfterSeconds"] < 3600), EACH_KIND)
    for frame, resumed_at in read_by_web_client(soon):
        assert resumed_at == max(GAP_MILLISECONDS, 1000 * frame["retryAfterSeconds"])


def test_a_pong_keeps_the_connection() -> None:
    [(_, sockets)] = read_by_web_client([{"type": "pong"}])
    assert sockets == 1


def test_its_commands_are_those_that_are_published() -> None:
    actions = {"sendMessage", "resume", "cancel", "history", "changeSession", "deleteSession", "eraseMine"}
    actions |= {"shareSession", "unshareSession", "openShared"}
    actions |= {"feedback", "openDocument", "listKnowledgeBases", "ping"}
    actions |= {"listDocuments", "listMore", "uploadDocument", "describeDocument", "removeDocument"}
    actions |= {
        "listUsers",
        "addUser",
        "disableUser",
        "enableUser",
        "setGroups",
        "readUse",
        "readFeedback",
        "readFailures",
    }
    of_client = [each for action in sorted(actions) for each in made(commands(action), EACH_KIND // 2)]
    assert {command["action"] for command in of_client} == actions
    for command, sent in zip(of_client, web_client([], of_client)[1], strict=True):
        assert [fault for fault in map(fault_in_command, sent) if fault] == []
        assert command in sent
