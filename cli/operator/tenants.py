"""The tenant of an account, and its other groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import click

from cli.arguments import Options, Run
from cli.errors import CommandError

if TYPE_CHECKING:
    from cli.operator.user_pool import Account

TENANT = "tenant:"
# What no name of a tenant begins with.
_NONE = "none: "


def tenant_option(meaning: str) -> Callable[[Run], Run]:
    """`--tenant`, to be read by `tenant_of_documents`."""
    return click.option("--tenant", metavar="NAME", help=f"{meaning}; needed where the stack has no default tenant")


def tenant_of_documents(options: Options) -> str:
    """The tenant that is named, or the deployment's default tenant. Raises `CommandError` if there is neither."""
    if options.tenant is None:
        from cli.deployment_target import open_target  # imported late: boto3 is slow to import

        target = open_target(options.stack)
        if not target.default_tenant:
            raise CommandError(f"Name the tenant with --tenant: {target.title} has no default tenant.", 2)
        options.tenant = target.default_tenant
    return str(options.tenant)


def plain_groups(names: Sequence[str]) -> list[str]:
    """The groups, each once. Raises `CommandError` for the group of a tenant: a user must not get a second one."""
    if any(name.startswith(TENANT) for name in names):
        raise CommandError("The group of a tenant is set with --tenant.", 2)
    return list(dict.fromkeys(names))


def tenant_named(tenant: str) -> str:
    """The group of the tenant. Raises `CommandError` for a name that no tenant can have."""
    from cicada.identity import tenant_group

    try:
        return tenant_group(tenant)
    except ValueError as error:
        raise CommandError(
            f"{tenant} cannot be the name of a tenant: letters, digits and hyphens, 63 at most.", 2
        ) from error


def tenant_of_account(account: Account, default: str) -> str:
    """The tenant that the authorizer finds, or `none: ` and why it refuses; `default` is the stage's default tenant."""
    from cicada.identity import is_tenants, tenant_of

    try:
        return tenant_of(account.groups, default)
    except ValueError:
        named = [group.removeprefix(TENANT) for group in account.groups if is_tenants(group)]
        if not named:
            return f"{_NONE}in no tenant's group"
        return f"{_NONE}in the groups of {' and '.join(named)}" if len(named) > 1 else f"{_NONE}its name is wrong"


def without_tenant(accounts: Iterable[Account], default: str) -> list[Account]:
    """The accounts that the authorizer refuses, because they have not exactly one tenant."""
    return [each for each in accounts if tenant_of_account(each, default).startswith(_NONE)]


def plain_groups_of(account: Account) -> list[str]:
    """The account's groups that do not name a tenant."""
    return [group for group in account.groups if not group.startswith(TENANT)]
