"""The authorizer of `$connect`, with a user pool's keys on a local server."""

from __future__ import annotations

import io
import json
import time
from typing import Any

import pytest
from msgspec.json import encode

from cicada.errors import UnavailableError
from functions.authorizer.handler import handler
from tests.fakes.audit import RecordingTrail
from tests.fakes.user_pool import UserPool, access_token
from tests.functions.message_path import console_event

ARN = "arn:aws:execute-api:us-east-1:123456789012:a1b2c3d4e5/v1/$connect"
SUBJECT = "5f2b8c1e-0000-4000-8000-0000000000aa"


def handshake(headers: dict[str, str] | None = None, query: dict[str, str] | None = None) -> dict[str, Any]:
    return console_event("authorizer") | {"headers": headers, "queryStringParameters": query}


def effect(policy: dict[str, Any]) -> str:
    [statement] = policy["policyDocument"]["Statement"]
    assert statement["Action"] == "execute-api:Invoke"
    assert statement["Resource"] == ARN
    return str(statement["Effect"])


def test_the_consoles_event_is_denied(pool: UserPool, logged: io.StringIO) -> None:
    policy = handler(console_event("authorizer"), None)
    assert policy == {
        "principalId": "anonymous",
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [{"Action": "execute-api:Invoke", "Effect": "Deny", "Resource": ARN}],
        },
        "context": {},
    }
    assert "not-an-access-token" not in logged.getvalue()
    assert pool.fetches == 0


@pytest.mark.parametrize("way", ["subprotocol", "query"])
def test_a_good_token_is_allowed_and_says_who_it_is(pool: UserPool, way: str, logged: io.StringIO) -> None:
    issued = int(time.time())
    expires = issued + 600
    token = access_token(iat=issued, exp=expires, **{"cognito:groups": ["tenant:acme", "legal"]})  # type: ignore[arg-type]
    event = (
        handshake({"sec-websocket-protocol": f"cicada.v1, {token}"})
        if way == "subprotocol"
        else handshake({"Host": "x"}, {"token": token})
    )
    policy = handler(event, None)
    assert effect(policy) == "Allow"
    assert policy["principalId"] == SUBJECT
    assert policy["context"] == {
        "tenant": "acme",
        "user": SUBJECT,
        "groups": '["legal", "tenant:acme"]',
        "login": "ann",
        "tokenIssuedAt": str(issued),
        "tokenExpiresAt": str(expires),
    }
    assert token not in json.dumps(policy)
    assert token not in logged.getvalue()


def test_a_refusal_is_recorded_without_the_token(pool: UserPool, audited: RecordingTrail, logged: io.StringIO) -> None:
    token = access_token(exp=1_600_000_000)
    event = handshake({"User-Agent": "curl/8.11 " + "x" * 500, "Sec-WebSocket-Protocol": f"cicada.v1, {token}"})
    assert effect(handler(event | {"queryStringParameters": {"token": token}}, None)) == "Deny"
    [refused] = audited.handshakes
    address = event["requestContext"]["identity"]["sourceIp"]
    assert (refused.address, refused.user_agent[:8], len(refused.user_agent)) == (address, "curl/8.1", 200)
    assert (refused.tenant, refused.user, refused.login) == ("", "", "")
    assert refused.refused == "The access token is not valid."
    assert token not in encode(refused).decode()
    assert "Refused a connection" in logged.getvalue()
    assert token not in logged.getvalue()
    assert "was not written" not in logged.getvalue()


def test_unchecked_token_is_recorded(pool: UserPool, audited: RecordingTrail, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CICADA_TOKEN_KEYS_URL", "http://127.0.0.1:9/keys")
    with pytest.raises(UnavailableError) as failure:
        handler(handshake({}, {"token": access_token()}), None)
    assert [(each.user, each.refused) for each in audited.handshakes] == [("", str(failure.value))]


def test_who_is_let_in_is_recorded_by_connect(pool: UserPool, audited: RecordingTrail) -> None:
    groups = {"cognito:groups": ["tenant:acme"]}
    assert effect(handler(handshake({}, {"token": access_token(**groups)}), None)) == "Allow"  # type: ignore[arg-type]
    assert audited.records == []


def test_unrecorded_refusal_rings_an_alarm(
    pool: UserPool, audited: RecordingTrail, logged: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    audited.failure = UnavailableError("The audit log did not do the call.")
    assert effect(handler(handshake({}, {"token": "x"}), None)) == "Deny"
    [lost] = [line for line in map(json.loads, logged.getvalue().splitlines()) if "audit" in line["message"]]
    assert (lost["message"], lost["level"]) == ("An audit record was not written", "ERROR")
    assert lost["record"]["kind"] == "connection"
    assert json.loads(capsys.readouterr().out)["LostAuditRecords"] == 1


@pytest.mark.parametrize("event", [handshake(), handshake({}, {}), handshake({"Sec-WebSocket-Protocol": "cicada.v1"})])
def test_no_token_is_denied(pool: UserPool, event: dict[str, Any]) -> None:
    assert effect(handler(event, None)) == "Deny"


@pytest.mark.parametrize("groups", [[], ["legal"], ["tenant:acme", "tenant:beta"], ["tenant:"]])
def test_a_token_without_one_tenant_is_denied_like_any(pool: UserPool, logged: io.StringIO, groups: list[str]) -> None:
    token = access_token(**{"cognito:groups": groups})  # type: ignore[arg-type]
    assert handler(handshake({}, {"token": token}), None) == handler(handshake({}, {"token": "x"}), None)
    assert "tenant" in logged.getvalue()


def test_keys_out_of_reach_are_no_refusal(pool: UserPool) -> None:
    pool.status = 503
    with pytest.raises(UnavailableError):
        handler(handshake({}, {"token": access_token()}), None)
