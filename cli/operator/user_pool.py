"""The accounts of a deployment's user pool, for operators."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from botocore.exceptions import ClientError

from cicada.adapters.cognito_users import FEDERATED, CognitoUsers, generated_password, read_account
from cicada.conversation.administration import Account, NewAccount
from cicada.errors import HalfMadeAccountError, UserExistsError
from cli.aws_failures import aws_calls, code_of, failure_of, message_of
from cli.deployment_target import DeploymentTarget
from cli.errors import CommandError

__all__ = ["Account", "NewAccount", "UnknownUserError", "UserPool", "generated_password", "state_of"]

_STATES = {
    "initial": "has not chosen a password",
    "reset": "must choose a new password",
    "federated": "signs in elsewhere",
}
_WRONG_USE = frozenset({"InvalidParameterException", "InvalidPasswordException", "UsernameExistsException"})


class UnknownUserError(CommandError):
    """There is no account of that name."""


def state_of(account: Account) -> str:
    """The state of the account in words."""
    return account.status.lower() if account.state == "other" else _STATES.get(account.state, account.state)


class UserPool(CognitoUsers):
    """All that operators do with accounts. Failures are raised as `CommandError`."""

    def __init__(self, client: Any, pool_id: str) -> None:
        super().__init__(client, pool_id, _translated)

    @classmethod
    def of(cls, target: DeploymentTarget) -> UserPool:
        """The pool of a deployment."""
        return cls(target.client("cognito-idp"), target.output("UserPoolId"))

    def add(self, account: NewAccount) -> str | None:
        try:
            return super().add(account)
        except HalfMadeAccountError as error:
            why = failure_of(error.__cause__) if error.__cause__ else ""
            raise CommandError(
                f"{account.name} was created in part only, and could not be removed again: {why} Delete the user"
                " in the Cognito console."
            ) from error

    def accounts(self) -> list[Account]:
        """All accounts of the pool, by name."""
        with aws_calls():
            groups = self._groups_by_user()
            users = [
                user
                for page in self._client.get_paginator("list_users").paginate(**self._pool)
                for user in page["Users"]
            ]
        found = [read_account(user, user.get("Attributes", []), groups.get(user["Username"], ())) for user in users]
        return sorted(found, key=lambda account: account.name)

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

    def delete(self, name: str) -> None:
        """Delete the account. One that is gone already is no error: an earlier run may have got so far."""
        with _translated(name), suppress(self._client.exceptions.UserNotFoundException):
            self._client.admin_delete_user(**self._pool, Username=name)

    def set_password(self, name: str, password: str, *, permanent: bool) -> None:
        """A password that is not permanent is replaced at the next sign-in.

        Refused for users of an identity provider: with a password of its own an account would outlive the provider's.
        """
        with _translated(name):
            if self._client.admin_get_user(**self._pool, Username=name)["UserStatus"] == FEDERATED:
                raise CommandError(f"{name} signs in with an identity provider, which has the password.", 2)
            self._set_password(name, password, permanent=permanent)

    def _groups_by_user(self) -> dict[str, list[str]]:
        """One call for each group: there are fewer groups than users."""
        found: dict[str, set[str]] = {}
        pages = self._client.get_paginator("list_groups").paginate(**self._pool)
        for name in sorted(group["GroupName"] for page in pages for group in page["Groups"]):
            members = self._client.get_paginator("list_users_in_group").paginate(**self._pool, GroupName=name)
            for user in (user for page in members for user in page["Users"]):
                found.setdefault(user["Username"], set()).add(name)
        return {user: sorted(names) for user, names in found.items()}


@contextmanager
def _translated(user: str) -> Iterator[None]:
    with aws_calls():
        try:
            yield
        except UserExistsError as error:
            raise CommandError(
                f"{user} cannot be set up: there is an account of that name already."
                " `cicada user groups` changes its tenant and groups, `cicada user password` its password.",
                2,
            ) from error
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
