"""A conversation is rated, named and deleted, on the deployed stage."""

from __future__ import annotations

import uuid

from tests.chaos.target import Target
from tests.e2e.test_question import QUESTION
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
