"""The accounts of a deployment's user pool."""

from __future__ import annotations

import secrets
import string
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from cli.aws_failures import aws_calls, code_of, failure_of, message_of
from cli.errors import CommandError

# The pool asks for 12 characters and one of each kind (infra/constructs/identity.py).
_KINDS = (string.ascii_lowercase, string.ascii_uppercase, string.digits, "-_.!")
_PASSWORD_CHARACTERS = 20
_FEDERATED = "EXTERNAL_PROVIDER"
_STATES = {
    "CONFIRMED": "active",
    "FORCE_CHANGE_PASSWORD": "has not chosen a password",
    "RESET_REQUIRED": "must choose a new password",
    _FEDERATED: "signs in elsewhere",
}
_WRONG_USE = frozenset({"InvalidParameterException", "InvalidPasswordException", "UsernameExistsException"})


class UnknownUserError(CommandError):
    """There is no account of that name."""


@dataclass(frozen=True, slots=True)
class Account:
    """A user. `state` is in words; `groups` are sorted and include the group of the tenant."""

    name: str
    state: str
    sub: str
    email: str
    created_at: str
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NewAccount:
    """`password`: a permanent one, or None. `email` gets an invitation unless there is a password; it may be empty."""

    name: str
    groups: Sequence[str]
    email: str = ""
    password: str | None = None


@dataclass(slots=True)
class _Made:
    """What is to be taken back if the rest fails. `user`: its creation was begun."""

    groups: list[str] = field(default_factory=list)
    user: bool = False


def generated_password() -> str:
    """A password of all kinds of characters."""
    characters = [secrets.choice(kind) for kind in _KINDS]
    characters += [secrets.choice("".join(_KINDS)) for _ in range(_PASSWORD_CHARACTERS - len(characters))]
    secrets.SystemRandom().shuffle(characters)
    return "".join(characters)


