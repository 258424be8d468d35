"""`cicada user`, run as an operator runs it, on a user pool in moto."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from moto.cognitoidp.models import cognitoidp_backends
from moto.core.models import DEFAULT_ACCOUNT_ID

from cicada.adapters.dynamodb.connection_table import DynamoConnectionTable
from cicada.adapters.dynamodb.usage_table import DynamoUsageTable
from cicada.conversation.model import Connection
from cicada.conversation.ports import UsageTable
from cicada.identity import Principal
from cli import deployment_target
from cli.operator.user_pool import UserPool, generated_password
from tests.cli.conftest import Shell, replace_operation
from tests.cli.pool import REGION, STACK, DeployedPool, deployed_pool
from tests.contract import connections_table, requests_table

PASSWORD = "A-long-one-of-1815"


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[DeployedPool]:
    with deployed_pool("default") as made:
        monkeypatch.setenv("AWS_REGION", REGION)
        monkeypatch.setenv("CICADA_STACK", STACK)
        monkeypatch.setattr(deployment_target, "stack_outputs", lambda stack: made.outputs("wss://example.test/v1"))
        yield made


@pytest.fixture
def run(pool: DeployedPool, shell: Shell) -> Callable[..., tuple[int, str, str]]:
    def called(*arguments: str) -> tuple[int, str, str]:
        code = shell("user", *arguments, *(["--create-group"] if {"--group", "--add"} & {*arguments} else []))
        said = shell.read()
        return code, said.out, said.err

    return called


Run = Callable[..., tuple[int, str, str]]


def refusing(monkeypatch: pytest.MonkeyPatch, operation: str, code: str, message: str) -> None:
    """Have every client of the command refuse one operation."""

    def refuse(**_: Any) -> None:
        raise ClientError({"Error": {"Code": code, "Message": message}}, operation)

    replace_operation(monkeypatch, operation, lambda _: refuse)


def test_a_user_without_mail_gets_an_initial_password_that_is_printed_with_the_next_step(
    run: Run, pool: DeployedPool
) -> None:
    code, out, err = run("add", "alice", "--tenant", "acme", "--group", "hr")
    assert (code, err) == (0, "")
    first, password, step = out.splitlines()
    assert first == "alice is a user of the stack Cicada-dev."
    assert step == (
        "Next: alice signs in with `cicada token alice --stack Cicada-dev`, and chooses a password of their own."
    )
    assert pool.groups_of("alice") == {"tenant:acme", "hr"}
    assert pool.sign_in("alice", password.rpartition(" ")[2])["ChallengeName"] == "NEW_PASSWORD_REQUIRED"


def test_a_user_with_mail_is_invited_and_no_password_is_shown(run: Run, pool: DeployedPool) -> None:
    code, out, _ = run("add", "bob", "--email", "bob@example.org", "--json")
    made = json.loads(out)
    assert code == 0
    assert (made["invited"], made["initialPassword"], made["email"]) == (True, None, "bob@example.org")
    assert (made["tenant"], made["groups"], made["state"]) == ("default", [], "has not chosen a password")
    _, out, _ = run("add", "carol", "--email", "carol@example.org")
    assert "Cognito sends an invitation with an initial password to carol@example.org." in out
    assert "Initial password" not in out


@pytest.fixture
def strict_pool(pool: DeployedPool, monkeypatch: pytest.MonkeyPatch) -> DeployedPool:
    """The pool of a stack without a default tenant."""
    strict = replace(pool, default_tenant="")
    monkeypatch.setattr(deployment_target, "stack_outputs", lambda stack: strict.outputs("wss://example.test/v1"))
    return strict


def test_a_user_needs_a_tenant_where_none_is_the_default(run: Run, strict_pool: DeployedPool) -> None:
    assert run("add", "alice") == (
        2,
        "",
        "cicada: Name the tenant of alice with --tenant: the stack Cicada-dev has no default tenant.\n",
    )
    assert (strict_pool.users(), strict_pool.groups()) == (set(), set())
    assert run("add", "alice", "--tenant", "acme")[0] == 0


def test_accounts_without_exactly_one_tenant_are_listed_with_the_reason(run: Run, strict_pool: DeployedPool) -> None:
    for name in ("alice", "bob"):
        run("add", name, "--tenant", "acme")
    pool = {"UserPoolId": strict_pool.pool_id}
    strict_pool.cognito.create_group(**pool, GroupName="tenant:beta")
    strict_pool.cognito.admin_add_user_to_group(**pool, Username="alice", GroupName="tenant:beta")
    strict_pool.cognito.admin_remove_user_from_group(**pool, Username="bob", GroupName="tenant:acme")
    users = json.loads(run("list", "--json")[1])["users"]
    assert {user["name"]: user["tenant"] for user in users} == {
        "alice": "none: in the groups of acme and beta",
        "bob": "none: in no tenant's group",
    }
    assert run("groups", "alice", "--tenant", "beta")[1] == "alice is of the tenant beta, with the groups: none.\n"


def test_a_given_password_is_the_users_own(run: Run, pool: DeployedPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\nmore\n"))
    code, out, _ = run("add", "alice", "--email", "a@example.org", "--password-stdin")
    assert code == 0
    assert PASSWORD not in out
    assert out.endswith("Next: alice signs in with `cicada token alice --stack Cicada-dev`.\n")
    assert pool.sign_in("alice", PASSWORD)["AuthenticationResult"]["AccessToken"]


@pytest.mark.parametrize("operation", ["admin_create_user", "admin_add_user_to_group", "admin_set_user_password"])
def test_failed_setup_leaves_nothing(
    run: Run, pool: DeployedPool, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    pool.cognito.create_group(UserPoolId=pool.pool_id, GroupName="hr")
    message = "User: arn:aws:iam::1:user/op is not authorized to perform: cognito-idp:DoIt on resource: x"
    refusing(monkeypatch, operation, "AccessDeniedException", message)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))
    code, out, err = run("add", "alice", "--tenant", "acme", "--group", "hr", "--password-stdin")
    assert (code, out) == (1, "")
    assert err == "cicada: These AWS credentials may not do that: allow cognito-idp:DoIt, or use others.\n"
    assert pool.users() == set()
    assert pool.groups() == {"hr"}


def test_what_cannot_be_taken_back_is_said(run: Run, pool: DeployedPool, monkeypatch: pytest.MonkeyPatch) -> None:
    for operation in ("admin_add_user_to_group", "admin_delete_user"):
        refusing(monkeypatch, operation, "TooManyRequestsException", "Rate exceeded")
    code, _, err = run("add", "alice", "--group", "hr")
    assert code == 1
    assert err.startswith("cicada: alice was created in part only, and could not be removed again: AWS is busy")


@pytest.mark.parametrize(
    "lost",
    [
        KeyboardInterrupt(),
        ReadTimeoutError(endpoint_url="https://cognito-idp"),
        # The SDK asked again after a reply was lost.
        ClientError({"Error": {"Code": "UsernameExistsException", "Message": "Exists"}}, "AdminCreateUser"),
    ],
    ids=lambda lost: type(lost).__name__,
)
def test_unconfirmed_account_is_not_left_without_its_tenant(
    run: Run, pool: DeployedPool, monkeypatch: pytest.MonkeyPatch, lost: BaseException
) -> None:
    """It would have no tenant, or the default one where that is allowed, and Cognito has sent the invitation."""

    def losing(create: Any) -> Any:
        def unconfirmed(**arguments: Any) -> None:
            create(**arguments)
            raise lost

        return unconfirmed

    replace_operation(monkeypatch, "admin_create_user", losing)
    assert run("add", "alice", "--tenant", "acme", "--email", "alice@example.org")[0] != 0
    assert (pool.users(), pool.groups()) == (set(), set())


def test_an_existing_user_is_left_as_it_is(run: Run, pool: DeployedPool) -> None:
    run("add", "alice", "--group", "hr")
    code, _, err = run("add", "alice", "--group", "sales")
    assert code == 2
    assert err.startswith("cicada: alice cannot be set up: ")
    assert "`cicada user groups`" in err
    assert pool.groups_of("alice") == {"hr"}
    assert pool.groups() == {"hr"}


def test_the_list_shows_state_tenant_and_groups(run: Run) -> None:
    assert run("list")[1] == "There is no user; `cicada user add NAME` creates one.\n"
    run("add", "carol", "--email", "carol@example.org")
    run("add", "alice", "--tenant", "acme", "--group", "hr", "--group", "all")
    run("disable", "carol")
    code, out, _ = run("list")
    assert code == 0
    assert [line.split() for line in out.splitlines()] == [
        ["USER", "STATE", "TENANT", "GROUPS", "EMAIL"],
        ["alice", "has", "not", "chosen", "a", "password", "acme", "all,", "hr"],
        ["carol", "disabled", "default", "carol@example.org"],
    ]
    listed = json.loads(run("list", "--tenant", "acme", "--json")[1])["users"]
    assert [(user["name"], user["tenant"], user["groups"]) for user in listed] == [("alice", "acme", ["all", "hr"])]
    assert listed[0]["sub"]


def test_a_membership_that_is_listed_twice_is_one_group(run: Run, pool: DeployedPool) -> None:
    """The emulator lists it so after an account was taken back and made again."""

    class Repeating:
        def get_paginator(self, operation: str) -> Any:
            return self if operation == "list_users_in_group" else pool.cognito.get_paginator(operation)

        def paginate(self, **arguments: str) -> list[Any]:
            return 2 * [pool.cognito.list_users_in_group(**arguments)]

    run("add", "alice", "--tenant", "acme")
    [alice] = UserPool(Repeating(), pool.pool_id).accounts()
    assert alice.groups == ("tenant:acme",)


def test_a_disabled_user_is_signed_out_and_can_be_enabled(run: Run, pool: DeployedPool) -> None:
    run("add", "alice")
    code, out, _ = run("disable", "alice")
    assert (code, out) == (
        0,
        "alice can sign in no longer. 0 open connections were closed.\n",
    )
    assert json.loads(run("disable", "alice", "--json")[1])["state"] == "disabled"
    assert run("enable", "alice")[:2] == (0, "alice can sign in again.\n")
    assert json.loads(run("list", "--json")[1])["users"][0]["state"] == "has not chosen a password"


def test_no_refresh_token_outlives_a_disabled_account(
    run: Run, pool: DeployedPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))
    run("add", "alice", "--password-stdin")
    signed_in = pool.sign_in("alice", PASSWORD)["AuthenticationResult"]
    refreshing = {"REFRESH_TOKEN": signed_in["RefreshToken"]}
    run("disable", "alice")
    run("enable", "alice")
    with pytest.raises(pool.cognito.exceptions.NotAuthorizedException):
        pool.cognito.initiate_auth(AuthFlow="REFRESH_TOKEN_AUTH", ClientId=pool.client_id, AuthParameters=refreshing)


def connected(sub: str, *connection_ids: str, tenant: str = "default") -> tuple[DynamoConnectionTable, UsageTable]:
    """Connections of the user with tokens that were just issued; and the users' rows."""
    database: Any = boto3.client("dynamodb", region_name=REGION)
    table = DynamoConnectionTable(database, connections_table.TABLE)
    for each in connection_ids:
        now = time.time()
        table.add(Connection(each, Principal(tenant, sub), now + 600, now, now), now + 7200)
    return table, DynamoUsageTable(database, requests_table.TABLE)


