"""A user who signs out everywhere: nothing that was open or issued before goes on."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from cicada.adapters.dynamodb.connection_table import DynamoConnectionTable
from cicada.adapters.dynamodb.usage_table import DynamoUsageTable
from local.stage.aws import aws_client
from tests.chaos.target import Target, principal
from tests.e2e.wire import Frame, Wire, ask, connected

LEAVER = {"name": "lena", "password": "Lena-who-leaves-4"}
# One for each function that takes commands of those who are signed in.
COMMANDS: Mapping[str, dict[str, object]] = {
    "ws_message": {"action": "sendMessage", "message": "Who is Banquo?"},
    "ws_resume": {"action": "resume", "afterSeq": 0},
    "ws_control": {"action": "ping"},
    "ws_open": {"action": "openDocument", "knowledgeBase": "scripts", "documentId": "macbeth.json"},
}
LONG = "Tell me at length who tells Macbeth that the queen is dead."


@pytest.fixture
def leaver(stage: Target) -> Iterator[str]:
    directory, pool = aws_client(stage.config, "cognito-idp"), stage.info["userPoolId"]
    name, password = LEAVER["name"], LEAVER["password"]
    directory.admin_create_user(UserPoolId=pool, Username=name, MessageAction="SUPPRESS")
    directory.admin_set_user_password(UserPoolId=pool, Username=name, Password=password, Permanent=True)
    stage.info["users"].append(LEAVER)
    yield name
    stage.info["users"].remove(LEAVER)
    directory.admin_delete_user(UserPoolId=pool, Username=name)


def until_closed(wire: Wire) -> list[Frame]:
    frames = []
    try:
        while True:
            frames.append(wire.receive())
    except ConnectionClosed:
        return frames


def command(function: str) -> dict[str, object]:
    fields = COMMANDS[function]
    return fields if fields["action"] == "ping" else {"requestId": str(uuid.uuid4()), **fields}


def test_signing_out_everywhere_closes_all_connections_and_ends_the_token(stage: Target, leaver: str) -> None:
    token = stage.token(leaver)
    with connected(stage.url, token) as one, connected(stage.url, token) as other:
        ask(other, LONG)
        # Under way: its events may come before the reply.
        assert other.receive()["type"] in ("accepted", "status")
        one.send(action="signOutEverywhere")
        for wire in (one, other):
            assert until_closed(wire)[-1]["code"] == "signed_out"
    with pytest.raises(InvalidStatus) as refused, connected(stage.url, token):
        pass
    assert refused.value.response.status_code in (401, 403)


def test_whoever_signs_in_again_goes_on(stage: Target, leaver: str) -> None:
    with connected(stage.url, stage.token(leaver)) as wire:
        wire.send(action="signOutEverywhere")
        until_closed(wire)
    # Tokens of the second of signing out, and of the next, are refused.
    time.sleep(3)
    with connected(stage.url, stage.token(leaver)) as wire:
        wire.send(action="ping")
        assert wire.receive()["type"] == "pong"


@pytest.mark.parametrize("function", COMMANDS)
def test_a_connection_that_signing_out_has_missed_is_closed_by_its_next_frame(
    stage: Target, leaver: str, function: str
) -> None:
    token, hour = stage.token(leaver), 3600
    users = DynamoUsageTable(aws_client(stage.config, "dynamodb"), stage.info["outputs"]["RequestsTable"])
    with connected(stage.url, token) as wire:
        users.revoke(principal(token), time.time() + hour, time.time() + hour)
        wire.send(**command(function))
        assert until_closed(wire)[-1]["code"] == "signed_out"


@pytest.mark.parametrize("function", COMMANDS)
def test_a_connection_that_the_service_has_forgotten_is_closed_by_its_next_frame(
    stage: Target, leaver: str, function: str
) -> None:
    token = stage.token(leaver)
    table = DynamoConnectionTable(aws_client(stage.config, "dynamodb"), stage.info["outputs"]["ConnectionsTable"])
    with connected(stage.url, token) as wire:
        [connection] = table.of(principal(token))
        table.remove(connection.connection_id)
        wire.send(**command(function))
        assert until_closed(wire)[-1]["code"] == "unauthorized"
