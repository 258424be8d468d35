"""A user's limits, through the deployed function."""

from __future__ import annotations

import uuid

from cicada.identity import Principal
from tests.functions.message_path import MessagePath, Reply


def send(path: MessagePath, request_id: str, connection_id: str = "console") -> Reply:
    fields = {"action": "sendMessage", "requestId": request_id, "message": "Who?"}
    return path.send("ws_message", fields, connection_id)


def test_a_user_beyond_the_limit_is_refused_with_the_seconds_to_wait_and_others_are_not(path: MessagePath) -> None:
    sent = [str(uuid.uuid4()) for _ in range(10)]
    assert {send(path, each)["type"] for each in sent} == {"accepted"}
    refused_id = str(uuid.uuid4())
    refused = send(path, refused_id)
    assert "10 questions under way" in refused["error"]
    assert (refused["requestId"], refused["code"], refused["retryAfterSeconds"]) == (refused_id, "rate_limited", 5)
    assert not path.knows(refused_id)
    assert {body["requestId"] for body in path.queues.bodies(path.queues.requests_url)} == set(sent)
    assert send(path, sent[0])["type"] == "pending"
    path.connect("other", Principal("default", "other-user"))
    assert send(path, str(uuid.uuid4()), "other")["type"] == "accepted"
