"""The accounts of an Amazon Cognito user pool."""

from __future__ import annotations

import secrets
import string
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError
from msgspec import Struct, field

from cicada.adapters.aws_errors import user_pool_errors
from cicada.adapters.cognito_sign_ins import replied_at
from cicada.conversation.administration import Account, NewAccount
from cicada.conversation.protocol import AccountState
from cicada.errors import HalfMadeAccountError, UserExistsError, UserNotFoundError, UserRefusedError

if TYPE_CHECKING:
    from mypy_boto3_cognito_idp import CognitoIdentityProviderClient

# The pool asks for 12 characters and one of each kind (infra/constructs/identity.py).
_KINDS = (string.ascii_lowercase, string.ascii_uppercase, string.digits, "-_.!")
_PASSWORD_CHARACTERS = 20
FEDERATED = "EXTERNAL_PROVIDER"
_STATES: dict[str, AccountState] = {
    "CONFIRMED": "active",
    "FORCE_CHANGE_PASSWORD": "initial",
    "RESET_REQUIRED": "reset",
    FEDERATED: "federated",
}
# What replaces the pool's errors in calls about a user.
Translation = Callable[[str], AbstractContextManager[None]]


class _Made(Struct):
    """What is to be taken back if the rest fails. `user`: its creation was begun."""

    groups: list[str] = field(default_factory=list)
    user: bool = False


def generated_password() -> str:
    """A password of all kinds of characters."""
    characters = [secrets.choice(kind) for kind in _KINDS]
    characters += [secrets.choice("".join(_KINDS)) for _ in range(_PASSWORD_CHARACTERS - len(characters))]
    secrets.SystemRandom().shuffle(characters)
    return "".join(characters)


@contextmanager
def _errors(_user: str) -> Iterator[None]:
    """Translate boto3's errors and chain the cause. Raises as `Accounts` does."""
    try:
        with user_pool_errors():
            yield
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code == "UserNotFoundException":
            raise UserNotFoundError("There is no such user.") from error
        if code == "UsernameExistsException":
            raise _taken() from error
        raise UserRefusedError("The user pool refuses this name, this group or this page.") from error


