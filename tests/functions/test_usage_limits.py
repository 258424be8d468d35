"""A user's limits, through the deployed function."""

from __future__ import annotations

import uuid

from cicada.identity import Principal
from tests.functions.message_path import MessagePath


def send(path: MessagePath, request_id: str, connection_id: str = "console") -> dict[str, object] | None:
    fields = {"action": "sendMessage", "requestId": request_id, "message": "Who?"}
    return path.send("ws_message", fields, connection_id)


def test_a_user_beyond_the_limit_is_refused_with_the_seconds_to_wait_and_others_are_not(path: MessagePath) -> None:
    sent = [str(uuid.uuid4()) for _ in range(10)]
    for request_id in sent:
        accepted = send(path, request_id)
        assert accepted is not None
        assert accepted["type"] == "accepted"
    refused_id = str(uuid.uuid4())
    refused = send(path, refused_id)
    assert refused == {
        "requestId": refused_id,
        "type": "error",
        "error": "You can have 10 questions under way at once; wait for an answer and send this one again.",
        "code": "rate_limited",
        "retryable": True,
        "retryAfterSeconds": 5,
    }
    assert path.head(refused_id) is None
    assert {body["requestId"] for body in path.queues.bodies(path.queues.requests_url)} == set(sent)
    repeated = send(path, sent[0])
    assert repeated is not None
    assert repeated["type"] == "pending"
    path.connect("other", Principal("default", "other-user"))
    accepted = send(path, str(uuid.uuid4()), "other")
    assert accepted is not None
    assert accepted["type"] == "accepted"
