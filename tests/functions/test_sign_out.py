"""Signing out everywhere, from the command to the functions that refuse what is older."""

from __future__ import annotations

from typing import Any

import pytest

from cicada.bootstrap import revocation
from cicada.errors import UnavailableError
from cicada.identity import Principal
from tests.functions.message_path import CONSOLE, ID, NOW, MessagePath, console_event

BOB = Principal("default", "bob")
SIGN_OUT = {"action": "signOutEverywhere"}
SEND = {"action": "sendMessage", "requestId": ID, "message": "Who tells Macbeth that the queen is dead?"}
COMMANDS = [
    ("ws_message", SEND),
    ("ws_resume", {"action": "resume", "requestId": ID, "afterSeq": 0}),
    ("ws_control", {"action": "cancel", "requestId": ID}),
    ("ws_control", {"action": "history"}),
    ("ws_control", {"action": "ping"}),
    ("ws_sign_out", SIGN_OUT),
]


class Pool:
    """The user pool, which ends sign-ins at the tests' time, or fails."""

    def __init__(self) -> None:
        self.ended: list[Principal] = []
        self.fails = False

    def end(self, principal: Principal) -> float:
        if self.fails:
            raise UnavailableError("The user pool could not be reached.")
        self.ended.append(principal)
        return NOW


@pytest.fixture
def pool(path: MessagePath, monkeypatch: pytest.MonkeyPatch) -> Pool:
    made = Pool()
    monkeypatch.setenv("CICADA_USER_POOL_ID", "us-east-1_Example")
    monkeypatch.setattr(revocation, "CognitoSignIns", lambda client, pool_id: made)
    monkeypatch.setattr(revocation, "ApiGatewayChannel", lambda client: path.channel)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    return made


def test_every_connection_of_the_user_is_told_and_closed(path: MessagePath, pool: Pool) -> None:
    path.connect("second")
    path.connect("bob", BOB)
    assert path.send("ws_sign_out", SIGN_OUT) == {}
    assert pool.ended == [CONSOLE]
    assert path.channel.closed == {"console", "second"}
    assert [path.posted(each)[-1]["code"] for each in ("console", "second")] == ["signed_out", "signed_out"]
    assert path.posted("bob") == []


@pytest.mark.parametrize(("function", "fields"), COMMANDS)
def test_a_revoked_token_stops_every_command(
    path: MessagePath, pool: Pool, function: str, fields: dict[str, Any]
) -> None:
    path.connect("late")
    path.users.revoke(CONSOLE, NOW + 2, NOW + 3600)
    reply = path.send(function, fields, "late")
    assert (reply["code"], reply["retryable"]) == ("signed_out", False)
    assert not path.knows()
    assert pool.ended == []


def test_a_handshake_with_a_revoked_token_is_refused_and_leaves_no_connection(path: MessagePath, pool: Pool) -> None:
    path.send("ws_sign_out", SIGN_OUT)
    event = console_event("ws_connect")
    event["requestContext"]["connectionId"] = "again"
    event["requestContext"]["authorizer"] |= {"tokenIssuedAt": str(int(NOW) + 1)}
    assert path.invoke("ws_connect", event) == {"statusCode": 401}
    reply = path.send("ws_control", {"action": "ping"}, "again")
    assert reply["code"] == "unauthorized"


def test_a_pool_that_does_not_end_the_sign_ins_is_said_and_nothing_is_closed(path: MessagePath, pool: Pool) -> None:
    pool.fails = True
    reply = path.send("ws_sign_out", SIGN_OUT)
    assert (reply["code"], reply["retryable"]) == ("dependency_unavailable", True)
    assert path.channel.closed == set()
