"""`$connect`: store the connection's principal, unless its token is revoked."""

from __future__ import annotations

import time
from typing import Any

from aws_lambda_powertools.utilities.data_classes.api_gateway_websocket_event import APIGatewayWebSocketEvent

from cicada.bootstrap.audit import record_audit
from cicada.bootstrap.command_guard import command_guard
from cicada.conversation.model import Connection
from cicada.entry.websocket import handshake
from cicada.errors import CicadaError, LimitExceededError, RequestError
from cicada.identity import Principal, accepted_subprotocol, groups_of

# API Gateway closes a connection after two hours.
_LONGEST_CONNECTION_SECONDS = 2 * 3600


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Accepts what the authorizer let through, but for a revoked token and a user who connects too often.

    Any status but 200 has API Gateway refuse the handshake, and so has an exception. Each refusal is recorded too.
    """
    opening = APIGatewayWebSocketEvent(event)
    who = opening.request_context["authorizer"]
    principal = Principal(who["tenant"], who["user"], groups_of(who.get("groups", "[]")), who.get("login", ""))
    now = time.time()
    connection = Connection(
        opening.request_context.connection_id,
        principal,
        float(who["tokenExpiresAt"]),
        float(who["tokenIssuedAt"]),
        now,
    )
    try:
        command_guard().open(connection, now + _LONGEST_CONNECTION_SECONDS)
    except CicadaError as error:
        record_audit(handshake(opening, now, principal, refused=str(error)))
        if not isinstance(error, RequestError):
            raise
        return {"statusCode": 429 if isinstance(error, LimitExceededError) else 401}
    record_audit(handshake(opening, now, principal))
    return {"statusCode": 200, "headers": accepted_subprotocol(opening.headers)}
