"""Sign-in with an identity provider of the operator's, by `cdk … -c name=value`: OpenID Connect or SAML.

Single values, and not a file: each is refused by its name where it is missing, and they are kept where the other values
of a stage are. There is one provider, and it has a name; who has several puts a broker in front.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_OIDC = ("oidcIssuer", "oidcClientId", "oidcSecretName")
_SAML = "samlMetadataUrl"
_NAME = "identityProvider"
_DOMAIN = "signInDomain"
# Cognito allows more (botocore: cognito-idp ProviderNameTypeV2); the name is also part of each user's name.
_PROVIDER = re.compile(r"[A-Za-z][A-Za-z0-9-]{2,31}")
# Names of Cognito's own: botocore, cognito-idp SupportedIdentityProviders.
_TAKEN = frozenset({"cognito", "facebook", "google", "signinwithapple", "loginwithamazon"})
_URL = re.compile(r"https://[A-Za-z0-9.-]+(:\d+)?(/[^\s?#]*)?")
_METADATA = re.compile(r"https://[A-Za-z0-9.-]+(:\d+)?/[^\s#]*")
# https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_CreateSecret.html
_SECRET = re.compile(r"[A-Za-z0-9/_+=.@-]{1,512}")


class FederationError(ValueError):
    """The identity provider in the context cannot be used; the message says what to do."""


@dataclass(frozen=True, slots=True)
class OidcProvider:
    """`secret_name`: the secret in Secrets Manager whose text is the client secret that the provider gave."""

    issuer: str
    client_id: str
    secret_name: str


@dataclass(frozen=True, slots=True)
class SamlProvider:
    """`metadata_url`: where the provider publishes its metadata."""

    metadata_url: str


@dataclass(frozen=True, slots=True)
class Federation:
    """`name`: what the page's button calls the provider, and the beginning of its users' names (`Okta_00u1…`)."""

    name: str
    provider: OidcProvider | SamlProvider


def federation(context: Callable[[str], Any]) -> Federation | None:
    """The identity provider that the context names, or None. Raises `FederationError`."""
    given = {name: str(value) for name in (_NAME, *_OIDC, _SAML, _DOMAIN) if (value := context(name))}
    if not given:
        return None
    if _NAME not in given:
        first = next(iter(given))
        raise FederationError(f"-c {first}=… needs -c {_NAME}=NAME: what users know the identity provider by, as Okta.")
    return Federation(_name(given[_NAME]), _provider(given))


def _name(name: str) -> str:
    if not _PROVIDER.fullmatch(name) or name.lower() in _TAKEN:
        raise FederationError(
            f"{name!r} cannot be the name of an identity provider: use -c {_NAME}=… with 3 to 32 letters, digits and "
            "hyphens, a letter first, and none of Cognito's own names (Cognito, Google, Facebook …)."
        )
    return name


def _provider(given: dict[str, str]) -> OidcProvider | SamlProvider:
    oidc = [name for name in _OIDC if name in given]
    if _SAML in given and oidc:
        raise FederationError(f"-c {_SAML} is for SAML and -c {oidc[0]} for OpenID Connect: give one of the two.")
    if _SAML in given:
        return SamlProvider(_checked(given, _SAML, _METADATA, "the https:// address of the provider's metadata"))
    if not oidc:
        raise FederationError(f"-c {_NAME}=… needs the provider: -c {', '.join(_OIDC)}, or -c {_SAML}.")
    if missing := [name for name in _OIDC if name not in given]:
        raise FederationError(f"-c {oidc[0]}=… needs {' and '.join(f'-c {name}=…' for name in missing)} too.")
    issuer = _checked(given, "oidcIssuer", _URL, "the provider's issuer, an https:// address")
    secret = _checked(given, "oidcSecretName", _SECRET, "the name of a secret in Secrets Manager, and not the secret")
    return OidcProvider(issuer, given["oidcClientId"], secret)


def _checked(given: dict[str, str], name: str, allowed: re.Pattern[str], what: str) -> str:
    if not allowed.fullmatch(given[name]):
        # A secret that was given by mistake must not be shown.
        shown = "…" if name == "oidcSecretName" else given[name]
        raise FederationError(f"-c {name}={shown} cannot be used: give {what}.")
    return given[name]