def sub_of(pool: DeployedPool, name: str) -> str:
    found = pool.cognito.admin_get_user(UserPoolId=pool.pool_id, Username=name)["UserAttributes"]
    return str(next(each["Value"] for each in found if each["Name"] == "sub"))


@pytest.fixture
def no_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)


@pytest.mark.usefixtures("no_second_look")
def test_connections_that_cannot_be_closed_are_said_and_the_account_is_disabled(run: Run, pool: DeployedPool) -> None:
    run("add", "alice")
    boto3.client("dynamodb", region_name=REGION).delete_table(TableName=connections_table.TABLE)
    code, out, error = run("disable", "alice")
    assert (code, out) == (1, "")
    assert "may go on for ten minutes" in error
    assert not pool.cognito.admin_get_user(UserPoolId=pool.pool_id, Username="alice")["Enabled"]


def test_groups_are_shown_added_removed_and_the_tenant_is_one(run: Run, pool: DeployedPool) -> None:
    run("add", "alice", "--tenant", "acme", "--group", "hr")
    assert run("groups", "alice")[1] == "alice is of the tenant acme, with the groups: hr.\n"
    code, out, _ = run("groups", "alice", "--add", "sales", "--remove", "hr", "--tenant", "beta")
    assert (code, out) == (0, "alice is of the tenant beta, with the groups: sales.\n")
    assert pool.groups_of("alice") == {"tenant:beta", "sales"}
    assert run("groups", "alice", "--tenant", "beta")[0] == 0
    assert pool.groups_of("alice") == {"tenant:beta", "sales"}


