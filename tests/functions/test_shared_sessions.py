"""`shareSession`, `unshareSession` and `openShared` through their function, on the tables as they are deployed."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from cicada.adapters.dynamodb.access_list_table import DynamoAccessListTable
from cicada.conversation.model import AnswerRecord
from cicada.conversation.protocol import Chunk, Complete, Source, SourceLocator, SourcesFound, Usage
from cicada.documents.model import DocumentKey
from cicada.identity import Principal
from cicada.observability.audit import ConversationShared, ShownDocument
from tests.contract import access_list_table
from tests.fakes.audit import RecordingTrail
from tests.functions.deployed_processor import SCRIPTS
from tests.functions.message_path import CONSOLE, ID, NOW, MessagePath, Reply

BOB = Principal("default", "bob", login="bob@default")
COMMAND_ID = "7e57d004-2b97-4e7a-b45f-5387367791ff"
SEND = {"action": "sendMessage", "requestId": ID, "sessionId": "s1", "message": "Who tells Macbeth?"}
OF_S1 = {"requestId": COMMAND_ID, "sessionId": "s1"}
SECRET = "The queen, my lord, is dead."
PLAY = DocumentKey(SCRIPTS, "macbeth.json")
FOUND = SourcesFound((Source(1, PLAY.document_id, "Macbeth", SourceLocator(), SECRET, 0.9),), "scripts")


class Shared:
    """The console's user shares a conversation of one answer; Bob, and Mallory of another tenant, are connected."""

    def __init__(self, path: MessagePath) -> None:
        self.path = path
        for name, user in (("bob", BOB), ("mallory", Principal("elsewhere", "mallory"))):
            path.connect(name, user)
        self.readers(())
        path.send("ws_message", SEND)
        delivery = path.delivery()
        delivery.shown.note([ShownDocument("scripts", PLAY.document_id, "v1")])
        for event in (FOUND, Chunk(content=SECRET)):
            delivery.send(event)
        whole = Complete(usage=Usage(), timings={}, path=("generate",), confidence=None)
        delivery.send(whole, AnswerRecord(path=whole.path))
        self.share_id = str(self.control("shareSession", **OF_S1)["shareId"])

    def control(self, action: str, connection_id: str = "console", **fields: object) -> Reply:
        return self.path.send("ws_control", {"action": action} | fields, connection_id)

    def open(self, connection_id: str = "bob", share_id: object = None, **fields: object) -> Reply:
        share = {"requestId": COMMAND_ID, "shareId": share_id or self.share_id}
        return self.control("openShared", connection_id, **share | fields)

    def readers(self, viewers: tuple[str, ...]) -> None:
        DynamoAccessListTable(self.path.database, access_list_table.TABLE).record(PLAY, viewers)


@pytest.fixture
def shared(path: MessagePath, audited: RecordingTrail) -> Shared:
    return Shared(path)


def test_somebody_of_the_tenant_reads_what_is_shared_and_that_is_recorded(
    shared: Shared, audited: RecordingTrail
) -> None:
    assert len(shared.share_id) == 22
    assert shared.control("shareSession", **OF_S1)["shareId"] == shared.share_id
    [listed] = shared.control("history")["sessions"]
    assert listed["shared"] is True
    page = shared.open()
    assert (page["type"], page["requestId"], page["owner"]) == ("shared", COMMAND_ID, CONSOLE.user)
    assert [(turn["answer"], turn["sources"][0]["excerpt"]) for turn in page["turns"]] == [(SECRET, SECRET)]
    shares = [each for each in audited.records if isinstance(each, ConversationShared)]
    assert [each.act for each in shares] == ["share", "share", "open"]
    assert replace(shares[-1], login="", connection_id="") == ConversationShared(
        NOW, "default", "bob", "open", "s1", CONSOLE.user, COMMAND_ID
    )
    [documents] = [each for each in audited.shown if each.outcome == "shared"]
    assert (documents.user, documents.documents) == ("bob", (ShownDocument("scripts", PLAY.document_id, "v1"),))
    assert shared.share_id not in json.dumps([repr(each) for each in audited.records])


