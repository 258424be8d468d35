"""`cicada user`: the accounts of a stage."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from cli.arguments import Group, Options, json_option, stack_option, together
from cli.errors import CommandError
from cli.operator.tenants import TENANT, plain_groups, plain_groups_of, tenant_named, tenant_of_account, tenant_option
from cli.screen import open_screen
from cli.text import clean_line, to_json

if TYPE_CHECKING:
    from cli.deployment_target import DeploymentTarget
    from cli.operator.sign_outs import SignOuts
    from cli.operator.user_pool import Account, UserPool

_INITIAL_DAYS = 7  # Cognito's default for a temporary password


_ENDS = (
    "The user's connections are closed within seconds, answers under way are cancelled, and access tokens from before"
    " are refused."
)

user = Group(
    "user",
    short_help="add, list, disable and delete users, sign them out, and change their groups",
    help="The accounts of the local stage, or with --stack of a stage on AWS. A user belongs to one tenant; groups"
    " decide which restricted documents a user may read.",
    epilog="example: cicada user add alice --email alice@example.org --group hr --stack Cicada-dev",
)
_account_options = together(click.argument("name", metavar="USER", help="the user's name"), stack_option, json_option)
_create_option = click.option("--create-group", is_flag=True, help="make the groups that are named and not there yet")
_password_option = click.option(
    "--password-stdin", is_flag=True, help="read a password from the first line of standard input; the user keeps it"
)


@user.command(
    "add",
    short_help="create an account",
    help="Create an account with its groups. With --email Cognito sends an invitation with an initial password;"
    " otherwise one is printed. It is valid for 7 days, and replaced by the user at the first sign-in.",
    epilog="example: cicada user add alice --email alice@example.org --tenant acme --group hr",
)
@tenant_option("the tenant whose documents are asked")
@click.option("--group", metavar="NAME", multiple=True, help="a group; repeatable")
@_create_option
@click.option("--email", metavar="ADDRESS", default="", help="where the invitation is sent")
@_password_option
@_account_options
def add(options: Options) -> int:
    """0 if the account exists with all its groups; if not, nothing was created."""
    from cli.operator.user_pool import NewAccount  # imported late: boto3 is slow to import

    _check_name(options.name)
    groups = plain_groups(options.group) + ([tenant_named(options.tenant)] if options.tenant else [])
    password = _given_password(options)
    target, pool = _pool(options)
    if not options.tenant and not target.default_tenant:
        raise CommandError(f"Name the tenant of {options.name} with --tenant: {target.title} has no default tenant.", 2)
    _require_groups(pool, plain_groups(options.group), options)
    initial = pool.add(NewAccount(options.name, groups, options.email, password))
    invited = options.email if initial is None and password is None else ""
    if options.json:
        made = _fields(pool.account(options.name), target.default_tenant)
        print(to_json(made | {"initialPassword": initial, "invited": bool(invited)}))
        return 0
    print(f"{clean_line(options.name)} is a user of {target.title}.")
    if invited:
        print(f"Cognito sends an invitation with an initial password to {clean_line(invited)}.")
    _tell_next_step(target, options.name, initial, has_password=password is not None)
    return 0


@user.command("list", short_help="who there is", epilog="example: cicada user list --tenant acme")
@click.option("--tenant", metavar="NAME", help="only users of this tenant")
@stack_option
@json_option
def list_(options: Options) -> int:
    """0, also if there is nobody."""
    target, pool = _pool(options)
    default = target.default_tenant
    accounts = [each for each in pool.accounts() if options.tenant in (None, tenant_of_account(each, default))]
    if options.json:
        print(to_json({"users": [_fields(each, default) for each in accounts]}))
        return 0
    from cli.operator.user_pool import state_of  # imported late: boto3 is slow to import

    head = ("USER", "STATE", "TENANT", "GROUPS", "EMAIL")
    rows = [
        (each.name, state_of(each), tenant_of_account(each, default), ", ".join(plain_groups_of(each)), each.email)
        for each in accounts
    ]
    if rows:
        open_screen().table([head, *rows])
    else:
        print("There is no user; `cicada user add NAME` creates one.")
    return 0


@user.command(
    "disable",
    short_help="let a user sign in no longer, and end what the user has open",
    help=f"Let a user sign in no longer, and end what the user has open. {_ENDS}",
    epilog="example: cicada user disable alice",
)
@_account_options
def disable(options: Options) -> int:
    """0 if the user can sign in no longer, and has nothing open."""
    target, pool, sign_outs = _sign_outs(options)
    pool.disable(options.name)
    closed = sign_outs.end(pool.account(options.name))
    return _show_changed(options, target, pool, f"can sign in no longer. {_closed(closed)}")


@user.command(
    "sign-out",
    short_help="sign a user out on all devices",
    help=f"Sign a user out on all devices. {_ENDS}",
    epilog="example: cicada user sign-out alice",
)
@_account_options
def sign_out(options: Options) -> int:
    """0 if the user has nothing open, and has to sign in again."""
    target, pool, sign_outs = _sign_outs(options)
    closed = sign_outs.end(pool.account(options.name))
    return _show_changed(options, target, pool, f"has to sign in again. {_closed(closed)}")


@user.command(
    "delete",
    short_help="delete an account, and end what the user has open",
    help=f"Delete an account, and end what the user has open. {_ENDS}",
    epilog="example: cicada user delete alice",
)
@_account_options
def delete(options: Options) -> int:
    """0 if there is no such account any more. It is disabled first, so that nobody signs in meanwhile."""
    _, pool, sign_outs = _sign_outs(options)
    account = pool.account(options.name)
    pool.disable(options.name)
    closed = sign_outs.end(account)
    pool.delete(options.name)
    if options.json:
        print(to_json({"name": account.name, "sub": account.sub, "deleted": True}))
    else:
        print(f"{clean_line(options.name)} (sub {clean_line(account.sub)}) is deleted. {_closed(closed)}")
    return 0


@user.command("enable", short_help="let a disabled user in again", epilog="example: cicada user enable alice")
@_account_options
def enable(options: Options) -> int:
    """0 if the user can sign in."""
    target, pool = _pool(options)
    pool.enable(options.name)
    return _show_changed(options, target, pool, "can sign in again.")


@user.command(
    "groups",
    short_help="show and change the groups of a user",
    help="Show the groups of a user, after adding and removing those that are named. They count from the user's next"
    " access token, in ten minutes at the latest.",
    epilog="example: cicada user groups alice --add hr --remove sales",
)
@click.option("--add", metavar="NAME", multiple=True, help="a group to add; repeatable")
@click.option("--remove", metavar="NAME", multiple=True, help="a group to remove; repeatable")
@_create_option
@click.option("--tenant", metavar="NAME", help="move the user to this tenant")
@_account_options
def groups(options: Options) -> int:
    """0 if the user has the groups as wanted."""
    add, remove = plain_groups(options.add), plain_groups(options.remove)
    if both := sorted(set(add) & set(remove)):
        raise CommandError(f"{both[0]} cannot be added and removed at once.", 2)
    target, pool = _pool(options)
    pool.groups(options.name)  # an unknown user is named first
    _require_groups(pool, add, options)
    if options.tenant:
        wanted = tenant_named(options.tenant)
        add = [*add, wanted]
        remove += [each for each in pool.groups(options.name) if each.startswith(TENANT) and each != wanted]
    pool.change_groups(options.name, add, remove)
    account = pool.account(options.name)
    groups = ", ".join(plain_groups_of(account)) or "none"
    tenant = tenant_of_account(account, target.default_tenant)
    return _show_changed(options, target, pool, f"is of the tenant {tenant}, with the groups: {groups}.")


@user.command(
    "password",
    short_help="give a user a new password",
    help="Give a user a new initial password, which the user replaces at the next sign-in.",
    epilog="example: cicada user password alice",
)
@_password_option
@_account_options
def password(options: Options) -> int:
    """0 if the user has the password."""
    from cli.operator.user_pool import generated_password  # imported late: boto3 is slow to import

    given = _given_password(options)
    initial = None if given else generated_password()
    target, pool = _pool(options)
    pool.set_password(options.name, given or initial or "", permanent=given is not None)
    if options.json:
        print(to_json(_fields(pool.account(options.name), target.default_tenant) | {"initialPassword": initial}))
        return 0
    _tell_next_step(target, options.name, initial, has_password=given is not None)
    return 0


def _pool(options: Options) -> tuple[DeploymentTarget, UserPool]:
    # Imported late: boto3 is slow to import.
    from cli.deployment_target import open_target
    from cli.operator.user_pool import UserPool

    target = open_target(options.stack)
    return target, UserPool.of(target)


def _require_groups(pool: UserPool, names: list[str], options: Options) -> None:
    """Raises `CommandError` for a group that is new: who may read what hangs on the exact names."""
    from cicada.text import did_you_mean

    known = pool.all_groups() if names and not options.create_group else frozenset(names)
    for name in names:
        if name not in known:
            meant = did_you_mean(name, sorted(each for each in known if not each.startswith(TENANT)))
            raise CommandError(f"There is no group {name}{meant} --create-group makes a new one.", 2)


def _check_name(name: str) -> None:
    """Raises `CommandError` for a name that Cognito refuses."""
    from cicada.permissions import MAX_NAME, can_be_named  # imported late: the library is slow to import

    if not can_be_named(name):
        raise CommandError(
            f"“{clean_line(name)}” cannot be the name of a user: it has 1 to {MAX_NAME} letters, digits and signs,"
            " and no blanks.",
            2,
        )


def _sign_outs(options: Options) -> tuple[DeploymentTarget, UserPool, SignOuts]:
    from cli.operator.sign_outs import SignOuts

    target, pool = _pool(options)
    return target, pool, SignOuts(target, pool)


def _closed(connections: int) -> str:
    return f"{connections} open connection{' was' if connections == 1 else 's were'} closed."


def _tell_next_step(target: DeploymentTarget, name: str, initial: str | None, *, has_password: bool) -> None:
    if initial is not None:
        print(f"Initial password, for {_INITIAL_DAYS} days: {initial}")
    page = target.outputs.get("PageUrl")
    where = f" or at {page}" if page else ""
    choosing = "" if has_password else ", and chooses a password of their own"
    print(f"Next: {clean_line(name)} signs in with `cicada token {name}{target.flag}`{where}{choosing}.")


def _show_changed(options: Options, target: DeploymentTarget, pool: UserPool, sentence: str) -> int:
    if options.json:
        print(to_json(_fields(pool.account(options.name), target.default_tenant)))
    else:
        print(f"{clean_line(options.name)} {clean_line(sentence)}")
    return 0


def _given_password(options: Options) -> str | None:
    if not options.password_stdin:
        return None
    password = sys.stdin.readline().rstrip("\r\n")
    if not password:
        raise CommandError("There is no password on standard input.", 2)
    return password


def _fields(account: Account, default: str) -> dict[str, Any]:
    from cli.operator.user_pool import state_of

    return {
        "name": account.name,
        "state": state_of(account),
        "sub": account.sub,
        "tenant": tenant_of_account(account, default),
        "groups": plain_groups_of(account),
        "email": account.email,
        "createdAt": account.created_at,
    }
