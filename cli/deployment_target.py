"""The deployment that a command works on: the local stage, or a stack in an account on AWS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from cli.aws_failures import aws_calls, code_of, message_of
from cli.errors import CommandError
from cli.local_stage import Stage, read_stage
from cli.settings import read_settings
from cli.stack_states import why_unusable

LOCAL_STACK = "Cicada-local"
# The local stage accepts any credentials; this key selects its only account.
_LOCAL_KEY = "test"
# As long as a function of the local stage may take.
_LOCAL_SECONDS = 300


@dataclass(frozen=True, slots=True)
class DeploymentTarget:
    """`outputs` are those of the stack; `options` are the arguments with which boto3 reaches its services.

    `stage`: the local stage, None for a stack on AWS.
    """

    outputs: Mapping[str, str]
    options: Mapping[str, Any]
    stack: str = ""
    stage: Stage | None = field(default=None, repr=False)

    @property
    def title(self) -> str:
        """What to call it in a sentence."""
        return "the local stage" if self.stage else f"the stack {self.stack}"

    @property
    def flag(self) -> str:
        """What to add to a command so that it works on the same deployment."""
        return "" if self.stage else f" --stack {self.stack}"

    @property
    def default_tenant(self) -> str:
        """The tenant of accounts in no tenant's group and of commands that name none; empty where there is none."""
        return self.outputs.get("DefaultTenant", "default" if self.stage else "")

    def output(self, name: str) -> str:
        if name not in self.outputs:
            raise CommandError(f"The stack has no output {name}; deploy it again.")
        return self.outputs[name]

    def client(self, service: str, read_timeout_seconds: float = 30, endpoint_url: str | None = None) -> Any:
        """A boto3 client of the service, at its own address or that one; it retries as the options say."""
        options = dict(self.options) | ({"endpoint_url": endpoint_url} if endpoint_url else {})
        options["config"] = options["config"].merge(Config(read_timeout=read_timeout_seconds))
        with aws_calls():
            found: Any = boto3.client(service, **options)  # type: ignore[call-overload]
            _ = found.exceptions  # Made before there are threads, as in `cicada.bootstrap.aws`.
            return found


def open_target(stack: str | None) -> DeploymentTarget:
    """The stack of that name or of CICADA_STACK, with the credentials that the AWS command line uses.

    The local stage if neither names one.
    """
    settings = read_settings()
    name = stack or settings.stack
    if name:
        return aws_target(stack_outputs(name), name)
    return local_target(read_stage(settings.stage_file))


def local_target(stage: Stage) -> DeploymentTarget:
    """The local stage, whose file has what the outputs of a stack say."""
    named = {"WebSocketUrl": stage.websocket_url, "UserPoolClientId": stage.client_id}
    pool = {"UserPoolId": str(stage.everything["userPoolId"])} if "userPoolId" in stage.everything else {}
    outputs = named | pool | stage.everything.get("outputs", {})
    return DeploymentTarget(outputs, client_options(stage), LOCAL_STACK, stage)


def client_options(stage: Stage) -> dict[str, Any]:
    """The arguments with which boto3 reaches the local stage's services."""
    return {
        "endpoint_url": stage.endpoint_url,
        "region_name": stage.region,
        "aws_access_key_id": _LOCAL_KEY,
        "aws_secret_access_key": _LOCAL_KEY,
        # No retries: an invocation must not happen twice. No proxy: the stage is on this machine.
        "config": Config(connect_timeout=5, read_timeout=_LOCAL_SECONDS, retries={"total_max_attempts": 1}, proxies={}),
    }


def aws_target(outputs: Mapping[str, str], stack: str = "") -> DeploymentTarget:
    """A stack on AWS whose outputs are known."""
    return DeploymentTarget(outputs, aws_options(), stack)


def stack_outputs(stack: str) -> dict[str, str]:
    """The outputs of a deployed stack, by name. Raises `CommandError` if there is none, or if it cannot be used."""
    with aws_calls():
        client = boto3.client("cloudformation", **aws_options())
        try:
            [found] = client.describe_stacks(StackName=stack)["Stacks"]
        except ClientError as error:
            if code_of(error) == "ValidationError":
                raise CommandError(_no_such_stack(stack, client.meta.region_name, message_of(error)), 2) from error
            raise
    if reason := why_unusable(stack, found["StackStatus"]):
        raise CommandError(reason)
    return outputs_of(found)


def outputs_of(described: Mapping[str, Any]) -> dict[str, str]:
    """The outputs by name of a stack as CloudFormation describes it."""
    return {each["OutputKey"]: each["OutputValue"] for each in described.get("Outputs", [])}


def _no_such_stack(stack: str, region: str, message: str) -> str:
    if "does not exist" not in message:
        return f"{stack} is not the name of a stack: letters, digits and hyphens, as in Cicada-dev."
    return f"There is no stack {stack} in {region}: check its name, AWS_REGION and AWS_PROFILE, or deploy it."


def aws_options() -> dict[str, Any]:
    """Region and credentials are found as the AWS command line finds them."""
    return {
        "region_name": read_settings().region,
        "config": Config(connect_timeout=5, read_timeout=30, retries={"mode": "standard"}),
    }
