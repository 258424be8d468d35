"""`cicada erase`, run as an operator runs it, on a user pool and tables in moto."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest

from cicada.adapters.dynamodb.connection_table import DynamoConnectionTable
from cicada.adapters.dynamodb.entry_store import DynamoEntryStore
from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.dynamodb.share_table import DynamoShareTable
from cicada.adapters.dynamodb.usage_table import DynamoUsageTable
from cicada.agents.model import AgentKind, Change, Entry, EntryScope
from cicada.conversation import revocation
from cicada.conversation.model import Charge, Connection, NewRequest, Question, RequestKey, Status, StoredEvent
from cicada.identity import Principal
from cli import deployment_target
from cli.operator.sign_outs import SignOuts
from cli.operator.user_erasure import DynamoErasure
from tests.cli.conftest import Shell, Typing
from tests.cli.pool import REGION, STACK, DeployedPool, deployed_pool
from tests.contract.declared import create_table

MARKER = "zugzwang"
NOW, LATER = 1_800_000_000.0, 4_000_000_000.0
REVOCATION = {"pk", "sk", "revokedBefore", "expiresAt"}
TABLES = ("requests", "entries", "connections")


class Stage:
    """Ann and Bob of acme, and what the tables hold of them."""

    def __init__(self, pool: DeployedPool, client: Any) -> None:
        self.pool, self.client = pool, client
        self.log = DynamoRequestLog(client, "requests", lambda: NOW)
        self.connections = DynamoConnectionTable(client, "connections")
        self.entries = DynamoEntryStore(client, "entries")
        self.ann, self.bob = self._account("ann"), self._account("bob")

    def _account(self, name: str) -> Principal:
        group = {"UserPoolId": self.pool.pool_id, "GroupName": "tenant:acme"}
        if "tenant:acme" not in self.pool.groups():
            self.pool.cognito.create_group(**group)
        made = self.pool.cognito.admin_create_user(
            UserPoolId=self.pool.pool_id, Username=name, MessageAction="SUPPRESS"
        )
        self.pool.cognito.admin_add_user_to_group(**group, Username=name)
        [sub] = [each["Value"] for each in made["User"]["Attributes"] if each["Name"] == "sub"]
        return Principal("acme", sub, login=name)

    def disable(self, name: str) -> None:
        self.pool.cognito.admin_disable_user(UserPoolId=self.pool.pool_id, Username=name)

    def live(self, user: Principal, connection_id: str) -> None:
        """A connection, an answered and a queued question in two sessions, one of them shared, entries and usage."""
        self.connections.add(Connection(connection_id, user, LATER, NOW), LATER)
        for number, session in ((1, "s1"), (2, "s2")):
            key = RequestKey(user, f"7e57d004-2b97-4e7a-b45f-53873677910{number}")
            self.log.create(NewRequest(key, Question(MARKER, session, "scripts"), connection_id, NOW, LATER), "{}")
        lease = self.log.take_lease(RequestKey(user, "7e57d004-2b97-4e7a-b45f-538736779101"), NOW, NOW + 15)
        assert lease is not None
        self.log.store(lease, StoredEvent(2, json.dumps({"type": "chunk", "content": MARKER})))
        self.log.advance(lease, 2, NOW + 15, Status.COMPLETE)
        assert DynamoShareTable(self.client, "requests", lambda: NOW).share(user, "s1", f"share-{user.login}")
        for agent in AgentKind:
            scope = EntryScope(user, "scripts", agent)
            first = Entry(f"{agent}-1", "theory", MARKER, MARKER, 1, NOW, 0)
            self.entries.write(scope, Change(None, first, NOW))
        self.charge(user)

    def charge(self, user: Principal) -> None:
        assert DynamoUsageTable(self.client, "requests").charge(user, Charge(1, NOW, NOW + 60), LATER).paid

    def rows(self) -> list[dict[str, Any]]:
        return [item for table in TABLES for item in self.client.scan(TableName=table)["Items"]]

    def of(self, user: Principal) -> int:
        """The user's rows, but for the moment of a revocation, which stays until it expires."""
        return sum(user.user in json.dumps(row) for row in self.rows() if set(row) - REVOCATION)


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with deployed_pool() as pool:
        client: Any = boto3.client("dynamodb", region_name=REGION)
        # The pool's deployment has the others.
        create_table(client, "entries")
        outputs = pool.outputs("wss://example.test/v1") | {f"{each.capitalize()}Table": each for each in TABLES}
        monkeypatch.setenv("AWS_REGION", REGION)
        monkeypatch.setenv("CICADA_STACK", STACK)
        monkeypatch.setattr(deployment_target, "stack_outputs", lambda stack: outputs)
        monkeypatch.setattr(revocation, "_SECOND_LOOK_SECONDS", 0)
        made = Stage(pool, client)
        made.live(made.ann, "c1")
        made.live(made.bob, "c2")
        yield made


@pytest.fixture
def erase(shell: Shell) -> Callable[..., tuple[int, str]]:
    def called(*arguments: str) -> tuple[int, str]:
        code = shell("erase", *arguments, "--yes")
        said = shell.read()
        return code, said.out + said.err

    return called


Erase = Callable[..., tuple[int, str]]


def test_nothing_of_the_user_is_left_and_everything_of_the_others(stage: Stage, erase: Erase) -> None:
    bobs = stage.of(stage.bob)
    assert stage.of(stage.ann) == bobs > 8
    stage.disable("ann")
    assert erase("ann", "--tenant", "acme") == (
        0,
        "Deleted of ann in acme: 1 connections, 2 requests, 3 events, 2 sessions, 1 shares, 1 usage, 1 profiles,"
        " 1 theories.\n",
    )
    assert (stage.of(stage.ann), stage.of(stage.bob)) == (0, bobs)
    assert MARKER not in json.dumps([row for row in stage.rows() if stage.bob.user not in json.dumps(row)])
    assert stage.pool.users() == {"ann", "bob"}
    # Cognito's console can disable an account alone; its access token is good for ten minutes more.
    assert DynamoUsageTable(stage.client, "requests").get(stage.ann).revoked_before > 0


