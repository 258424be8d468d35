"""`cicada erase`: everything that a stage keeps of one person."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from cli.arguments import Options, command, json_option, stack_option
from cli.errors import CommandError
from cli.operator.tenants import tenant_named, tenant_of_account
from cli.screen import ask_first
from cli.text import clean_line, to_json

if TYPE_CHECKING:
    from cicada.identity import Principal
    from cli.deployment_target import DeploymentTarget
    from cli.operator.user_erasure import DynamoErasure
    from cli.operator.user_pool import Account, UserPool

# A processor that writes its last event while the rows are read leaves some behind; another round finds them.
_ROUNDS = 5


@command(
    "erase",
    short_help="delete what a stage keeps of a person",
    help="Delete the requests, answers, sessions, profiles, theories, connections and usage of a user. The"
    " account must be disabled, so that nothing new is stored meanwhile; with --account it is disabled, and deleted"
    " at the end. An interrupted run is repeated: it goes on where it stopped.",
    epilog="example: cicada erase ann --tenant acme --account --stack Cicada-dev",
)
@click.argument("name", metavar="USER", help="the user's name; of a deleted account its id (sub)")
@click.option("--tenant", metavar="NAME", required=True, help="the tenant whose data of the user are deleted")
@click.option("--account", is_flag=True, help="delete the account too")
@click.option("--yes", is_flag=True, help="do not ask before deleting, as scripts must")
@stack_option
@json_option
def erase(options: Options) -> int:
    """0 if nothing of the user is left. Refused before anything is deleted if more could be stored meanwhile."""
    from cicada.errors import CicadaError  # imported late: the library and boto3 are slow to import
    from cli.deployment_target import open_target
    from cli.operator.user_pool import UserPool

    tenant_named(options.tenant)
    target = open_target(options.stack)
    pool = UserPool.of(target)
    erasure = _erasure(target)
    try:
        principal = _principal(options, pool, target, erasure)
        counts = _erased(erasure, principal)
    except CicadaError as error:
        raise CommandError(f"Not everything is deleted: {error} Run the command again.") from error
    if options.account:
        pool.delete(options.name)
    _tell(options, counts)
    return 0


def _principal(options: Options, pool: UserPool, target: DeploymentTarget, erasure: DynamoErasure) -> Principal:
    """The user whose rows are deleted, when that is confirmed; the account is disabled and has no sign-ins then.

    Raises `CommandError` for one who can sign in, is of another tenant, or of whom there is nothing.
    """
    from cicada.identity import Principal
    from cli.operator.sign_outs import SignOuts

    accounts = pool.accounts()
    account = next((each for each in accounts if options.name in (each.name, each.sub)), None)
    if account is None:
        principal = Principal(options.tenant, options.name)
        _require_rows(principal, erasure, [each.name for each in accounts])
        _confirm(options, f"the deleted account {options.name}")
        return principal
    _require_closed(account, options, target)
    _confirm(options, f"{account.name}{', and the account' if options.account else ''}")
    sign_outs = SignOuts(target, pool)
    if account.state != "disabled":
        pool.disable(account.name)
    # A disabled account may have a good token still, if an earlier run stopped here or nobody signed it out.
    sign_outs.end(account)
    return Principal(options.tenant, account.sub)


def _require_closed(account: Account, options: Options, target: DeploymentTarget) -> None:
    """Raises `CommandError` for a user of another tenant, and for one who can sign in and keeps the account."""
    tenant = tenant_of_account(account, target.default_tenant)
    if tenant != options.tenant:
        raise CommandError(f"Nothing was done: {account.name} is a user of {tenant}, not of {options.tenant}.", 2)
    if account.state != "disabled" and not options.account:
        raise CommandError(
            f"Nothing was done: {account.name} can sign in and would store more. Give --account to delete the account"
            f" too, or first: cicada user disable {account.name}{target.flag}",
            2,
        )


def _require_rows(principal: Principal, erasure: DynamoErasure, names: list[str]) -> None:
    from cicada.text import did_you_mean

    if not erasure.has_rows(principal):
        raise CommandError(
            f"Nothing was done: there is no account {principal.user}, and nothing is kept in {principal.tenant} of a"
            f" deleted one with this id (sub){did_you_mean(principal.user, names)}",
            2,
        )


def _confirm(options: Options, whose: str) -> None:
    if not options.yes:
        ask_first(f"Delete all that {options.tenant} keeps of {clean_line(whose)}? It cannot be restored.")


def _erasure(target: DeploymentTarget) -> DynamoErasure:
    from cli.operator.user_erasure import DynamoErasure

    tables = (target.output(f"{name}Table") for name in ("Requests", "Entries", "Connections"))
    return DynamoErasure(target.client("dynamodb"), *tables)


def _erased(erasure: DynamoErasure, principal: Principal) -> dict[str, int]:
    """The rows that were deleted, by kind. Connections go first: their commands are refused from then on."""
    total = {"connections": erasure.erase_connections(principal)}
    if going := erasure.answers_under_way(principal, time.time()):
        raise CommandError(f"{going} answers to the user are under way; run the command again when they have ended.")
    for _ in range(_ROUNDS):
        found = {
            "connections": erasure.erase_connections(principal),
            **erasure.erase_requests(principal),
            **erasure.erase_entries(principal),
        }
        total = {name: total.get(name, 0) + number for name, number in found.items()}
        if not any(found.values()):
            return total
    raise CommandError("Rows of the user are still being written; run the command again in a minute.")


def _tell(options: Options, counts: dict[str, int]) -> None:
    if options.json:
        print(to_json({"user": options.name, "tenant": options.tenant, "account": options.account, "deleted": counts}))
        return
    removed = ", ".join(f"{number} {name}" for name, number in counts.items())
    print(f"Deleted of {options.name} in {options.tenant}: {removed}{', and the account' if options.account else ''}.")
