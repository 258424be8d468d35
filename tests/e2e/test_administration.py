"""An administrator on the deployed stage adds a user, changes its groups, disables and enables it."""

from __future__ import annotations

import uuid
from typing import Any

from tests.chaos.target import Target
from tests.e2e.wire import Wire, connected


def told(wire: Wire, action: str, **fields: object) -> dict[str, Any]:
    wire.send(action=action, requestId=str(uuid.uuid4()), **fields)
    return wire.receive()


def test_an_administrator_adds_changes_disables_and_enables_a_user(stage: Target) -> None:
    name, group = f"user-{uuid.uuid4().hex[:8]}", f"group-{uuid.uuid4().hex[:8]}"
    with connected(stage.url, stage.token("alice")) as alice, connected(stage.url, stage.token("bob")) as bob:
        assert told(bob, "addUser", name=name)["code"] == "no_administrator"
        assert told(alice, "addUser", name=name, groups=[group])["code"] == "user_refused"
        made = told(alice, "addUser", name=name, groups=[group], createGroups=True)
        assert (made["user"]["state"], made["user"]["groups"]) == ("initial", [group])
        assert len(made["initialPassword"]) == 20
        assert told(alice, "addUser", name=name)["code"] == "user_exists"
        assert told(alice, "setGroups", name=name, groups=["administrators"])["user"]["groups"] == ["administrators"]
        assert told(alice, "setGroups", name=name, groups=[])["user"]["groups"] == []
        assert told(alice, "disableUser", name=name)["user"]["state"] == "disabled"
        assert told(alice, "enableUser", name=name)["user"]["state"] == "initial"
        assert told(alice, "disableUser", name="alice")["code"] == "user_refused"
        assert {"alice", "bob"} <= {each["name"] for each in told(alice, "listUsers")["users"]}
        assert told(alice, "readUse")["limit"] is None
