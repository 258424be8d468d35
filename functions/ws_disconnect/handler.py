"""`$disconnect`: delete the connection's row. API Gateway's call is best effort, so rows also have a time to live."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.utilities.data_classes.api_gateway_websocket_event import APIGatewayWebSocketEvent

from cicada.bootstrap.connections import connections


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Requests in progress continue; `resume` picks them up."""
    connections().remove(APIGatewayWebSocketEvent(event).request_context.connection_id)
    return {"statusCode": 200}
