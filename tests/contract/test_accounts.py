"""Accounts as administrators need them, in memory and in a user pool on moto."""

from __future__ import annotations

from collections.abc import Iterator

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from cicada.adapters.cognito_users import CognitoUsers
from cicada.conversation.administration import Accounts, NewAccount
from cicada.errors import (
    ConfigurationError,
    ThrottledError,
    UnavailableError,
    UserExistsError,
    UserNotFoundError,
    UserRefusedError,
)
from tests.fakes.accounts import InMemoryAccounts


@pytest.fixture(params=["memory", "cognito"])
def accounts(request: pytest.FixtureRequest) -> Iterator[Accounts]:
    if request.param == "memory":
        yield InMemoryAccounts()
        return
    with mock_aws():
        client = boto3.client("cognito-idp", region_name="us-east-1")
        yield CognitoUsers(client, client.create_user_pool(PoolName="users")["UserPool"]["Id"])


def test_a_new_account_has_its_groups_and_an_initial_password(accounts: Accounts) -> None:
    assert accounts.add(NewAccount("ann", ("tenant:acme", "hr")))
    ann = accounts.account("ann")
    assert (ann.name, ann.state, ann.groups, bool(ann.sub)) == ("ann", "initial", ("hr", "tenant:acme"), True)
    assert (accounts.has_group("hr"), accounts.has_group("sales")) == (True, False)


def test_a_name_is_taken_once_and_an_unknown_one_is_said(accounts: Accounts) -> None:
    accounts.add(NewAccount("ann", ("hr",)))
    with pytest.raises(UserExistsError):
        accounts.add(NewAccount("ann", ("sales",)))
    assert accounts.account("ann").groups == ("hr",)
    for act in (accounts.account, accounts.disable, accounts.enable, accounts.sign_out):
        with pytest.raises(UserNotFoundError):
            act("bob")
    with pytest.raises(UserNotFoundError):
        accounts.change_groups("bob", ["new"], [])
    assert not accounts.has_group("new")


def test_groups_are_added_and_removed_and_accounts_disabled_and_enabled(accounts: Accounts) -> None:
    accounts.add(NewAccount("ann", ("tenant:acme", "hr")))
    accounts.change_groups("ann", ["sales"], ["hr"])
    assert accounts.account("ann").groups == ("sales", "tenant:acme")
    accounts.disable("ann")
    assert accounts.account("ann").state == "disabled"
    accounts.enable("ann")
    assert accounts.account("ann").state != "disabled"


@pytest.mark.parametrize("group", ["", "hr"])
def test_pages_hold_each_account_once(accounts: Accounts, group: str) -> None:
    for number in range(5):
        accounts.add(NewAccount(f"u{number}", ("hr",)))
    accounts.add(NewAccount("other", ("sales",)))
    seen, after = [], None
    while True:
        found, after = accounts.page(group, after, 2)
        assert len(found) <= 2
        seen += [each.name for each in found]
        if after is None:
            break
    assert sorted(seen) == sorted([f"u{n}" for n in range(5)] + ([] if group else ["other"]))
    assert sorted(each.name for each in accounts.members("hr")) == [f"u{n}" for n in range(5)]


@pytest.mark.parametrize(
    ("code", "raised"),
    [
        ("TooManyRequestsException", ThrottledError),
        ("AccessDeniedException", ConfigurationError),
        ("InvalidParameterException", UserRefusedError),
        ("InternalErrorException", UnavailableError),
    ],
)
def test_what_cognito_refuses_is_named(code: str, raised: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    with mock_aws():
        client = boto3.client("cognito-idp", region_name="us-east-1")

        def refuse(**_: object) -> None:
            raise ClientError({"Error": {"Code": code, "Message": "s3cret"}}, "ListUsers")

        monkeypatch.setattr(client, "list_users", refuse)
        with pytest.raises(raised) as failure:
            CognitoUsers(client, "us-east-1_Example").page("", None, 2)
    assert "s3cret" not in str(failure.value)