def test_what_the_reader_may_not_read_is_withheld_from_the_next_page_on(shared: Shared) -> None:
    shared.readers((f"user:{CONSOLE.user}",))
    withheld = shared.open()
    assert (withheld["turns"][0]["withheld"], SECRET in json.dumps(withheld)) == (True, False)
    shared.readers(("user:bob",))
    assert shared.open()["turns"][0]["answer"] == SECRET


def test_an_outage_is_not_a_conversation_that_is_not_shared(shared: Shared) -> None:
    shared.path.database.delete_table(TableName=access_list_table.TABLE)
    assert shared.open()["code"] == "misconfigured"


def leave(shared: Shared) -> None:
    """Nothing happens."""


def unshare(shared: Shared) -> None:
    ended = shared.control("unshareSession", **OF_S1)
    assert ended == {"requestId": COMMAND_ID, "type": "sessionShared", "sessionId": "s1", "shareId": None}


def delete(shared: Shared) -> None:
    assert shared.control("deleteSession", **OF_S1)["session"] is None


def erase(shared: Shared) -> None:
    assert shared.control("eraseMine", requestId=COMMAND_ID)["conversations"] == 1


def expire(shared: Shared) -> None:
    shared.path.clock.now += 7 * 24 * 3600 + 1
    shared.path.connect("bob", BOB, expires_at=shared.path.clock() + 600)


@pytest.mark.parametrize(
    ("happens", "connection_id", "change"),
    [
        *((each, "bob", str) for each in (unshare, delete, erase, expire)),
        (leave, "mallory", str),
        *((leave, "bob", each) for each in (str.lower, str.upper, lambda id_: id_[:-1], lambda id_: id_ + "\u200b")),
        *((leave, "bob", each) for each in (lambda _: "ä" * 128, lambda _: "s1", lambda _: f"default#{CONSOLE.user}")),
    ],
)
def test_whatever_opens_nothing_looks_like_an_id_that_nobody_has(
    shared: Shared, happens: Callable[[Shared], None], connection_id: str, change: Callable[[str], str]
) -> None:
    never = shared.open(share_id="kXr0jP9mQe7dLwB1uZs4A2")
    assert (never["code"], never["retryable"]) == ("share_not_found", False)
    happens(shared)
    assert shared.open(connection_id, change(shared.share_id)) == never
    left = json.dumps(shared.path.database.scan(TableName="requests")["Items"])
    assert happens is leave or happens is expire or shared.share_id not in left


@pytest.mark.parametrize("share_id", ["x" * 129, 7, ["a"], {"a": 1}])
def test_what_can_be_no_id_is_told_so(shared: Shared, share_id: object) -> None:
    assert shared.open(share_id=share_id)["code"] == "invalid_frame"


@pytest.mark.usefixtures("shared", "few_commands")
def test_whoever_tries_many_ids_is_told_when_to_go_on(shared: Shared) -> None:
    codes = [shared.open(share_id=f"{number:022}")["code"] for number in range(13)]
    assert codes == ["share_not_found"] * 12 + ["rate_limited"]


def test_each_question_lets_the_id_live_as_long_as_its_session(shared: Shared) -> None:
    shared.path.clock.now += 6 * 24 * 3600
    shared.path.connect("console", CONSOLE, expires_at=shared.path.clock() + 600)
    shared.path.send("ws_message", SEND | {"requestId": COMMAND_ID, "message": "And then?", "knowledgeBase": "scripts"})
    shared.path.clock.now += 2 * 24 * 3600
    shared.path.connect("bob", BOB, expires_at=shared.path.clock() + 600)
    assert [turn["message"] for turn in shared.open()["turns"]] == ["And then?"]
