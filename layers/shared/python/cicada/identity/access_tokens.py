"""Access tokens: the signed-in user and the expiry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from cicada.identity.principal import Principal

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
