"""Starts the functions that a question passes before the first question: side by side, not one after the other."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from local.stage.aws import aws_client, deployed_name
from local.stage.settings import StageConfig

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

_PATIENCE_SECONDS = 60
USER = "warm-up"
_CONNECTION = USER
_HANDSHAKE = {"connectionId": _CONNECTION, "identity": {"sourceIp": "127.0.0.1"}}
_WHO = {"tenant": "default", "user": USER, "tokenIssuedAt": "0", "tokenExpiresAt": "0"}
# Calls of each chain follow one another. They leave nothing behind but the row of their rate: a question that is
# answered from the catalogue, without a model; a connection without a token; one that is closed again; a message on a
# connection that is unknown.
_CHAINS: tuple[Sequence[tuple[str, Mapping[str, Any]]], ...] = (
    [("message_processor", {"message": "How many documents are there?", "knowledgeBase": "store"})],
    [("ws_message", {"requestContext": {"connectionId": f"{_CONNECTION}-unknown"}, "body": ""})],
    [
        ("ws_connect", {"headers": {}, "requestContext": {**_HANDSHAKE, "authorizer": _WHO}}),
        ("ws_disconnect", {"requestContext": {"connectionId": _CONNECTION}}),
    ],
    [
        (
            "authorizer",
            {
                "headers": {},
                "methodArn": "arn:aws:execute-api:us-east-1:000000000000:warm-up",
                "requestContext": _HANDSHAKE,
            },
        )
    ],
)


class WarmUp:
    """Runs in threads that end with the process. What fails here fails again, with its message, when it is needed.

    `failed`: the functions that raised or could not be invoked.
    """

    def __init__(self, config: StageConfig) -> None:
        options = Config(read_timeout=_PATIENCE_SECONDS, retries={"total_max_attempts": 1})
        self._client: LambdaClient = aws_client(config, "lambda", options)
        self.failed: list[str] = []
        self._threads = [threading.Thread(target=self._invoke, args=(chain,), daemon=True) for chain in _CHAINS]
        for thread in self._threads:
            thread.start()

    def wait(self) -> None:
        """Wait until all have been started: a function that is used before is started a second time."""
        for thread in self._threads:
            thread.join(_PATIENCE_SECONDS)

    def _invoke(self, chain: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        for name, event in chain:
            try:
                reply = self._client.invoke(FunctionName=deployed_name(name), Payload=json.dumps(event).encode())
            except (BotoCoreError, ClientError):
                self.failed.append(name)
            else:
                self.failed += [name] if "FunctionError" in reply else []