def signed_in_with_okta(pool: DeployedPool) -> str:
    """An account as Cognito makes it at the first sign-in with an identity provider."""
    name, group = "Okta_00u1", f"{pool.pool_id}_Okta"
    pool.cognito.admin_create_user(
        UserPoolId=pool.pool_id, Username=name, UserAttributes=[{"Name": "email", "Value": "ann@example.org"}]
    )
    [account] = cognitoidp_backends[DEFAULT_ACCOUNT_ID][REGION].user_pools[pool.pool_id].users.values()
    account.status = "EXTERNAL_PROVIDER"
    pool.cognito.create_group(UserPoolId=pool.pool_id, GroupName=group)
    pool.cognito.admin_add_user_to_group(UserPoolId=pool.pool_id, Username=name, GroupName=group)
    return name


def test_a_federated_user_gets_a_tenant_and_stays_in_the_providers_group(run: Run, pool: DeployedPool) -> None:
    name = signed_in_with_okta(pool)
    assert "signs in elsewhere" in run("list")[1]
    assert run("groups", name, "--tenant", "acme", "--add", "hr")[0] == 0
    assert pool.groups_of(name) == {f"{pool.pool_id}_Okta", "tenant:acme", "hr"}
    assert run("groups", name, "--tenant", "beta")[0] == 0
    assert pool.groups_of(name) == {f"{pool.pool_id}_Okta", "tenant:beta", "hr"}


