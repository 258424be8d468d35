"""Sign-in with the identity provider of a stack, in the browser: a code with a proof key (RFC 8252, RFC 7636)."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
import sys
import webbrowser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from cli.errors import CommandError
from cli.user.loopback import listening

if TYPE_CHECKING:
    from cli.deployment_target import DeploymentTarget

# The output that only a stack with a provider has.
_NAME = "IdentityProvider"
# The page asks for the same (clients/web/provider.js).
_SCOPES = "openid email"
_WAIT_SECONDS = 300.0
_EXCHANGE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class FederatedUser:
    """`name`: Cognito's, as `Okta_00u1`. `result`: the tokens, named as in an `AuthenticationResult`."""

    name: str
    result: Mapping[str, Any]


class Provider:
    """The identity provider of a stack. Raises `CommandError` if the stack has none."""

    def __init__(self, target: DeploymentTarget) -> None:
        if _NAME not in target.outputs:
            raise CommandError(
                f"{target.title} has no identity provider: name a user, who signs in with a password.", 2
            )
        self.name = target.output(_NAME)
        self._url = target.output("SignInUrl")
        self._addresses = target.output("TerminalSignInUrls").split()
        self._client_id = target.output("UserPoolClientId")

    def has(self, user: str) -> bool:
        """Whether the user is of the provider: Cognito begins their names with its."""
        return user.startswith(f"{self.name}_")

    def sign_in(self) -> FederatedUser:
        """Open the browser, and wait for the user to come back. Raises `CommandError`."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        with listening(self._addresses) as back:
            self._open_browser(self._address(back.address, state, nonce, verifier))
            query = back.query(state, _WAIT_SECONDS)
        if "code" not in query:
            raise CommandError(
                f"You were not signed in with {self.name}. Try again, or ask those who run this service."
            )
        reply = self._exchanged(query["code"], back.address, verifier)
        claims = _claims(reply["id_token"])
        if claims.get("nonce") != nonce:
            raise CommandError("The tokens are of another sign-in; begin again.")
        result = {"AccessToken": reply["access_token"], "RefreshToken": reply["refresh_token"]}
        return FederatedUser(str(claims["cognito:username"]), result)

    def _address(self, back: str, state: str, nonce: str, verifier: str) -> str:
        digest = hashlib.sha256(verifier.encode()).digest()
        parameters = {
            "response_type": "code",
            "client_id": self._client_id,
            "redirect_uri": back,
            "scope": _SCOPES,
            "state": state,
            "nonce": nonce,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
            "identity_provider": self.name,
            "prompt": "login",
        }
        return f"{self._url}/oauth2/authorize?{urlencode(parameters)}"

    def _open_browser(self, address: str) -> None:
        said = f"Sign in with {self.name} in your browser. If none opens, open this address:\n{address}"
        print(said, file=sys.stderr)
        with _output_is_errors():
            webbrowser.open(address)

    def _exchanged(self, code: str, back: str, verifier: str) -> dict[str, Any]:
        form = {"grant_type": "authorization_code", "client_id": self._client_id, "code": code, "redirect_uri": back}
        body = urlencode(form | {"code_verifier": verifier}).encode()
        request = Request(f"{self._url}/oauth2/token", body)  # noqa: S310 - the stack's own address
        try:
            with urlopen(request, timeout=_EXCHANGE_SECONDS) as response:  # noqa: S310
                reply: dict[str, Any] = json.loads(response.read())
        except HTTPError as error:
            error.close()
            raise CommandError("Signing in took too long, or was refused: begin again.") from error
        except (URLError, TimeoutError) as error:
            raise CommandError(f"{self._url} cannot be reached: check your connection.") from error
        return reply


def provider_of(target: DeploymentTarget) -> Provider | None:
    """The identity provider of the stack, if it has one."""
    return Provider(target) if _NAME in target.outputs else None


@contextmanager
def _output_is_errors() -> Iterator[None]:
    """Standard output is for the token: `$(…)` would wait for a browser that inherits it."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _claims(token: str) -> dict[str, Any]:
    """The claims of a token that came from the token endpoint itself: its signature tells nothing more."""
    import jwt  # imported late: it is slow to import

    claims: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    return claims
