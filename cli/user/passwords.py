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
        self._require_terminal(user, "has an initial password and must choose another one")
        first = getpass(f"Choose a password for {user}: ")
        if getpass("The same again: ") != first:
            raise CommandError("The two are not the same; nothing has changed.", 2)
        return first

    def code(self, user: str) -> str:
        """The code of an authenticator app. Raises `CommandError` if there is nobody to ask."""
        self._require_terminal(user, "signs in with a code of an authenticator app")
        return getpass(f"Code of the authenticator app for {user}: ").strip()

    def first_code(self, user: str, key: str) -> str:
        """The first code of an app to which the user adds the key. Raises `CommandError` if there is nobody to ask."""
        self._require_terminal(user, "must add an authenticator app")
        print(f"{user} signs in with a second step. Add this key to an authenticator app: {key}", file=sys.stderr)
        return getpass("Code that the app shows: ").strip()

    def _require_terminal(self, user: str, what: str) -> None:
        if not sys.stdin.isatty():
            raise CommandError(f"{user} {what}: run `cicada token {user}{self.flag}` on a terminal.")