class UserPool:
    """Failures are raised as `CommandError`."""

    def __init__(self, client: Any, pool_id: str) -> None:
        self._client = client
        self._pool = {"UserPoolId": pool_id}

    def add(self, account: NewAccount) -> str | None:
        """Create an account with its groups, and missing groups. If a step fails, none of it is left.

        The account is also removed if its creation was not confirmed: it would be left without its tenant.
        Returns the initial password that was generated for it; None if it has one or is invited by mail.
        """
        made = _Made()
        try:
            with _translated(account.name):
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

    def accounts(self) -> list[Account]:
        """All accounts of the pool, by name."""
        with aws_calls():
            groups = self._groups_by_user()
            users = [
                user
                for page in self._client.get_paginator("list_users").paginate(**self._pool)
                for user in page["Users"]
            ]
        found = [_account(user, user.get("Attributes", []), groups.get(user["Username"], ())) for user in users]
        return sorted(found, key=lambda account: account.name)

    def account(self, name: str) -> Account:
        with _translated(name):
            user = self._client.admin_get_user(**self._pool, Username=name)
        return _account(user, user.get("UserAttributes", []), self.groups(name))

    def groups(self, name: str) -> tuple[str, ...]:
        """The groups of one user."""
        with _translated(name):
            pages = self._client.get_paginator("admin_list_groups_for_user").paginate(**self._pool, Username=name)
            return tuple(sorted(group["GroupName"] for page in pages for group in page["Groups"]))

    def all_groups(self) -> frozenset[str]:
        """The names of all groups, without their members."""
        with aws_calls():
            pages = self._client.get_paginator("list_groups").paginate(**self._pool)
            return frozenset(group["GroupName"] for page in pages for group in page["Groups"])

    def name_of(self, sub: str) -> str | None:
        """The name of the account with this id; None if there is none."""
        quoted = sub.replace("\\", "\\\\").replace('"', '\\"')
        with aws_calls():
            found = self._client.list_users(**self._pool, Filter=f'sub = "{quoted}"', Limit=1)["Users"]
        return str(found[0]["Username"]) if found else None

    def sub_of(self, name: str) -> str | None:
        """The id of the account with this name; None if there is none."""
        try:
            return self.account(name).sub
        except UnknownUserError:
            return None

    def change_groups(self, name: str, add: Sequence[str], remove: Sequence[str]) -> None:
        """Add groups, then remove others, so that the user is never without a tenant's group. Makes missing groups."""
        self.groups(name)  # for an unknown user no group is created
        with _translated(name):
            for group in add:
                self._ensure_group(group, _Made())
                self._client.admin_add_user_to_group(**self._pool, Username=name, GroupName=group)
            for group in remove:
                self._client.admin_remove_user_from_group(**self._pool, Username=name, GroupName=group)

    def disable(self, name: str) -> None:
        """Disable the account: it can sign in no more."""
        with _translated(name):
            self._client.admin_disable_user(**self._pool, Username=name)

    def sign_out(self, name: str) -> float:
        """Revoke all refresh tokens of the user; returns when, in epoch seconds by Cognito's clock.

        Access tokens are valid until they expire, to all who do not look further.
        """
        from cicada.adapters.cognito_sign_ins import replied_at  # imported late: only here the library is needed

        with _translated(name):
            return replied_at(self._client.admin_user_global_sign_out(**self._pool, Username=name))

    def delete(self, name: str) -> None:
        """Delete the account. One that is gone already is no error: an earlier run may have got so far."""
        with _translated(name), suppress(self._client.exceptions.UserNotFoundException):
            self._client.admin_delete_user(**self._pool, Username=name)

    def enable(self, name: str) -> None:
        with _translated(name):
            self._client.admin_enable_user(**self._pool, Username=name)

    def set_password(self, name: str, password: str, *, permanent: bool) -> None:
        """A password that is not permanent is replaced at the next sign-in.

        Refused for users of an identity provider: with a password of its own an account would outlive the provider's.
        """
        with _translated(name):
            if self._client.admin_get_user(**self._pool, Username=name)["UserStatus"] == _FEDERATED:
                raise CommandError(f"{name} signs in with an identity provider, which has the password.", 2)
            self._set_password(name, password, permanent=permanent)

    def _set_password(self, name: str, password: str, *, permanent: bool) -> None:
        self._client.admin_set_user_password(**self._pool, Username=name, Password=password, Permanent=permanent)

    def _require_new(self, name: str) -> None:
        """Refuse a user who exists: only what was not there before may be taken back."""
        try:
            self._client.admin_get_user(**self._pool, Username=name)
        except self._client.exceptions.UserNotFoundException:
            return
        raise CommandError(
            f"{name} cannot be set up: there is an account of that name already."
            " `cicada user groups` changes its tenant and groups, `cicada user password` its password.",
            2,
        )

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
            raise CommandError(
                f"{name} was created in part only, and could not be removed again: {failure_of(error)} Delete the user"
                " in the Cognito console."
            ) from error

    def _groups_by_user(self) -> dict[str, list[str]]:
        """One call for each group: there are fewer groups than users."""
        found: dict[str, set[str]] = {}
        pages = self._client.get_paginator("list_groups").paginate(**self._pool)
        for name in sorted(group["GroupName"] for page in pages for group in page["Groups"]):
            members = self._client.get_paginator("list_users_in_group").paginate(**self._pool, GroupName=name)
            for user in (user for page in members for user in page["Users"]):
                found.setdefault(user["Username"], set()).add(name)
        return {user: sorted(names) for user, names in found.items()}


def _account(user: dict[str, Any], attributes: list[dict[str, str]], groups: Sequence[str]) -> Account:
    values = {each["Name"]: each["Value"] for each in attributes}
    state = _STATES.get(user["UserStatus"], user["UserStatus"].lower())
    return Account(
        name=user["Username"],
        state=state if user["Enabled"] else "disabled",
        sub=values.get("sub", ""),
        email=values.get("email", ""),
        created_at=user["UserCreateDate"].isoformat(timespec="seconds"),
        groups=tuple(groups),
    )


@contextmanager
def _translated(user: str) -> Iterator[None]:
    with aws_calls():
        try:
            yield
        except ClientError as error:
            code, message = code_of(error), message_of(error)
            if code == "UserNotFoundException":
                reason = f"There is no user {user}; `cicada user list` shows who there is."
                raise UnknownUserError(reason, 2) from error
            if code in _WRONG_USE:
                raise CommandError(f"{user} cannot be set up: {message.rstrip('.') or code}.", 2) from error
            if code == "CodeDeliveryFailureException":
                raise CommandError(f"Cognito could not send the invitation: {message or code}") from error
            raise
