"""Where a user's password comes from: CICADA_PASSWORD, or a person at a terminal."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from getpass import getpass

from cli.errors import CommandError


@dataclass(frozen=True, slots=True)
class Passwords:
    """`given`: the password of CICADA_PASSWORD, if it is set. `target` is what the prompt calls the deployment."""

    given: str | None
    target: str
    flag: str

    def current(self, user: str) -> str:
        """Raises `CommandError` if there is nobody to ask."""
        if self.given:
            return self.given
        if not sys.stdin.isatty():
            raise CommandError(
                f"There is no password for {user}: set CICADA_PASSWORD, or sign in once on a terminal with"
                f" `cicada token {user}{self.flag}`.",
                2,
            )
        return getpass(f"Password of {user} on {self.target}: ")

    def chosen(self, user: str) -> str:
        """A new password, typed twice. Raises `CommandError` if there is nobody to ask, or if the two differ."""
        if not sys.stdin.isatty():
            raise CommandError(
                f"{user} has an initial password and must choose another one: run `cicada token {user}{self.flag}` on"
                " a terminal."
            )
        first = getpass(f"Choose a password for {user}: ")
        if getpass("The same again: ") != first:
            raise CommandError("The two are not the same; nothing has changed.", 2)
        return first
