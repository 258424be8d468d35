"""Access tokens of an Amazon Cognito user pool."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import jwt

from cicada.errors import NotConnectedError, UnavailableError
from cicada.identity import Principal, VerifiedToken, tenant_of


class CognitoTokenVerifier:
    """Checks signature, issuer, expiry, use and client, as Amazon Cognito's guide on verifying tokens asks.

    `default_tenant`: of users whom no group gives a tenant; empty to refuse them.
    """

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
        tenant = _tenant(groups, self._default_tenant)
        principal = Principal(tenant, str(claims["sub"]), groups, str(claims.get("username", "")))
        return VerifiedToken(principal, float(claims["iat"]), float(claims["exp"]))

    def _claims(self, token: str) -> dict[str, Any]:
        required = {"require": ["exp", "iat", "iss", "sub", "token_use", "client_id"]}
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


def _tenant(groups: Iterable[str], default: str) -> str:
    try:
        return tenant_of(groups, default)
    except ValueError as error:
        raise NotConnectedError(str(error)) from error