def test_a_federated_user_gets_no_password_that_would_outlive_the_providers(run: Run, pool: DeployedPool) -> None:
    name = signed_in_with_okta(pool)
    code, _, err = run("password", name)
    assert (code, err) == (2, f"cicada: {name} signs in with an identity provider, which has the password.\n")
    assert pool.cognito.admin_get_user(UserPoolId=pool.pool_id, Username=name)["UserStatus"] == "EXTERNAL_PROVIDER"


def user_of(tenant: str, run: Run, pool: DeployedPool, *, federated: bool) -> str:
    """The name of a new user, who signs in here or with an identity provider."""
    if federated:
        name = signed_in_with_okta(pool)
        run("groups", name, "--tenant", tenant)
        return name
    run("add", "alice", *(["--tenant", tenant] if tenant != "default" else []))
    return "alice"


@pytest.mark.usefixtures("no_second_look")
@pytest.mark.parametrize(
    ("part", "said", "is_enabled"),
    [
        ("disable", "{name} can sign in no longer. 2 open connections were closed.\n", False),
        ("sign-out", "{name} has to sign in again. 2 open connections were closed.\n", True),
        ("delete", "{name} (sub {sub}) is deleted. 2 open connections were closed.\n", None),
    ],
    ids=["disable", "sign-out", "delete"],
)
@pytest.mark.parametrize(
    ("tenant", "federated"),
    [("default", False), ("acme", False), ("acme", True)],
    ids=["of the default tenant", "of another", "federated"],
)
def test_what_a_user_has_open_is_ended(
    run: Run, pool: DeployedPool, part: str, said: str, is_enabled: bool | None, tenant: str, federated: bool
) -> None:
    name = user_of(tenant, run, pool, federated=federated)
    run("add", "bob")
    sub, began = sub_of(pool, name), time.time()
    connected("bob", "c3")
    connections, users = connected(sub, "c1", "c2", tenant=tenant)
    assert run(part, name)[:2] == (0, said.format(name=name, sub=sub))
    assert [connections.get(each) is None for each in ("c1", "c2", "c3")] == [True, True, False]
    assert users.get(Principal(tenant, sub)).revoked_before >= began
    users_left = pool.cognito.list_users(UserPoolId=pool.pool_id)["Users"]
    assert {each["Username"]: each["Enabled"] for each in users_left}.get(name) == is_enabled


