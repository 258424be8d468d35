"""Unknown viewers, looked up in a user pool in moto, and in one that does not answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from cli.errors import CommandError
from cli.operator import viewer_names
from cli.operator.user_pool import UserPool
from cli.operator.viewer_names import ViewerNames
from tests.cli.pool import DeployedPool, deployed_pool
from tests.cli.scripted_aws import refusal


class CountedPool:
    """What is asked of the pool; `refused`: the operation that AWS refuses."""

    def __init__(self, pool: DeployedPool) -> None:
        self.calls: Counter[str] = Counter()
        self.refused = ""
        self.deployed = pool
        pool.cognito.meta.events.register("before-call.cognito-idp", self._count)

    def _count(self, model: object, **_: object) -> None:
        name = str(getattr(model, "name"))  # noqa: B009 - botocore's model, of which only the name counts
        self.calls[name] += 1
        if name == self.refused:
            raise refusal("AccessDeniedException", f"not authorized to perform: cognito-idp:{name}", name)

    def add(self, name: str, *groups: str) -> str:
        """The account's id."""
        pool = self.deployed
        for group in groups:
            if group not in pool.groups():
                pool.cognito.create_group(UserPoolId=pool.pool_id, GroupName=group)
        made = pool.cognito.admin_create_user(UserPoolId=pool.pool_id, Username=name, MessageAction="SUPPRESS")
        for group in groups:
            pool.cognito.admin_add_user_to_group(UserPoolId=pool.pool_id, GroupName=group, Username=name)
        self.calls.clear()
        return str(next(each["Value"] for each in made["User"]["Attributes"] if each["Name"] == "sub"))

    def names(self, tenant: str = "acme") -> ViewerNames:
        return ViewerNames(lambda: (UserPool(self.deployed.cognito, self.deployed.pool_id), ""), tenant)


@pytest.fixture
def pool() -> Iterator[CountedPool]:
    with deployed_pool() as pool:
        yield CountedPool(pool)


def test_who_is_there_is_not_reported_and_who_is_not_is(pool: CountedPool) -> None:
    ann = pool.add("ann", "tenant:acme", "finance")
    names = pool.names()
    assert names.unknown([f"user:{ann}", "group:finance"]) == []
    nobody = "0a1b2c3d-0000-4000-8000-000000000000"
    assert names.unknown(["group:finanse", f"user:{ann}", f"user:{nobody}"]) == ["group:finanse", f"user:{nobody}"]
    assert names.failure == ""


def test_a_sign_in_name_is_told_from_an_id(pool: CountedPool) -> None:
    ann = pool.add("ann", "tenant:acme")
    assert pool.names().unknown(["user:ann"]) == [f"user:ann (the account of that name is user:{ann})"]


def test_an_account_of_another_tenant_reads_nothing_here(pool: CountedPool) -> None:
    eve = pool.add("eve", "tenant:elsewhere")
    assert pool.names().unknown([f"user:{eve}"]) == [f"user:{eve} (the account eve is not of the tenant acme)"]
    assert pool.names("elsewhere").unknown([f"user:{eve}"]) == []


def test_a_quotation_mark_in_a_name_asks_for_nobody_else(pool: CountedPool) -> None:
    pool.add("ann", "tenant:acme")
    name = 'x" or sub ^= "'
    assert pool.names().unknown([f"user:{name}"]) == [f"user:{name}"]


def test_each_viewer_is_asked_for_once_in_a_run_and_groups_are_listed_without_their_members(pool: CountedPool) -> None:
    ann = pool.add("ann", "tenant:acme", "finance")
    names = pool.names()
    for _ in range(3):
        assert names.unknown(["group:finance", "group:finanse", f"user:{ann}"]) == ["group:finanse"]
    asked = {"ListGroups": 1, "ListUsers": 1, "AdminGetUser": 1, "AdminListGroupsForUser": 1}
    assert pool.calls == asked


def test_documents_for_everybody_or_nobody_ask_for_nothing(pool: CountedPool) -> None:
    assert pool.names().unknown([]) == pool.names().unknown(["nobody"]) == []
    assert not pool.calls


@pytest.mark.parametrize("operation", ["ListGroups", "ListUsers", "AdminGetUser", "AdminListGroupsForUser"])
def test_a_pool_that_cannot_be_asked_is_said_and_nobody_is_called_unknown(pool: CountedPool, operation: str) -> None:
    ann = pool.add("ann", "tenant:acme")
    pool.refused = operation
    names = pool.names()
    assert names.unknown([f"user:{ann}", "group:finanse"]) == []
    assert f"cognito-idp:{operation}" in names.failure
    asked = pool.calls.total()
    assert names.unknown(["group:other", "user:bob"]) == []
    assert pool.calls.total() == asked


def test_a_stack_without_a_pool_is_a_failure_too() -> None:
    def none() -> tuple[UserPool, str]:
        raise CommandError("The stack has no output UserPoolId; deploy it again.")

    names = ViewerNames(none, "acme")
    assert names.unknown(["group:finanse"]) == []
    assert names.failure == "The stack has no output UserPoolId; deploy it again."


def test_only_so_many_users_are_looked_up(pool: CountedPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer_names, "MOST_USERS", 2)
    names = pool.names()
    assert names.unknown(["user:a", "user:b"]) == ["user:a", "user:b"]
    assert names.unknown(["user:c"]) == []
    assert names.failure == "They name more than 2 users."
    assert pool.calls["ListUsers"] == 2
