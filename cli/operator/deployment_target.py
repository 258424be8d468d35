"""The deployment that an operator's command works on: the local stage, or a stack in an account on AWS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoRegionError

from cli.errors import CommandError
from cli.local_services import client_options
from cli.local_stage import read_stage
from cli.settings import read_settings


@dataclass(frozen=True, slots=True)
class DeploymentTarget:
    """`outputs` are those of the stack; `options` are the arguments with which boto3 reaches its services."""

    outputs: Mapping[str, str]
    options: Mapping[str, Any]

    def output(self, name: str) -> str:
        if name not in self.outputs:
            raise CommandError(f"The stack has no output {name}; deploy it again.")
        return self.outputs[name]

    def client(self, service: str, read_timeout_seconds: float = 30) -> Any:
        """A boto3 client of the service; it retries as the options say."""
        options = dict(self.options)
        options["config"] = options["config"].merge(Config(read_timeout=read_timeout_seconds))
        try:
            return boto3.client(service, **options)  # type: ignore[call-overload]
        except BotoCoreError as error:
            raise aws_failure(error) from error


def open_target(stack: str | None) -> DeploymentTarget:
    """The stack of that name, with the credentials that the AWS command line uses; the local stage for None."""
    if stack:
        return aws_target(stack_outputs(stack))
    stage = read_stage(read_settings().stage_file)
    return DeploymentTarget(stage.everything.get("outputs", {}), client_options(stage))


def aws_target(outputs: Mapping[str, str]) -> DeploymentTarget:
    """A stack on AWS whose outputs are known."""
    return DeploymentTarget(outputs, aws_options())


def stack_outputs(stack: str) -> dict[str, str]:
    """The outputs of a deployed stack, by name."""
    try:
        [found] = boto3.client("cloudformation", **aws_options()).describe_stacks(StackName=stack)["Stacks"]
    except ClientError as error:
        raise CommandError(f"AWS does not describe the stack {stack}: {error.response['Error']['Code']}.") from error
    except BotoCoreError as error:
        raise aws_failure(error) from error
    return {output["OutputKey"]: output["OutputValue"] for output in found.get("Outputs", [])}


def aws_options() -> dict[str, Any]:
    """Region and credentials are found as the AWS command line finds them."""
    return {
        "region_name": read_settings().region,
        "config": Config(connect_timeout=5, read_timeout=30, retries={"mode": "standard"}),
    }


def aws_failure(error: BotoCoreError) -> CommandError:
    """What the operator can do about a call that did not reach AWS."""
    if isinstance(error, NoRegionError):
        return CommandError("It is not clear in which region the stack is: set AWS_REGION.")
    return CommandError(f"AWS cannot be reached: {error}")
