"""Calls an agent's action-group Lambda exactly as Bedrock Agents does (function details)."""

import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from local.bedrock.settings import Settings
from local.bedrock.wire import WireError

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient


class ActionGroupLambdas:
    """Invokes functions at AWS_ENDPOINT_URL, and nowhere else: the stand-in must never reach a real account."""

    def __init__(self, settings: Settings) -> None:
        self._endpoint = settings.aws_endpoint_url
        self._region = settings.aws_region

    @cached_property
    def _client(self) -> "LambdaClient":
        if not self._endpoint:
            raise WireError("DependencyFailedException", "Set AWS_ENDPOINT_URL to the stage that runs the Lambdas.")
        config = Config(retries={"total_max_attempts": 1}, read_timeout=60)
        return boto3.client("lambda", region_name=self._region, endpoint_url=self._endpoint, config=config)

    def call(self, function: str, event: Mapping[str, Any]) -> str:
        """Call the Lambda of the action group; returns the function's text. Attributes that it returns are not read.

        Raises WireError (DependencyFailedException) when it cannot be called, fails or returns an invalid response.
        """
        try:
            reply = self._client.invoke(FunctionName=function, Payload=json.dumps(event).encode())
            payload = reply["Payload"].read()
        except (BotoCoreError, ClientError) as error:
            raise WireError("DependencyFailedException", f"Could not invoke {function}: {error}") from error
        if "FunctionError" in reply:
            raise WireError("DependencyFailedException", f"{function} failed: {payload.decode(errors='replace')[:500]}")
        return _text(function, payload)


def _text(function: str, payload: bytes) -> str:
    try:
        response = json.loads(payload)["response"]["functionResponse"]
        text: str = response["responseBody"]["TEXT"]["body"]
    except (ValueError, KeyError, TypeError) as error:
        message = f"{function} did not answer with response.functionResponse.responseBody.TEXT.body."
        raise WireError("DependencyFailedException", message) from error
    if response.get("responseState") == "FAILURE":
        raise WireError("DependencyFailedException", f"{function} answered FAILURE: {text}")
    return text
