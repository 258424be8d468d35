"""The audit record of a handshake, from API Gateway's event of `$connect` or of its authorizer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cicada.audit.model import Handshake
from cicada.identity.principal import Principal

_NOBODY = Principal("", "")
# Clients write it themselves: as much as tells a browser or a library.
_USER_AGENT_LENGTH = 200


def handshake(event: Mapping[str, Any], now: float, principal: Principal = _NOBODY, refused: str = "") -> Handshake:
    """Of the event nothing is kept but the connection's id, the address and the user agent: its headers and its query
    string hold the token.
    """
    request: Mapping[str, Any] = event.get("requestContext") or {}
    return Handshake(
        at=now,
        connection_id=str(request.get("connectionId") or ""),
        address=str((request.get("identity") or {}).get("sourceIp") or ""),
        user_agent=_user_agent(event.get("headers") or {})[:_USER_AGENT_LENGTH],
        tenant=principal.tenant,
        user=principal.user,
        login=principal.login,
        refused=refused,
    )


def _user_agent(headers: Mapping[str, str]) -> str:
    return next((value for name, value in headers.items() if name.lower() == "user-agent"), "")
