"""Administrators list and change the accounts of their own tenant, and read its use, its ratings and its failures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Protocol

from msgspec import Struct

from cicada.conversation.limits import ADMINISTRATION
from cicada.conversation.model import Connection
from cicada.conversation.protocol import (
    AccountState,
    AddUser,
    DisableUser,
    EnableUser,
    FailuresRead,
    ListUsers,
    RatingsRead,
    ReadFailures,
    ReadFeedback,
    ReadUse,
    SetGroups,
    UserChanged,
    UseRead,
    UsersPage,
    UserSummary,
    that_fits,
)
from cicada.conversation.revocation import Revoker
from cicada.conversation.tenant_reports import TenantReports
from cicada.errors import CicadaError, NoAdministratorError, UserNotFoundError, UserRefusedError
from cicada.identity import Principal, is_tenants, tenant_group, tenant_of
from cicada.observability.audit import AccountAct, Administered
from cicada.permissions import NAME_RULE, can_be_named

# Accounts of a page: fewer where those have so many groups that a frame cannot hold them.
_PAGES = (20, 5, 1)
AdminCommand = ListUsers | AddUser | DisableUser | EnableUser | SetGroups | ReadUse | ReadFeedback | ReadFailures
AdminReply = UsersPage | UserChanged | UseRead | RatingsRead | FailuresRead
_ACTS: Mapping[type[AdminCommand], AccountAct] = {
    ListUsers: "list",
    AddUser: "add",
    DisableUser: "disable",
    EnableUser: "enable",
    SetGroups: "groups",
    ReadUse: "use",
    ReadFeedback: "feedback",
    ReadFailures: "failures",
}


class Account(Struct, frozen=True):
    """A user. `groups` are sorted and include the group of the tenant; `status` is the pool's own word for it."""

    name: str
    state: AccountState
    status: str
    sub: str
    email: str
    created_at: str
    groups: tuple[str, ...]


class NewAccount(Struct, frozen=True):
    """`password`: a permanent one, or None. `email` gets an invitation unless there is a password; it may be empty."""

    name: str
    groups: Sequence[str]
    email: str = ""
    password: str | None = None


class Accounts(Protocol):
    """The accounts of a user pool, of all tenants.

    Failures are `DependencyError`s and `ConfigurationError`s. Unknown users are `UserNotFoundError`s, taken names
    `UserExistsError`s, and what the pool refuses `UserRefusedError`s.
    """

    def page(self, group: str, after: str | None, most: int) -> tuple[Sequence[Account], str | None]:
        """A page of members of the group, or of all accounts if it is empty, and what asks for the next one."""
        ...

    def members(self, group: str) -> Iterator[Account]:
        """The members of the group, one after the other."""
        ...

    def account(self, name: str) -> Account: ...

    def has_group(self, group: str) -> bool: ...

    def add(self, account: NewAccount) -> str | None:
        """Create an account with its groups, or nothing. The initial password that was generated for it."""
        ...

    def change_groups(self, name: str, add: Sequence[str], remove: Sequence[str]) -> None: ...

    def disable(self, name: str) -> None: ...

    def enable(self, name: str) -> None: ...

    def sign_out(self, name: str) -> float:
        """Revoke the refresh tokens; when that was, by the pool's clock."""
        ...


