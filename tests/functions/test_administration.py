"""What administrators send, through the function, with the accounts of a pool on moto."""

from __future__ import annotations

from typing import Any

import boto3
import pytest

from cicada.identity import Principal
from tests.fakes.audit import RecordingTrail
from tests.functions.message_path import ID, MessagePath, console_event

ADMIN = Principal("acme", "admin", frozenset({"admins", "tenant:acme"}))


@pytest.fixture
def pool(path: MessagePath, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, str]:
    """A pool, and a connected administrator of acme."""
    client: Any = boto3.client("cognito-idp", region_name="us-east-1")
    pool_id = client.create_user_pool(PoolName="users")["UserPool"]["Id"]
    settings = {"USER_POOL_ID": pool_id, "ADMINISTRATORS": "admins", "DEFAULT_TENANT": "default"}
    for name, value in settings.items():
        monkeypatch.setenv(f"CICADA_{name}", value)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    path.connect("admin", ADMIN)
    return client, pool_id


def told(path: MessagePath, action: str, connection_id: str = "admin", **fields: object) -> dict[str, Any]:
    return path.send("ws_admin", {"action": action, "requestId": ID, **fields}, connection_id)


def test_a_user_is_added_changed_disabled_and_listed(
    path: MessagePath, pool: tuple[Any, str], audited: RecordingTrail
) -> None:
    made = told(path, "addUser", name="ben", groups=["hr"], createGroups=True)
    assert (made["type"], made["user"]["state"], len(made["initialPassword"])) == ("user", "initial", 20)
    assert told(path, "setGroups", name="ben", groups=[])["user"]["groups"] == []
    assert told(path, "disableUser", name="ben")["user"]["state"] == "disabled"
    [ben] = told(path, "listUsers")["users"]
    assert ben == {"name": "ben", "state": "disabled", "groups": []}
    acts = [(each.act, each.account) for each in audited.administered]
    assert acts == [("add", "ben"), ("groups", "ben"), ("disable", "ben"), ("list", "")]


def test_another_tenants_user_is_none(path: MessagePath, pool: tuple[Any, str]) -> None:
    path.connect("other", Principal("beta", "x", frozenset({"admins", "tenant:beta"})))
    told(path, "addUser", name="ben")
    unknown = told(path, "disableUser", "other", name="nobody")
    assert told(path, "disableUser", "other", name="ben") == unknown
    assert unknown["code"] == "user_not_found"
    assert told(path, "enableUser", name="ben")["type"] == "user"


def test_whoever_is_no_administrator_is_refused(path: MessagePath, pool: tuple[Any, str]) -> None:
    reply = path.invoke("ws_admin", console_event("ws_admin"))
    assert '"code":"no_administrator"' in reply["body"]
    assert told(path, "ping")["code"] == "invalid_frame"


@pytest.mark.usefixtures("pool", "few_commands")
def test_commands_of_administrators_are_charged(path: MessagePath) -> None:
    """A command of five units, and fifteen for what it causes."""
    assert [told(path, "readUse").get("code") for _ in range(4)] == [None, None, None, "rate_limited"]
