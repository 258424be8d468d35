"""Ends what a user has open on a deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.errors import CommandError
from cli.operator.tenants import TENANT

if TYPE_CHECKING:
    from cicada.conversation.revocation import Revoker
    from cli.deployment_target import DeploymentTarget
    from cli.operator.user_pool import Account, UserPool


class SignOuts:
    """Raises `CommandError` where the deployment has not the outputs that it needs, before anything is changed."""

    def __init__(self, target: DeploymentTarget, pool: UserPool) -> None:
        self._pool = pool
        self._default_tenant = target.default_tenant
        self._revoker = _revoker(target)

    def end(self, account: Account) -> int:
        """End all sign-ins of the account, close its connections and cancel its answers; how many were closed."""
        from cicada.errors import CicadaError  # imported late: the library is slow to import
        from cicada.identity import Principal

        ended_at = self._pool.sign_out(account.name)
        try:
            principals = [Principal(tenant, account.sub) for tenant in self._tenants(account)]
            return sum(self._revoker.revoke(each, ended_at) for each in principals)
        except CicadaError as error:
            raise CommandError(
                f"{account.name} is signed out, but open connections of {account.name} may go on for ten minutes, until"
                f" their access token expires: {error} Repeat the command."
            ) from error

    def _tenants(self, account: Account) -> list[str]:
        """All tenants of the account: one with two is let in no longer, and may have been let in before."""
        named = [group.removeprefix(TENANT) for group in account.groups if group.startswith(TENANT)]
        return named or [self._default_tenant]


def _revoker(target: DeploymentTarget) -> Revoker:
    from cicada.bootstrap.revocation import revoker

    endpoint = target.client("apigatewaymanagementapi", endpoint_url=target.output("CallbackUrl"))
    tables = target.output("RequestsTable"), target.output("ConnectionsTable")
    return revoker(target.client("dynamodb"), endpoint, *tables)
