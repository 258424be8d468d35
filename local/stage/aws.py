"""How the AWS SDK and the CDK reach the emulator: with dummy credentials."""

from __future__ import annotations

import os
from typing import Any

import boto3
from botocore.config import Config

from local.stage.settings import REGION, StageConfig

_KEY = "test"


def deployed_name(function: str) -> str:
    """The deployed name of the function in `functions/<function>`."""
    return f"cicada-local-{function.replace('_', '-')}"


def aws_client(config: StageConfig, service: Any, options: Config | None = None) -> Any:
    """A boto3 client of the named service in the emulator."""
    return boto3.client(
        service,
        endpoint_url=config.aws_url,
        region_name=REGION,
        aws_access_key_id=_KEY,
        aws_secret_access_key=_KEY,
        config=options,
    )


def client_environment(config: StageConfig) -> dict[str, str]:
    """The environment of a process that uses an AWS SDK."""
    return {
        "AWS_ENDPOINT_URL": config.aws_url,
        "AWS_ACCESS_KEY_ID": _KEY,
        "AWS_SECRET_ACCESS_KEY": _KEY,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }
