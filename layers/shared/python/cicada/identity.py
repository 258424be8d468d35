"""Who somebody is: principals, their tenant, and their access tokens."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Protocol

from msgspec import Struct

from cicada.text import skeleton


class Principal(Struct, frozen=True, eq=False):
    """A signed-in user, read from a verified token or the connection's row, never from a frame or a model.

    `groups`: the user's groups when the token was issued. They grant reading rights and are not part of the identity:
    principals that differ only in groups are equal. `login`: the name that the user signs in with, empty if unknown; it
    tells whose "my documents" are, and grants nothing.
    """

    tenant: str
    user: str
    groups: frozenset[str] = frozenset()
    login: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Principal) and (self.tenant, self.user) == (other.tenant, other.user)

    def __ne__(self, other: object) -> bool:
        """Python would ask `__eq__`, but the base class compares every value or none."""
        return not self == other

    def __hash__(self) -> int:
        return hash((self.tenant, self.user))

    @property
    def owner(self) -> str:
        """Key prefix under which everything of this user is stored."""
        return f"{self.tenant}#{self.user}"


def groups_text(groups: Iterable[str]) -> str:
    """The groups as one string."""
    return json.dumps(sorted(groups))


def groups_of(text: str) -> frozenset[str]:
    """The groups in `groups_text`. Raises `ValueError` for any other text."""
    names = json.loads(text)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("The groups are no list of names.")
    return frozenset(names)


# Tenants as groups: a user's tenant is the group `tenant:<name>`.
#
# Cognito's access tokens carry groups, not custom attributes.

_GROUP = re.compile(r"tenant:([A-Za-z0-9][A-Za-z0-9-]{0,62})")
_MEANT = re.compile(r"tenant(?![a-z0-9])")
_RULE = "A tenant's group is named tenant: and letters, digits or hyphens, 63 at most."


def tenant_group(tenant: str) -> str:
    """The name of the tenant's group. Raises `ValueError` for a name that no tenant can have."""
    group = f"tenant:{tenant}"
    if not _GROUP.fullmatch(group):
        raise ValueError(_RULE)
    return group


def tenant_of(groups: Iterable[str], default: str = "") -> str:
    """The tenant of the one group that names one; with no such group `default`, the tenant of a stage that has one.

    Raises `ValueError`, whose text is a sentence, unless it is exactly one: a guess would show a user the documents of
    strangers. That holds for an invalid name too, as `Tenant:acme`: its users must not end up in the default tenant.
    """
    meant = sorted(group for group in groups if is_tenants(group))
    names = [match[1] for group in meant if (match := _GROUP.fullmatch(group))]
    if len(names) < len(meant):
        raise ValueError(_RULE)
    if len(names) > 1:
        raise ValueError(f"The account is in the groups of {len(names)} tenants, and must be in that of exactly one.")
    if not names and not default:
        raise ValueError("The account is in the group of no tenant, and must be in that of exactly one.")
    return names[0] if names else default


def is_tenants(group: str) -> bool:
    """Whether people read it as the name of a tenant's group, also with look-alikes, and without its colon."""
    return _MEANT.match(skeleton(group)) is not None


SUBPROTOCOL = "cicada.v1"


class VerifiedToken(Struct, frozen=True):
    """A token that was checked. Times are epoch seconds; `issued_at` is a whole second, as Cognito gives it."""

    principal: Principal
    issued_at: float
    expires_at: float


class TokenVerifier(Protocol):
    """Checks access tokens."""

    def verify(self, token: str) -> VerifiedToken:
        """Raises `NotConnectedError` for an invalid token, `UnavailableError` if it cannot be checked."""
        ...


def offered_token(headers: Mapping[str, str], query: Mapping[str, str]) -> str:
    """The handshake's token, or empty: `Sec-WebSocket-Protocol: cicada.v1, <token>` or `?token=`."""
    protocols = _offered_subprotocols(headers)
    if len(protocols) == 2 and protocols[0] == SUBPROTOCOL:
        return protocols[1]
    return query.get("token", "")


def accepted_subprotocol(headers: Mapping[str, str]) -> dict[str, str]:
    """The reply's header: browsers close the connection unless an offered subprotocol is chosen. Never the token."""
    return {"Sec-WebSocket-Protocol": SUBPROTOCOL} if SUBPROTOCOL in _offered_subprotocols(headers) else {}


def _offered_subprotocols(headers: Mapping[str, str]) -> list[str]:
    offered = next((value for name, value in headers.items() if name.lower() == "sec-websocket-protocol"), "")
    return [protocol.strip() for protocol in offered.split(",")]


class SignIns(Protocol):
    """Ends sign-ins."""

    def end(self, principal: Principal) -> float:
        """End all of the user's: no refresh token gives a new access token. When that was, by the issuer's clock.

        Also for an account that exists no longer. Raises `DependencyError`.
        """
        ...
