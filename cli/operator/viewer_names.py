"""Unknown viewers of documents: a misspelt name, or a group that was never made.

Ingest does not ask the user pool: a document may name a group that is made later, and must not wait for Cognito.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from cli.arguments import Options
from cli.errors import CommandError
from cli.text import clean_line

if TYPE_CHECKING:
    from cli.operator.user_pool import UserPool

# Each is looked up by itself: a pool may have millions of users.
MOST_USERS = 100


class ViewerNames:
    """What one run of a command finds out about the viewers of a tenant's documents, each asked for once.

    `pool` is opened, with the deployment's default tenant, for the first viewer that is named. `failure`: why viewers
    could not be looked up, empty as long as they could; after that nothing is said of viewers.
    """

    def __init__(self, pool: Callable[[], tuple[UserPool, str]], tenant: str) -> None:
        self._open = pool
        self._tenant = tenant
        self._users: dict[str, str] = {}
        self.failure = ""

    def unknown(self, viewers: Iterable[str]) -> list[str]:
        """The unknown ones, in their order, with what may be meant."""
        found = []
        for viewer in viewers:
            kind, _, name = viewer.partition(":")
            if kind in ("user", "group") and not self.failure:
                found.append(self._found_out(kind, name))
        return [] if self.failure else [each for each in found if each]

    def _found_out(self, kind: str, name: str) -> str:
        """What to say of an unknown viewer; empty for one that somebody is, or if that could not be found out."""
        try:
            if kind == "user":
                return self._user(name)
            return "" if name in self._groups else f"group:{name}"
        except CommandError as error:
            self.failure = str(error)
            return ""

    @cached_property
    def _pool(self) -> tuple[UserPool, str]:
        return self._open()

    @cached_property
    def _groups(self) -> frozenset[str]:
        return self._pool[0].all_groups()

    def _user(self, sub: str) -> str:
        if sub not in self._users:
            if len(self._users) == MOST_USERS:
                raise CommandError(f"They name more than {MOST_USERS} users.")
            self._users[sub] = self._looked_up(sub)
        return self._users[sub]

    def _looked_up(self, sub: str) -> str:
        from cli.operator.tenants import tenant_of_account

        pool, default_tenant = self._pool
        name = pool.name_of(sub)
        if name is None:
            known = pool.sub_of(sub)
            return f"user:{sub} (the account of that name is user:{known})" if known else f"user:{sub}"
        tenant = tenant_of_account(pool.account(name), default_tenant)
        return "" if tenant == self._tenant else f"user:{sub} (the account {name} is not of the tenant {self._tenant})"


def viewer_names(options: Options) -> ViewerNames:
    """The viewer names of the tenant that the command is about."""
    from cli.operator.tenants import tenant_of_documents

    def pool() -> tuple[UserPool, str]:
        # Imported late: boto3 is slow to import.
        from cli.deployment_target import open_target
        from cli.operator.user_pool import UserPool

        target = open_target(options.stack)
        return UserPool.of(target), target.default_tenant

    return ViewerNames(pool, tenant_of_documents(options))


def note_on(unknown: Sequence[str]) -> str:
    """The sentence for a person."""
    return f"names unknown readers: {', '.join(map(clean_line, unknown))}"


def note_on_failure(failure: str) -> str:
    return f"Whether somebody is each named reader could not be looked up: {clean_line(failure)}"
