"""`changeSession` and `deleteSession` through their function, on the tables as they are deployed."""

from __future__ import annotations

import json

from cicada.conversation.model import RequestKey
from cicada.identity import Principal
from cicada.observability.audit import SessionDeleted
from tests.fakes.audit import RecordingTrail
from tests.functions.message_path import CONSOLE, ID, NOW, MessagePath

BOB = Principal("default", "bob")
SEND = {"action": "sendMessage", "requestId": ID, "sessionId": "s1", "message": "Who tells Macbeth?"}
COMMAND_ID = "7e57d004-2b97-4e7a-b45f-5387367791ff"
DELETE = {"action": "deleteSession", "requestId": COMMAND_ID, "sessionId": "s1"}
ERASE = {"action": "eraseMine", "requestId": COMMAND_ID}
CHANGE = {"action": "changeSession", "requestId": COMMAND_ID, "sessionId": "s1", "title": "The queen", "pinned": True}


def rows(path: MessagePath) -> str:
    return json.dumps(path.database.scan(TableName="requests")["Items"])


def test_a_conversation_is_named_and_pinned(path: MessagePath) -> None:
    path.send("ws_message", SEND)
    reply = path.send("ws_control", CHANGE)
    assert (reply["type"], reply["requestId"]) == ("session", COMMAND_ID)
    assert (reply["session"]["title"], reply["session"]["pinned"]) == ("The queen", True)
    assert path.send("ws_control", {"action": "history"})["sessions"] == [reply["session"]]


def test_a_deleted_conversation_leaves_no_row_but_what_others_have(path: MessagePath, audited: RecordingTrail) -> None:
    path.connect("bob", BOB)
    path.send("ws_message", SEND | {"message": "Bob's question"}, "bob")
    path.send("ws_message", SEND)
    assert path.send("ws_control", DELETE)["code"] == "session_busy"
    lease = path.log.take_lease(RequestKey(CONSOLE, ID), NOW, NOW - 1)
    assert lease
    reply = path.send("ws_control", DELETE)
    assert reply == {"requestId": COMMAND_ID, "type": "session", "session": None}
    left = rows(path)
    assert "Bob's question" in left
    assert "Who tells Macbeth" not in left
    assert f"{CONSOLE.owner}#" not in left
    repeated = path.send("ws_message", SEND)
    assert (repeated["code"], "Who tells Macbeth" in rows(path)) == ("session_not_found", False)
    deleted = SessionDeleted(NOW, CONSOLE.tenant, CONSOLE.user, "s1", 1, CONSOLE.login)
    assert [each for each in audited.records if isinstance(each, SessionDeleted)] == [deleted]
    assert path.send("ws_control", DELETE)["code"] == "session_not_found"


def test_everything_of_a_user_leaves_no_text_behind(path: MessagePath, audited: RecordingTrail) -> None:
    path.connect("bob", BOB)
    for who in (CONSOLE, BOB):
        entry = {"pk": {"S": who.owner}, "sk": {"S": "PROFILES#scripts#NOW#banquo"}, "text": {"S": f"of {who.user}"}}
        path.database.put_item(TableName="entries", Item=entry)
    path.send("ws_message", SEND | {"message": "Bob's question"}, "bob")
    path.send("ws_message", SEND)
    assert path.send("ws_control", ERASE)["code"] == "session_busy"
    assert path.log.take_lease(RequestKey(CONSOLE, ID), NOW, NOW - 1)
    reply = path.send("ws_control", ERASE)
    assert reply == {
        "requestId": COMMAND_ID,
        "type": "erased",
        "conversations": 1,
        "questions": 1,
        "entries": 1,
        "left": False,
    }
    assert "Who tells Macbeth" not in rows(path)
    assert "Bob's question" in rows(path)
    assert [each["text"]["S"] for each in path.database.scan(TableName="entries")["Items"]] == ["of bob"]
    [deleted] = [each for each in audited.records if isinstance(each, SessionDeleted)]
    assert deleted == SessionDeleted(NOW, CONSOLE.tenant, CONSOLE.user, "", 1, CONSOLE.login, 1, 1)