class CognitoUsers:
    """Functions and operators change accounts by the same calls; `translated` says how failures are raised."""

    def __init__(self, client: CognitoIdentityProviderClient, pool_id: str, translated: Translation = _errors) -> None:
        self._client: Any = client
        self._pool = {"UserPoolId": pool_id}
        self._translated = translated

    def add(self, account: NewAccount) -> str | None:
        """Create an account with its groups, and missing groups. If a step fails, none of it is left.

        The account is also removed if its creation was not confirmed: it would be left without its tenant.
        Returns the initial password that was generated for it; None if it has one or is invited by mail.
        """
        made = _Made()
        try:
            with self._translated(account.name):
                self._require_new(account.name)
                for group in account.groups:
                    self._ensure_group(group, made)
                made.user = True
                password = self._create(account)
                for group in account.groups:
                    self._client.admin_add_user_to_group(**self._pool, Username=account.name, GroupName=group)
                if account.password:
                    self._set_password(account.name, account.password, permanent=True)
        except BaseException:
            self._take_back(account.name, made)
            raise
        return password

    def page(self, group: str, after: str | None, most: int) -> tuple[Sequence[Account], str | None]:
        with self._translated(""):
            if group:
                further = {"NextToken": after} if after else {}
                reply = self._client.list_users_in_group(**self._pool, GroupName=group, Limit=most, **further)
            else:
                further = {"PaginationToken": after} if after else {}
                reply = self._client.list_users(**self._pool, Limit=most, **further)
        return [self._listed(each) for each in reply["Users"]], reply.get("NextToken") or reply.get("PaginationToken")

    def members(self, group: str) -> Iterator[Account]:
        """The members of the group, one after the other: the groups of each are a call."""
        with self._translated(""):
            pages = self._client.get_paginator("list_users_in_group").paginate(**self._pool, GroupName=group)
            for user in (user for page in pages for user in page["Users"]):
                yield self._listed(user)

    def account(self, name: str) -> Account:
        with self._translated(name):
            user = self._client.admin_get_user(**self._pool, Username=name)
        return read_account(user, user.get("UserAttributes", []), self.groups(name))

    def groups(self, name: str) -> tuple[str, ...]:
        """The groups of one user."""
        with self._translated(name):
            pages = self._client.get_paginator("admin_list_groups_for_user").paginate(**self._pool, Username=name)
            return tuple(sorted({group["GroupName"] for page in pages for group in page["Groups"]}))

    def has_group(self, group: str) -> bool:
        with self._translated(""):
            try:
                self._client.get_group(**self._pool, GroupName=group)
            except self._client.exceptions.ResourceNotFoundException:
                return False
        return True

    def change_groups(self, name: str, add: Sequence[str], remove: Sequence[str]) -> None:
        """Add groups, then remove others, so that the user is never without a tenant's group. Makes missing groups."""
        self.groups(name)  # for an unknown user no group is created
        with self._translated(name):
            for group in add:
                self._ensure_group(group, _Made())
                self._client.admin_add_user_to_group(**self._pool, Username=name, GroupName=group)
            for group in remove:
                self._client.admin_remove_user_from_group(**self._pool, Username=name, GroupName=group)

    def disable(self, name: str) -> None:
        """Disable the account: it can sign in no more."""
        with self._translated(name):
            self._client.admin_disable_user(**self._pool, Username=name)

    def enable(self, name: str) -> None:
        with self._translated(name):
            self._client.admin_enable_user(**self._pool, Username=name)

    def sign_out(self, name: str) -> float:
        """Revoke all refresh tokens of the user; returns when, in epoch seconds by Cognito's clock.

        Access tokens are valid until they expire, to all who do not look further.
        """
        with self._translated(name):
            return replied_at(self._client.admin_user_global_sign_out(**self._pool, Username=name))

    def _listed(self, user: dict[str, Any]) -> Account:
        return read_account(user, user.get("Attributes", []), self.groups(user["Username"]))

    def _set_password(self, name: str, password: str, *, permanent: bool) -> None:
        self._client.admin_set_user_password(**self._pool, Username=name, Password=password, Permanent=permanent)

    def _require_new(self, name: str) -> None:
        """Refuse a user who exists: only what was not there before may be taken back."""
        try:
            self._client.admin_get_user(**self._pool, Username=name)
        except self._client.exceptions.UserNotFoundException:
            return
        raise _taken()

    def _ensure_group(self, group: str, made: _Made) -> None:
        try:
            self._client.create_group(**self._pool, GroupName=group)
        except self._client.exceptions.GroupExistsException:
            return
        made.groups.append(group)

    def _create(self, account: NewAccount) -> str | None:
        """https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminCreateUser.html"""
        attributes = [{"Name": "email", "Value": account.email}, {"Name": "email_verified", "Value": "true"}]
        arguments = self._pool | {"Username": account.name, "UserAttributes": attributes if account.email else []}
        if account.email and not account.password:
            self._client.admin_create_user(**arguments, DesiredDeliveryMediums=["EMAIL"])
            return None
        initial = generated_password()
        self._client.admin_create_user(**arguments, MessageAction="SUPPRESS", TemporaryPassword=initial)
        return None if account.password else initial

    def _take_back(self, name: str, made: _Made) -> None:
        try:
            if made.user:
                with suppress(self._client.exceptions.UserNotFoundException):
                    self._client.admin_delete_user(**self._pool, Username=name)
            for group in made.groups:
                self._client.delete_group(**self._pool, GroupName=group)
        except (BotoCoreError, ClientError) as error:
            raise HalfMadeAccountError(f"{name} was created in part only, and could not be removed again.") from error


def read_account(user: dict[str, Any], attributes: list[dict[str, str]], groups: Sequence[str]) -> Account:
    """An account as Cognito lists it, with its groups."""
    values = {each["Name"]: each["Value"] for each in attributes}
    return Account(
        name=user["Username"],
        state=_STATES.get(user["UserStatus"], "other") if user["Enabled"] else "disabled",
        status=user["UserStatus"],
        sub=values.get("sub", ""),
        email=values.get("email", ""),
        created_at=user["UserCreateDate"].isoformat(timespec="seconds"),
        groups=tuple(groups),
    )


def _taken() -> UserExistsError:
    return UserExistsError("This name is taken: choose another one.")
