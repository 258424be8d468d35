"""`$disconnect`: forget the connection. Best effort on API Gateway's side, so rows also have a time to live."""

from __future__ import annotations

from typing import Any

from cicada.bootstrap.connections import connections


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Requests under way go on; they are picked up by `resume`."""
    connections().remove(event["requestContext"]["connectionId"])
    return {"statusCode": 200}
