"""Access tokens of an Amazon Cognito user pool."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import jwt

from cicada.errors import NotConnectedError, UnavailableError
from cicada.identity.access_tokens import VerifiedToken
from cicada.identity.principal import Principal

_TENANT_GROUP = re.compile(r"tenant:([A-Za-z0-9][A-Za-z0-9-]{0,62})")


class CognitoTokenVerifier:
    """Checks signature, issuer, expiry, use and client, as Amazon Cognito's guide on verifying tokens asks."""

    def __init__(self, keys: jwt.PyJWKClient, issuer: str, client_id: str, default_tenant: str) -> None:
        self._keys = keys
        self._issuer = issuer
        self._client_id = client_id
        self._default_tenant = default_tenant

    def verify(self, token: str) -> VerifiedToken:
        claims = self._claims(token)
        if claims["token_use"] != "access" or claims["client_id"] != self._client_id:  # noqa: S105 - a claim, not a password
            raise NotConnectedError("The token is not an access token of this application.")
        groups = frozenset(map(str, claims.get("cognito:groups", [])))
        principal = Principal(
            _tenant(groups) or self._default_tenant, str(claims["sub"]), groups, str(claims.get("username", ""))
        )
        return VerifiedToken(principal, float(claims["exp"]))

    def _claims(self, token: str) -> dict[str, Any]:
        required = {"require": ["exp", "iss", "sub", "token_use", "client_id"]}
        try:
            key = self._key(token)
            return jwt.decode(token, key, algorithms=["RS256"], issuer=self._issuer, options=required)  # type: ignore[arg-type]
        except jwt.PyJWKClientConnectionError as error:
            raise UnavailableError("The user pool's keys could not be fetched.") from error
        except (jwt.PyJWTError, UnicodeError) as error:
            raise NotConnectedError("The access token is not valid.") from error

    def _key(self, token: str) -> Any:
        key_id = str(jwt.get_unverified_header(token).get("kid"))
        try:
            self._keys.get_signing_keys()
        except (jwt.PyJWTError, ValueError) as error:
            raise UnavailableError("The user pool's keys could not be read.") from error
        return self._keys.get_signing_key(key_id).key


def _tenant(groups: Iterable[str]) -> str | None:
    """A user's tenant is the group `tenant:<name>`; Cognito access tokens carry groups, not custom attributes.

    Raises `NotConnectedError` for an invalid name: its users must not end up in the default tenant.
    """
    meant = [group for group in groups if group.startswith("tenant:")]
    names = [match[1] for group in meant if (match := _TENANT_GROUP.fullmatch(group))]
    if len(names) < len(meant):
        raise NotConnectedError("A tenant's group is named tenant: and letters, digits or hyphens, 63 at most.")
    return min(names, default=None)