class Administration(Struct, frozen=True):
    """What administrators do.

    `group`: whose members are administrators, empty for nobody. `default_tenant`: of accounts without one.
    `provider_prefix`: how the groups begin that the pool gives to users of an identity provider. `spend` charges the
    user, `audit` is called with each act and does not fail, `clock` gives epoch seconds.
    """

    accounts: Accounts
    reports: TenantReports
    revoker: Revoker
    group: str
    default_tenant: str
    provider_prefix: str
    spend: Callable[[Principal, int], None]
    audit: Callable[[Administered], object]
    clock: Callable[[], float]

    def serve(self, command: AdminCommand, connection: Connection) -> AdminReply:
        """Do the command, and record it also if it is refused or fails.

        Raises `NoAdministratorError`, `UserNotFoundError`, `UserExistsError`, `UserRefusedError`, and
        `LimitExceededError`.
        """
        try:
            reply = self._served(command, connection.principal)
        except CicadaError as error:
            self._record(command, connection, error.code)
            raise
        self._record(command, connection)
        return reply

    def _served(self, command: AdminCommand, principal: Principal) -> AdminReply:
        if not self.group or self.group not in principal.groups:
            raise NoAdministratorError("You do not administer accounts here: ask those who run the service.")
        self.spend(principal, ADMINISTRATION)
        match command:
            case ListUsers():
                return self._page(command.after, principal)
            case AddUser():
                return self._add(command, principal)
            case DisableUser():
                return self._disable(command, principal)
            case EnableUser():
                account = self._of_tenant(command.name, principal)
                self.accounts.enable(account.name)
                return self._changed(account, principal)
            case SetGroups():
                return self._set_groups(command, principal)
            case ReadUse():
                return self.reports.use(principal.tenant, command.days)
            case ReadFeedback():
                return self.reports.ratings(principal.tenant, command.days)
            case ReadFailures():
                return self.reports.failures(principal.tenant, command.days)

    def _page(self, after: str | None, principal: Principal) -> UsersPage:
        """The page holds as many accounts as a frame does. Those of the default tenant need not be in its group."""
        group = "" if principal.tenant == self.default_tenant else tenant_group(principal.tenant)

        def page(most: int) -> UsersPage:
            found, following = self.accounts.page(group, after, most)
            mine = (each for each in found if self._is_of(each, principal))
            return UsersPage(tuple(self._summary(each, principal) for each in mine), self.group, following)

        return that_fits(page, _PAGES)

    def _add(self, command: AddUser, principal: Principal) -> UserChanged:
        if not can_be_named(command.name):
            raise UserRefusedError(f"This cannot be the name of a user: it has {NAME_RULE}.")
        groups = self._groups(command.groups, (), create=command.create_groups)
        # The tenant is named also where it is the default one: an account must not change it with the stage.
        initial = self.accounts.add(NewAccount(command.name, (tenant_group(principal.tenant), *groups)))
        # It is not read again: if that failed, the password would be lost.
        return UserChanged(UserSummary(command.name, "initial", tuple(sorted(groups))), initial_password=initial)

    def _disable(self, command: DisableUser, principal: Principal) -> UserChanged:
        account = self._of_tenant(command.name, principal)
        if account.sub == principal.user:
            raise UserRefusedError("You cannot disable yourself: ask another administrator.")
        disable, enable = partial(self.accounts.disable, account.name), partial(self.accounts.enable, account.name)
        self._unless_last(account, principal, disable, enable, takes_away=self.group in account.groups)
        ended_at = self.accounts.sign_out(account.name)
        closed = self.revoker.revoke(Principal(principal.tenant, account.sub), ended_at)
        return self._changed(account, principal, closed)

    def _set_groups(self, command: SetGroups, principal: Principal) -> UserChanged:
        account = self._of_tenant(command.name, principal)
        had = self._changeable(account)
        wanted = self._groups(command.groups, had, create=command.create_groups)
        add, remove = sorted({*wanted} - {*had}), sorted({*had} - {*wanted})
        change = partial(self.accounts.change_groups, account.name, add, remove)
        undo = partial(self.accounts.change_groups, account.name, remove, add)
        self._unless_last(account, principal, change, undo, takes_away=self.group in remove)
        return self._changed(account, principal)

    def _unless_last(
        self,
        account: Account,
        principal: Principal,
        change: Callable[[], None],
        undo: Callable[[], None],
        *,
        takes_away: bool,
    ) -> None:
        """Change the account, but take no administrator away if there is no other.

        Two may go at once, so it is looked at again after.
        """
        refused = UserRefusedError("This is the last administrator: make somebody else one before.")
        if takes_away and not self._has_other(account, principal):
            raise refused
        change()
        if takes_away and not self._has_other(account, principal):
            undo()
            raise refused

    def _has_other(self, account: Account, principal: Principal) -> bool:
        others = (each for each in self.accounts.members(self.group) if each.sub != account.sub)
        return any(each.state != "disabled" and self._is_of(each, principal) for each in others)

    def _of_tenant(self, name: str, principal: Principal) -> Account:
        """Raises `UserNotFoundError` for an account of another tenant too, in the same words."""
        try:
            account = self.accounts.account(name)
        except UserNotFoundError:
            account = None
        if account is None or not self._is_of(account, principal):
            raise UserNotFoundError("There is no such user in your organisation.")
        return account

    def _is_of(self, account: Account, principal: Principal) -> bool:
        """Whether the authorizer finds the user's tenant for the account; one that it refuses is of no tenant."""
        try:
            return tenant_of(account.groups, self.default_tenant) == principal.tenant
        except ValueError:
            return False

    def _groups(self, names: Iterable[str], had: Iterable[str], *, create: bool) -> list[str]:
        """The groups, each once. Raises `UserRefusedError` for one that cannot be given; other groups are not named."""
        found = list(dict.fromkeys(names))
        for name in found:
            if not can_be_named(name) or not self._can_be_given(name):
                raise UserRefusedError(f"The group “{name}” cannot be given here.")
            if not create and name not in had and not self.accounts.has_group(name):
                raise UserRefusedError(f"There is no group “{name}” yet.")
        return found

    def _can_be_given(self, group: str) -> bool:
        return not is_tenants(group) and not group.startswith(self.provider_prefix)

    def _changeable(self, account: Account) -> tuple[str, ...]:
        return tuple(filter(self._can_be_given, account.groups))

    def _changed(self, account: Account, principal: Principal, closed: int | None = None) -> UserChanged:
        return UserChanged(self._summary(self.accounts.account(account.name), principal), closed=closed)

    def _summary(self, account: Account, principal: Principal) -> UserSummary:
        you = True if account.sub == principal.user else None
        return UserSummary(account.name, account.state, self._changeable(account), account.email or None, you)

    def _record(self, command: AdminCommand, connection: Connection, refused: str = "") -> None:
        user = connection.principal
        self.audit(
            Administered(
                at=self.clock(),
                tenant=user.tenant,
                user=user.user,
                request_id=command.request_id,
                act=_ACTS[type(command)],
                account=getattr(command, "name", ""),
                groups=tuple(getattr(command, "groups", ())),
                refused=refused,
                login=user.login,
                connection_id=connection.connection_id,
            )
        )
