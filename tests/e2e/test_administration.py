"""An administrator on the deployed stage changes accounts, and reads what users rated and what failed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from local.stage.aws import aws_client
from tests.chaos.target import Target
from tests.e2e.test_signing_out import until_closed
from tests.e2e.wire import FINAL, Wire, connected

NEW = {"name": "nora", "password": "Nora-who-is-new-5"}


def told(wire: Wire, action: str, **fields: object) -> dict[str, Any]:
    wire.send(action=action, requestId=str(uuid.uuid4()), **fields)
    return wire.receive()


@pytest.fixture
def chosen(stage: Target) -> Iterator[dict[str, str]]:
    """The user's own password, known to who signs in here, but not set yet."""
    stage.info["users"].append(NEW)
    yield {"Username": NEW["name"], "UserPoolId": stage.info["userPoolId"]}
    stage.info["users"].remove(NEW)


def test_an_administrator_adds_changes_disables_and_enables_a_user(stage: Target, chosen: dict[str, str]) -> None:
    name, group = NEW["name"], f"group-{uuid.uuid4().hex[:8]}"
    with connected(stage.url, stage.token("alice")) as alice, connected(stage.url, stage.token("bob")) as bob:
        assert told(bob, "addUser", name=name)["code"] == "no_administrator"
        assert told(alice, "addUser", name=name, groups=[group])["code"] == "user_refused"
        made = told(alice, "addUser", name=name, groups=[group], createGroups=True)
        assert (made["user"]["state"], made["user"]["groups"]) == ("initial", [group])
        assert told(alice, "addUser", name=name)["code"] == "user_exists"
        assert told(alice, "setGroups", name=name, groups=["administrators"])["user"]["groups"] == ["administrators"]
        assert told(alice, "setGroups", name=name, groups=[])["user"]["groups"] == []

        directory = aws_client(stage.config, "cognito-idp")
        directory.admin_set_user_password(**chosen, Password=NEW["password"], Permanent=True)
        with connected(stage.url, stage.token(name)) as nora:
            gone = told(alice, "disableUser", name=name)
            assert (gone["user"]["state"], gone["closed"]) == ("disabled", 1)
            assert until_closed(nora)[-1]["code"] == "signed_out"
        assert told(alice, "enableUser", name=name)["user"]["state"] == "active"
        assert told(alice, "disableUser", name="alice")["code"] == "user_refused"
        assert {"alice", "bob", name} <= {each["name"] for each in told(alice, "listUsers")["users"]}
        assert told(alice, "readUse")["limit"] is None
    directory.admin_delete_user(**chosen)


def asked(wire: Wire, knowledge_base: str) -> str:
    """The id of a question that was answered, or ended in an error."""
    request_id = str(uuid.uuid4())
    wire.send(action="sendMessage", requestId=request_id, message="Who is the porter?", knowledgeBase=knowledge_base)
    while wire.receive()["type"] not in FINAL:
        pass
    return request_id


def test_an_administrator_reads_what_was_rated_and_what_failed(stage: Target) -> None:
    with connected(stage.url, stage.token("alice")) as alice, connected(stage.url, stage.token("bob")) as bob:
        answered, failed = asked(bob, "scripts"), asked(bob, "no-such-base")
        bob.send(action="feedback", requestId=answered, rating="bad", reasons=["wrong"], comment="No porter.")
        # An event of the answers may come a second time, as clients expect.
        kept = next(frame for frame in iter(bob.receive, None) if frame["type"] == "feedback")
        assert kept["rating"] == "bad"
        rated = {each["requestId"]: each for each in told(alice, "readFeedback")["latest"]}
        assert (rated[answered]["knowledgeBase"], rated[answered]["comment"]) == ("scripts", "No porter.")
        failures = {each["requestId"]: each for each in told(alice, "readFailures")["latest"]}
        assert failures[failed]["code"] == "unknown_knowledge_base"
        assert answered not in failures
        for action in ("readFeedback", "readFailures"):
            assert told(bob, action)["code"] == "no_administrator"
