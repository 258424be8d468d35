"""AWS clients with the timeouts and retries of this service."""

from __future__ import annotations

from typing import Any

import boto3
from botocore.config import Config


def client(
    service: str, *, read_timeout_seconds: float = 10, attempts: int = 4, endpoint_url: str | None = None
) -> Any:
    """A client of the named service. `attempts` counts the first one; between them the SDK waits with jitter."""
    config = Config(
        connect_timeout=2,
        read_timeout=read_timeout_seconds,
        retries={"mode": "standard", "total_max_attempts": attempts},
        tcp_keepalive=True,
    )
    return boto3.client(service, config=config, endpoint_url=endpoint_url)  # type: ignore[call-overload]
