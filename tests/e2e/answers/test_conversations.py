"""A conversation is rated, named and deleted, on the deployed stage."""

from __future__ import annotations

import uuid

from tests.chaos.target import Target
from tests.e2e.answers.test_question import QUESTION
from tests.e2e.wire import Events, Frame, Wire, ask, connected, receive_all


def replied(wire: Wire, action: str, **fields: object) -> Frame:
    wire.send(action=action, **fields)
    return wire.receive()


def test_what_is_deleted_was_rated_and_named_and_is_gone(stage: Target) -> None:
    session, command = str(uuid.uuid4()), str(uuid.uuid4())
    with connected(stage.url, stage.token("alice")) as wire:
        asked = ask(wire, QUESTION, sessionId=session)
        receive_all(wire, Events())
        assert replied(wire, "feedback", requestId=asked, rating="good")["rating"] == "good"
        named = replied(wire, "changeSession", requestId=command, sessionId=session, title="The queen", pinned=True)
        assert (named["session"]["title"], named["session"]["pinned"]) == ("The queen", True)
        [turn] = replied(wire, "history", sessionId=session)["turns"]
        assert (turn["requestId"], turn["rating"]) == (asked, "good")
        assert replied(wire, "deleteSession", requestId=command, sessionId=session)["session"] is None
        assert session not in [each["sessionId"] for each in replied(wire, "history")["sessions"]]
        gone = replied(wire, "changeSession", requestId=command, sessionId=session, title="The king")
        assert gone["code"] == "session_not_found"


def test_a_shared_conversation_is_read_by_another_user_until_it_is_not_shared_any_more(stage: Target) -> None:
    session, command = str(uuid.uuid4()), str(uuid.uuid4())
    with connected(stage.url, stage.token("alice")) as alice, connected(stage.url, stage.token("bob")) as bob:
        asked = ask(alice, QUESTION, sessionId=session)
        whole = receive_all(alice, Events())
        shared = replied(alice, "shareSession", requestId=command, sessionId=session)["shareId"]
        page = replied(bob, "openShared", requestId=command, shareId=shared)
        [turn] = page["turns"]
        assert (page["owner"], turn["requestId"], turn["message"]) == ("alice", asked, QUESTION)
        assert (turn["answer"], turn["withheld"]) == (whole.text, False)
        assert all(each["excerpt"] and each["relevance"] is None for each in turn["sources"]) and turn["sources"]
        assert replied(alice, "unshareSession", requestId=command, sessionId=session)["shareId"] is None
        assert replied(bob, "openShared", requestId=command, shareId=shared)["code"] == "share_not_found"
