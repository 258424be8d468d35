"""Signs a user of a deployment in, and renews the access token whenever a connection needs one.

How a token is refreshed:
https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-refresh-token.html
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from botocore.exceptions import BotoCoreError, ClientError

from cicada_client.errors import ConnectionLostError
from cli.aws_failures import code_of, failure_of, message_of
from cli.errors import CommandError
from cli.settings import Settings, read_settings
from cli.user.challenges import Challenges, Passwords
from cli.user.provider import Provider, provider_of

if TYPE_CHECKING:
    from cli.deployment_target import DeploymentTarget

_REFUSED_CODES = frozenset({"NotAuthorizedException", "UserNotFoundException", "UserNotConfirmedException"})
# A `NotAuthorizedException` says only in words that it is not about the password.
_DISABLED = "User is disabled."
_WRONG_CODES = frozenset({"CodeMismatchException", "EnableSoftwareTokenMFAException", "ExpiredCodeException"})
_OWNER_ONLY = 0o600
_BUSY_CODES = frozenset({"TooManyRequestsException", "LimitExceededException", "InternalErrorException"})


# Signs one user in anew: the `AuthenticationResult`. Raises `CommandError`.
Anew: TypeAlias = Callable[[], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class SavedSignIns:
    """Refresh tokens in a file that only this account of the machine may read, one a user of an app client.

    Access tokens are not kept: they last ten minutes.
    """

    path: Path

    def refresh_token(self, client_id: str, user: str) -> str | None:
        token = self._of(client_id)["users"].get(user)
        return token if isinstance(token, str) else None

    def last_user(self, client_id: str) -> str | None:
        """Who signed in last."""
        last = self._of(client_id).get("last")
        return last if isinstance(last, str) else None

    def save(self, client_id: str, user: str, refresh_token: str) -> None:
        """Raises OSError if the file cannot be written."""
        saved = self._of(client_id)
        self._write(client_id, {"users": {**saved["users"], user: refresh_token}, "last": user})

    def forget(self, client_id: str, user: str) -> None:
        """Forget the user's sign-in, if there is one."""
        saved = self._of(client_id)
        users = {name: token for name, token in saved["users"].items() if name != user}
        if users != saved["users"]:
            self._write(client_id, {"users": users, "last": next(reversed(users), None)})

    def _of(self, client_id: str) -> dict[str, Any]:
        found = self._read().get(client_id)
        if not isinstance(found, dict) or not isinstance(found.get("users"), dict):
            return {"users": {}, "last": None}
        return found

    def _read(self) -> dict[str, Any]:
        """The saved sign-ins; empty without a file, and for a foreign one: signing in again writes it anew."""
        try:
            found = json.loads(self.path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _write(self, client_id: str, saved: dict[str, Any]) -> None:
        """Replace the file as a whole: another command may be reading it."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        content = json.dumps({**self._read(), client_id: saved}, indent=1).encode()
        try:
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _OWNER_ONLY), "wb") as file:
                file.write(content)
            new.replace(self.path)
        finally:
            with suppress(OSError):
                new.unlink(missing_ok=True)


class SignIn:
    """Each call gives a fresh access token of one user.

    The first one uses the refresh token of an earlier sign-in, or else the password; later ones use the refresh token
    of this sign-in. Each refresh gives another refresh token and ends the one before, so the saved one counts: another
    command of the user may have renewed it. `saved` is None for sample users, whose passwords are in the stage's file.
    """

    def __init__(self, cognito: Any, client_id: str, user: str, anew: Anew, saved: SavedSignIns | None = None) -> None:
        self._cognito = cognito
        self._client_id = client_id
        self._user = user
        self._anew = anew
        self._saved = saved
        self._unsaved: str | None = None

    def __call__(self) -> str:
        """Raises `CommandError` if the user is not let in, `ConnectionLostError` if Cognito does not answer."""
        refresh_token = self._refresh_token()
        if refresh_token is not None and (token := self._refreshed(refresh_token)):
            return token
        return self._signed_in()

    def end(self) -> bool:
        """Forget the refresh token and revoke it. Whether there was one."""
        token = self._refresh_token()
        self._forget()
        if token is None:
            return False
        with _translated(self._user), suppress(self._cognito.exceptions.UnauthorizedException):
            self._cognito.revoke_token(Token=token, ClientId=self._client_id)
        return True

    def _refreshed(self, refresh_token: str) -> str | None:
        """A fresh access token; None if the refresh token has expired, or is revoked."""
        refused = self._cognito.exceptions.NotAuthorizedException, self._cognito.exceptions.RefreshTokenReuseException
        with _translated(self._user):
            try:
                reply = self._cognito.get_tokens_from_refresh_token(
                    ClientId=self._client_id, RefreshToken=refresh_token
                )
            except refused:
                renewed = self._refresh_token()
                if renewed not in (None, refresh_token):
                    return self._refreshed(str(renewed))
                self._forget()
                return None
        return self._kept(reply["AuthenticationResult"])

    def _signed_in(self) -> str:
        with _translated(self._user, "" if self._saved else " Restart the local stage with `make run`."):
            result = self._anew()
        return self._kept(result)

    def _refresh_token(self) -> str | None:
        return self._saved.refresh_token(self._client_id, self._user) if self._saved else self._unsaved

    def _kept(self, result: Mapping[str, Any]) -> str:
        """The access token. A refresh gives a new refresh token only where the pool rotates them."""
        refresh_token = result.get("RefreshToken")
        if refresh_token and self._saved:
            with writing(self._saved):
                self._saved.save(self._client_id, self._user, refresh_token)
        self._unsaved = refresh_token or self._unsaved
        return str(result["AccessToken"])

    def _forget(self) -> None:
        self._unsaved = None
        if self._saved:
            self._saved.forget(self._client_id, self._user)


def sign_in(target: DeploymentTarget, user: str | None) -> SignIn:
    """The sign-in of the user named here or by CICADA_USER, else of the last one; locally of the first sample user."""
    settings = read_settings()
    client_id = target.output("UserPoolClientId")
    cognito = target.client("cognito-idp")
    name = user or settings.user
    stage, provider = target.stage, provider_of(target)

    def anew(name: str, password: str | None) -> Anew:
        if provider and provider.has(name):
            return partial(_in_the_browser, name, target.flag)
        passwords = Passwords(password, target.title, target.flag)
        return Challenges(cognito, target.output("UserPoolId"), client_id, name, passwords).tokens

    if stage and (name is None or name in stage.passwords):
        name, password = stage.password(name)
        return SignIn(cognito, client_id, name, anew(name, password))
    saved = SavedSignIns(settings.sign_ins)
    name = name or saved.last_user(client_id) or _typed_name(target, provider)
    if stage and not _can_sign_in(settings, saved, client_id, name):
        others = ", ".join(stage.passwords) or "none"
        sentence = f"{name} is no sample user of the local stage, which are {others}: set CICADA_PASSWORD to sign in."
        raise CommandError(sentence, 2)
    return SignIn(cognito, client_id, name, anew(name, settings.password), saved)


def sign_in_with_provider(target: DeploymentTarget) -> str:
    """A fresh access token of whoever signs in in the browser; later commands take it that this is the user."""
    user = Provider(target).sign_in()
    saved = SavedSignIns(read_settings().sign_ins)
    with writing(saved):
        saved.save(target.output("UserPoolClientId"), user.name, str(user.result["RefreshToken"]))
    return str(user.result["AccessToken"])


def _in_the_browser(user: str, flag: str) -> Mapping[str, Any]:
    """Refuse an identity provider's user: no command opens a browser in the middle of its work."""
    raise CommandError(f"{user} signs in in the browser: run `cicada token --provider{flag}`.")


def _can_sign_in(settings: Settings, saved: SavedSignIns, client_id: str, user: str) -> bool:
    """Whether there is, or can be asked, what signs a user in who is no sample user."""
    return bool(settings.password or saved.refresh_token(client_id, user) or sys.stdin.isatty())


def _typed_name(target: DeploymentTarget, provider: Provider | None) -> str:
    other = f"To sign in with {provider.name}, run `cicada token --provider{target.flag}`." if provider else ""
    if not sys.stdin.isatty():
        raise CommandError(
            f"Nobody has signed in to {target.title} yet: name a --user, or set CICADA_USER. {other}".rstrip(), 2
        )
    if other:
        print(other, file=sys.stderr)
    name = input("User: ").strip()
    if not name:
        raise CommandError("There is no user without a name.", 2)
    return name


@contextmanager
def writing(saved: SavedSignIns) -> Iterator[None]:
    """Raise what the file system refuses as a sentence."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"{saved.path} cannot be written: {error.strerror}.") from error


@contextmanager
def _translated(user: str, advice: str = "") -> Iterator[None]:
    """Raise what Cognito says as a sentence. No reply is `ConnectionLostError`, after which it is tried again."""
    try:
        yield
    except ClientError as error:
        code, message = code_of(error), message_of(error)
        if code in _REFUSED_CODES:
            mend = "" if message == _DISABLED else advice
            raise CommandError(f"{user} is not let in: {message.rstrip('.') or code}.{mend}") from error
        if code == "PasswordResetRequiredException":
            raise CommandError(
                f"The password of {user} was reset; an administrator sets another one with `cicada user password`."
            ) from error
        if code in _WRONG_CODES:
            raise CommandError("That code is wrong, or was used before: try again with the next one.", 2) from error
        if code == "InvalidPasswordException":
            raise CommandError(f"That password is not allowed: {message}", 2) from error
        if code in _BUSY_CODES:
            raise ConnectionLostError(f"Cognito is busy ({code}): try again in a minute.") from error
        raise failure_of(error) or CommandError(message) from error
    except BotoCoreError as error:
        raise ConnectionLostError(str(failure_of(error))) from error