def test_a_request_whose_session_is_gone_is_found_too(stage: Stage, erase: Erase) -> None:
    """Time to live deletes rows in any order."""
    for session in ("s1", "s2"):
        stage.client.delete_item(
            TableName="requests", Key={"pk": {"S": stage.ann.owner}, "sk": {"S": f"SESSION#{session}"}}
        )
    stage.disable("ann")
    erase("ann", "--tenant", "acme")
    assert stage.of(stage.ann) == 0


def test_the_account_goes_with_it_if_asked_and_a_second_run_says_so(stage: Stage, erase: Erase) -> None:
    code, said = erase("ann", "--tenant", "acme", "--account", "--json")
    assert (code, json.loads(said)["deleted"]["requests"]) == (0, 2)
    assert stage.pool.users() == {"bob"}
    assert DynamoUsageTable(stage.client, "requests").get(stage.ann).revoked_before > 0
    code, said = erase(stage.ann.user, "--tenant", "acme")
    assert code == 2
    assert "there is no account" in said


def test_a_name_that_nobody_has_is_no_erased_person(stage: Stage, erase: Erase) -> None:
    before = stage.rows()
    code, said = erase("anne", "--tenant", "acme", "--account")
    assert (code, stage.rows()) == (2, before)
    assert said.startswith("cicada: Nothing was done: there is no account anne, and nothing is kept in acme of a")
    assert said.endswith("; did you mean “ann”?\n")


@pytest.mark.parametrize(
    ("typing", "sentence"),
    [
        (io.StringIO("yes\n"), "give --yes to delete without being asked"),
        (Typing("\n"), "Nothing was done."),
        (Typing("y\n"), ""),
    ],
    ids=["a pipe", "no", "yes"],
)
def test_a_person_is_asked_first(
    stage: Stage, shell: Shell, monkeypatch: pytest.MonkeyPatch, typing: io.StringIO, sentence: str
) -> None:
    before = stage.rows()
    monkeypatch.setattr("sys.stdin", typing)
    code = shell("erase", "ann", "--tenant", "acme", "--account")
    assert sentence in shell.err()
    if sentence:
        assert code > 0
        assert (stage.rows(), stage.pool.users()) == (before, {"ann", "bob"})
        assert stage.pool.cognito.admin_get_user(UserPoolId=stage.pool.pool_id, Username="ann")["Enabled"]
    else:
        assert (code, stage.of(stage.ann), stage.pool.users()) == (0, 0, {"bob"})


def test_a_user_who_can_sign_in_is_refused_with_what_to_do(stage: Stage, erase: Erase) -> None:
    before = stage.rows()
    code, said = erase("ann", "--tenant", "acme")
    assert (code, f"cicada user disable ann --stack {STACK}" in said) == (2, True)
    assert stage.rows() == before


def test_the_user_of_another_tenant_is_refused(stage: Stage, erase: Erase) -> None:
    stage.disable("ann")
    code, said = erase("ann", "--tenant", "other", "--account")
    assert (code, said) == (2, "cicada: Nothing was done: ann is a user of acme, not of other.\n")
    assert stage.of(stage.ann) == stage.of(stage.bob)


def test_an_answer_under_way_refuses_it(stage: Stage, erase: Erase, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its processor would write events of a request that is gone."""
    key = RequestKey(stage.ann, "7e57d004-2b97-4e7a-b45f-538736779102")
    assert stage.log.take_lease(key, NOW, NOW + 15) is not None
    stage.disable("ann")
    monkeypatch.setattr("time.time", lambda: NOW + 1)
    code, said = erase("ann", "--tenant", "acme")
    assert (code, "1 answers to the user are under way" in said) == (1, True)
    assert stage.connections.get("c1") is None
    monkeypatch.setattr("time.time", lambda: NOW + 16)
    assert erase("ann", "--tenant", "acme")[0] == 0
    assert stage.of(stage.ann) == 0


@pytest.mark.parametrize("step", [(SignOuts, "end"), (DynamoErasure, "erase_entries")], ids=lambda step: step[1])
def test_an_interrupted_run_is_repeated(
    stage: Stage, erase: Erase, monkeypatch: pytest.MonkeyPatch, step: tuple[type, str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(*step, interrupted)
        assert erase("ann", "--tenant", "acme", "--account")[0] == 130
    assert stage.of(stage.ann) > 0
    assert erase("ann", "--tenant", "acme", "--account")[0] == 0
    assert stage.of(stage.ann) == 0
    assert DynamoUsageTable(stage.client, "requests").get(stage.ann).revoked_before > 0


def test_a_token_from_before_a_revocation_is_still_refused(stage: Stage, erase: Erase) -> None:
    key = {"pk": {"S": stage.ann.owner}, "sk": {"S": "USAGE"}}
    stage.client.update_item(
        TableName="requests",
        Key=key,
        UpdateExpression="SET revokedBefore = :now",
        ExpressionAttributeValues={":now": {"N": str(NOW)}},
    )
    stage.disable("ann")
    assert "1 usage" in erase("ann", "--tenant", "acme")[1]
    left = stage.client.get_item(TableName="requests", Key=key)["Item"]
    assert set(left) == REVOCATION
    assert stage.of(stage.ann) == 0
