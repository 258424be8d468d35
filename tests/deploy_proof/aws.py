"""A stage on AWS, with the credentials and the region of the AWS command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from local.stage.settings import ROOT
from tests.deploy_proof.report import ProofError
from tests.deploy_proof.settings import shell_environment
from tests.deploy_proof.target import Target, run

_CDK = str(ROOT / "node_modules" / ".bin" / "cdk")


@dataclass(frozen=True, slots=True)
class CdkDeployment:
    """The README's commands."""

    stack: str
    environment: Mapping[str, str]
    context: Mapping[str, str]

    def bootstrap(self) -> None:
        self._cdk("bootstrap")

    def deploy(self, context: Mapping[str, str]) -> None:
        self._cdk("deploy", self.stack, "--require-approval", "never", **context)

    def destroy(self) -> None:
        self._cdk("destroy", self.stack, "--force")

    def _cdk(self, *arguments: str, **context: str) -> None:
        flags = [f"--context={name}={value}" for name, value in {**self.context, **context}.items()]
        run([_CDK, *arguments, *flags, "--no-color", "--no-notices", "--ci"], self.environment)


def stage_on_aws(stage: str, context: Mapping[str, str]) -> Target:
    """Raises `ProofError` if the stack exists already."""
    environment, stack = shell_environment(), f"Cicada-{stage}"
    named = {"stage": stage, **context}
    deployment = CdkDeployment(stack, environment, named)
    target = Target(stack, f"cicada-{stage}", deployment, environment, {}, {}, named)
    require_none(target)
    return target


def require_none(target: Target) -> None:
    """Raises `ProofError` if the stack exists."""
    if _exists(target):
        raise ProofError(f"There is a stack {target.stack} in this account and region; the proof would destroy it.")


def _exists(target: Target) -> bool:
    client = target.client("cloudformation")
    try:
        [stack] = client.describe_stacks(StackName=target.stack)["Stacks"]
    except client.exceptions.ClientError as error:
        if error.response["Error"]["Code"] == "ValidationError":
            return False
        raise
    return bool(stack["StackStatus"] != "DELETE_COMPLETE")
