"""`python -m bench.load --users 20 --minutes 2`: how a stage answers many users at once (docs/operations/limits.md).

Uses a local stage of its own, or the deployed one that `--stack` names, whose users `--user` names: they sign in as for
`cicada ask`. It leaves the knowledge base `load`. `--predict` only prints what is expected of 10 to 100,000 users.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.own_stage import say, undisturbed_stage
from cicada_client.client import Client
from cli.deployment_target import DeploymentTarget, local_target, open_target
from cli.errors import CommandError
from cli.local_stage import read_stage
from cli.user.sign_in import sign_in
from clients.documents.uploader import Uploader
from infra.concurrency import NEW_ACCOUNT, concurrency_budget
from local.stage.settings import StageError
from tests.load.quotas import SIZES_HEADER, size_rows
from tests.load.report import rows
from tests.load.users import TIMING, Connect, run

_MOST_USERS, _MOST_MINUTES = 200, 20
# A user may have ten connections, the default of `-c connectionsPerUser`, and a cut one is a while in the list.
_CONNECTIONS_A_USER = 8
_LANES = 8


@dataclass(frozen=True, slots=True)
class Place:
    """Where to ask. `names`: the accounts, which the users share. `processors`: how many answer at once."""

    target: DeploymentTarget
    names: list[str]
    tenant: str
    processors: int

    def connects(self, users: int) -> list[Connect]:
        """How each user connects."""
        url, providers = self.target.output("WebSocketUrl"), [sign_in(self.target, name) for name in self.names]
        return [partial(Client, url, providers[n % len(providers)], timing=TIMING) for n in range(users)]


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    if options.predict:
        _print([SIZES_HEADER, ["---"] * len(SIZES_HEADER), *size_rows()])
        return 0
    try:
        with _place(options) as place, tempfile.TemporaryDirectory() as folder:
            uploader = Uploader(place.target.client("s3"), place.target.output("DocumentsBucket"), 300)
            say(f"{options.users} users for {options.minutes:g} minutes; load {os.getloadavg()[0]:.1f} before.")
            connects = place.connects(options.users)
            found = run(connects, uploader, place.tenant, Path(folder), options.minutes, options.pause)
    except (CommandError, StageError) as error:
        say(str(error))
        return 1
    shown = rows(found, users=options.users, pause=options.pause, processors=place.processors)
    head = ["", f"{options.users} users, {options.minutes:g} minutes, pauses of {options.pause:g} s"]
    print(json.dumps(shown, indent=1)) if options.json else _print([head, ["---"] * 2, *shown])
    return 0


@contextmanager
def _place(options: argparse.Namespace) -> Iterator[Place]:
    """Raises `CommandError` for what cannot carry so many users."""
    if options.stack is None:
        with undisturbed_stage("load", processors=str(_LANES)) as config:
            stage = read_stage(config.info_file)
            target = local_target(stage)
            yield Place(target, list(stage.passwords), target.default_tenant, _LANES)
        return
    target = open_target(options.stack)
    tenant = options.tenant or target.default_tenant
    if not tenant:
        raise CommandError("Name the --tenant of the users.")
    if options.users > _CONNECTIONS_A_USER * len(options.user):
        needed = -(-options.users // _CONNECTIONS_A_USER)
        raise CommandError(f"{options.users} users need {needed} accounts: name each by --user.")
    yield Place(target, options.user, tenant, concurrency_budget(options.account_concurrency).answers)


def _print(table: list[list[str]]) -> None:
    print("\n".join(f"| {' | '.join(row)} |" for row in table))


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--users", type=int, default=20, choices=range(1, _MOST_USERS + 1), metavar="N")
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--pause", type=float, default=10, help="mean seconds from an answer to the next question")
    parser.add_argument("--stack", help="a deployed stage (default: a local one of its own)")
    parser.add_argument("--user", action="append", default=[], help="an account of that stage; repeatable")
    parser.add_argument("--tenant", help="of the accounts (default: the stack's default tenant)")
    parser.add_argument(
        "--account-concurrency", type=int, default=NEW_ACCOUNT, help="as the stack was deployed with (default: 10)"
    )
    parser.add_argument("--predict", action="store_true", help="only print the table of sizes")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    if not 0 < options.minutes <= _MOST_MINUTES:
        parser.error(f"--minutes {options.minutes:g} cannot be used: give more than 0 and at most {_MOST_MINUTES}.")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
