"""Clients of AWS services."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import boto3
from botocore.config import Config

from cicada.deadline import check_time, seconds_left
from cicada.settings import ModelProfileSettings, load

# A timeout belongs to a client, and a client takes a while to make: near a deadline, one of these is used.
_SHORTER_SECONDS = (1, 2, 3, 5, 10, 20, 40)


class TimelyClient:
    """A client with the methods of those that `make` returns for a read timeout in seconds.

    Calls wait for `longest_seconds` at most; near the deadline of their context less, and after it none is made:
    `OutOfTimeError`.
    """

    def __init__(self, make: Callable[[float], Any], longest_seconds: float) -> None:
        self._make = make
        self._longest = longest_seconds
        self._made = {longest_seconds: make(longest_seconds)}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._for(seconds_left()), name)

    def _for(self, left: float) -> Any:
        if left >= self._longest:
            return self._made[self._longest]
        check_time()
        seconds = max((each for each in _SHORTER_SECONDS if each <= left), default=1)
        if seconds not in self._made:
            self._made[seconds] = self._make(seconds)
        return self._made[seconds]


# The longest silence of an agent's stream, tool calls included.
AGENT_SILENCE_SECONDS = 40


def client(
    service: str,
    *,
    read_timeout_seconds: float = 10,
    attempts: int = 4,
    endpoint_url: str | None = None,
    bulk_calls: int = 0,
    signature: str = "",
) -> Any:
    """A client of the named service. `attempts` includes the first; between them the SDK backs off with jitter.

    `bulk_calls`: how many calls are made at the same time by work for which no user waits. The client then also adapts
    the rate of its calls to what the service accepts: it falls when calls are throttled and rises when they are not.
    `signature`: the version, where the SDK's choice is another, as for addresses of S3 in us-east-1.
    """
    bulk = bulk_configuration(attempts, bulk_calls) if bulk_calls else Config()
    signed = Config(signature_version=signature) if signature else Config()

    def made(seconds: float) -> Any:
        config = configuration(seconds, attempts).merge(bulk).merge(signed)
        found: Any = boto3.client(service, config=config, endpoint_url=endpoint_url)  # type: ignore[call-overload]
        # botocore makes the classes of errors at the first one, and several threads would make several: what one of
        # them raises is not what another looks for, and a missing object is taken for a refusal.
        _ = found.exceptions
        if service == "bedrock-runtime":
            _invoke_through_profiles(found, load(ModelProfileSettings).by_model)
        return found

    # Only models are waited for so long that an answer could outlast its function.
    return TimelyClient(made, read_timeout_seconds) if service.startswith("bedrock") else made(read_timeout_seconds)


def _invoke_through_profiles(client: Any, profiles: Mapping[str, str]) -> None:
    """Have the client's calls name the stage's profile of a model. Everything else knows the model by its own id."""

    def named(params: Mapping[str, Any], **_: object) -> dict[str, Any] | None:
        profile = profiles.get(params.get("modelId", ""))
        return {**params, "modelId": profile} if profile else None

    if profiles:
        client.meta.events.register("provide-client-params.bedrock-runtime", named)


def configuration(read_timeout_seconds: float, attempts: int) -> Config:
    return Config(
        connect_timeout=2,
        read_timeout=read_timeout_seconds,
        retries={"mode": "standard", "total_max_attempts": attempts},
        tcp_keepalive=True,
        # The services validate parameters too; the SDK's validation takes a tenth of its time on every call.
        parameter_validation=False,
    )


def bulk_configuration(attempts: int, calls: int) -> Config:
    """https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html, adaptive mode."""
    return Config(retries={"mode": "adaptive", "total_max_attempts": attempts}, max_pool_connections=calls)


def database() -> Any:
    """DynamoDB. A call with all its retries ends well within a lease, so a hanging call does not lose the lease."""
    return client("dynamodb", read_timeout_seconds=3, attempts=3)


def connection_endpoint(url: str) -> Any:
    """The endpoint that posts to connections. If a post times out, the event is stored and the client resumes."""
    return client("apigatewaymanagementapi", read_timeout_seconds=3, attempts=2, endpoint_url=url)
