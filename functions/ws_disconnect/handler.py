"""`$disconnect`: delete the connection's row. API Gateway's call is best effort, so rows also have a time to live."""

from __future__ import annotations

from typing import Any

from cicada.bootstrap.connections import connections


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Requests in progress continue; `resume` picks them up."""
    connections().remove(event["requestContext"]["connectionId"])
    return {"statusCode": 200}
