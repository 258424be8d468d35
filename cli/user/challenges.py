"""Answers what a user pool asks in a sign-in: a proof of the password, a new one, codes of an app.

The password is that of CICADA_PASSWORD, or a person at a terminal types it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from getpass import getpass
from typing import Any

from cicada_client.password_proof import PasswordProof
from cli.errors import CommandError

_FURTHER_STEPS = 4


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


class Challenges:
    """The sign-in of one user with the password, and what the pool asks after it."""

    def __init__(self, cognito: Any, pool_id: str, client_id: str, user: str, passwords: Passwords) -> None:
        self._cognito = cognito
        self._pool_id = pool_id
        self._client_id = client_id
        self._user = user
        self._passwords = passwords
        # Cognito's own name of the user, which it gives with its first challenge.
        self._username = user

    def tokens(self) -> Mapping[str, Any]:
        """The `AuthenticationResult`. Raises `CommandError` for a step that is unknown here or that nobody can take."""
        reply = self._proven()
        for _ in range(_FURTHER_STEPS):
            if "AuthenticationResult" in reply:
                break
            reply = self._answered(reply)
        result: Mapping[str, Any] = reply["AuthenticationResult"]
        return result

    def _proven(self) -> Any:
        """The reply to a proof of the password, which is not sent."""
        proof = PasswordProof(self._pool_id, self._user, self._passwords.current(self._user))
        asked = self._cognito.initiate_auth(
            AuthFlow="USER_SRP_AUTH", ClientId=self._client_id, AuthParameters=proof.parameters
        )
        responses = proof.responses(asked["ChallengeParameters"])
        self._username = responses["USERNAME"]
        return self._respond("PASSWORD_VERIFIER", asked.get("Session"), responses)

    def _answered(self, asked: Any) -> Any:
        name, session = asked.get("ChallengeName"), asked.get("Session")
        if name == "NEW_PASSWORD_REQUIRED":
            return self._respond(name, session, {"NEW_PASSWORD": self._passwords.chosen(self._user)})
        if name == "SOFTWARE_TOKEN_MFA":
            return self._respond(name, session, {"SOFTWARE_TOKEN_MFA_CODE": self._passwords.code(self._user)})
        if name == "MFA_SETUP":
            return self._respond(name, self._with_authenticator(session), {})
        raise CommandError(
            f"{self._user} signs in with a further step ({name}) that this command does not have; sign in elsewhere"
            " and set CICADA_TOKEN."
        )

    def _with_authenticator(self, session: str) -> str:
        """The session after the user has added an authenticator app, which the pool requires."""
        begun = self._cognito.associate_software_token(Session=session)
        code = self._passwords.first_code(self._user, begun["SecretCode"])
        verified = self._cognito.verify_software_token(Session=begun["Session"], UserCode=code)
        return str(verified["Session"])

    def _respond(self, challenge: str, session: str | None, responses: Mapping[str, str]) -> Any:
        # Cognito gives no session with PASSWORD_VERIFIER: the secret block stands for it.
        named = {"Session": session} if session else {}
        return self._cognito.respond_to_auth_challenge(
            ClientId=self._client_id,
            ChallengeName=challenge,
            ChallengeResponses={"USERNAME": self._username, **responses},
            **named,
        )