def test_a_new_initial_password_replaces_the_old_one(run: Run, pool: DeployedPool) -> None:
    run("add", "alice")
    code, out, _ = run("password", "alice", "--json")
    initial = json.loads(out)["initialPassword"]
    assert code == 0
    assert pool.sign_in("alice", initial)["ChallengeName"] == "NEW_PASSWORD_REQUIRED"


@pytest.mark.parametrize(("command", "option"), [("add", "--group"), ("groups", "--add")])
def test_group_is_made_on_request_alone(run: Run, pool: DeployedPool, shell: Shell, command: str, option: str) -> None:
    run("add", "ann", "--group", "readers")
    name = "ann" if command == "groups" else "bob"
    before = pool.users()
    for wrong, meant in (("raeders", "; did you mean “readers”?"), ("x", ".")):
        assert shell("user", command, name, option, wrong) == 2
        assert shell.err() == f"cicada: There is no group {wrong}{meant} --create-group makes a new one.\n"
    assert (pool.users(), pool.groups() & {"raeders", "x"}) == (before, set())
    assert shell("user", command, name, option, "readers") == 0
    assert shell("user", "groups", name, "--add", "raeders", "--create-group") == 0
    assert "raeders" in pool.groups_of(name)


@pytest.mark.parametrize("name", ["carl the great", "ann\t", "", "a\u200bnn", "x" * 129])
def test_a_name_that_cognito_refuses_is_refused(pool: DeployedPool, shell: Shell, name: str) -> None:
    assert shell("user", "add", name) == 2
    assert "cannot be the name of a user: it has 1 to 128 letters, digits and signs" in shell.err()
    assert pool.users() == set()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["groups", "eve", "--add", "new"], "There is no user eve; `cicada user list` shows who there is."),
        (["disable", "eve"], "There is no user eve; `cicada user list` shows who there is."),
        (["add", "eve", "--group", "tenant:acme"], "The group of a tenant is set with --tenant."),
        (["add", "eve", "--tenant", "a b"], "a b cannot be the name of a tenant: letters, digits and hyphens"),
        (["groups", "eve", "--add", "a", "--remove", "a"], "a cannot be added and removed at once."),
        (["add", "eve", "--password-stdin"], "There is no password on standard input."),
    ],
)
def test_wrong_use_changes_nothing(
    run: Run, pool: DeployedPool, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    assert (pool.users(), pool.groups()) == (set(), set())


def test_a_generated_password_has_every_kind_of_character() -> None:
    for password in (generated_password() for _ in range(50)):
        assert len(password) >= 12
        assert any(map(str.islower, password))
        assert any(map(str.isupper, password))
        assert any(map(str.isdigit, password))
        assert any(not character.isalnum() for character in password)
