"""A stage on AWS, with the credentials and the region of the AWS command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evals.deploy_proof.report import ProofError
from evals.deploy_proof.settings import shell_environment
from evals.deploy_proof.target import Target, run
from local.stage.settings import ROOT

_CDK = str(ROOT / "node_modules" / ".bin" / "cdk")


@dataclass(frozen=True, slots=True)
class CdkDeployment:
    """The README's commands."""

    stage: str
    stack: str
    environment: Mapping[str, str]
    context: Mapping[str, str]

    def deploy(self, context: Mapping[str, str]) -> None:
        """A bootstrap of an account that has one changes nothing."""
        self._cdk("bootstrap")
        self._cdk("deploy", self.stack, "--require-approval", "never", **{**self.context, **context})

    def destroy(self) -> None:
        self._cdk("destroy", self.stack, "--force", **self.context)

    def _cdk(self, *arguments: str, **context: str) -> None:
        values = {"stage": self.stage, **context}
        flags = [f"--context={name}={value}" for name, value in values.items()]
        run([_CDK, *arguments, *flags, "--no-color", "--no-notices", "--ci"], self.environment)


def stage_on_aws(stage: str, context: Mapping[str, str]) -> Target:
    """Raises `ProofError` if the stack exists already: the proof ends by destroying its stack."""
    environment, stack = shell_environment(), f"Cicada-{stage}"
    deployment = CdkDeployment(stage, stack, environment, context)
    target = Target(stack, f"cicada-{stage}", deployment, environment, {}, {})
    if _exists(target):
        raise ProofError(f"There is a stack {stack} in this account and region, and the proof would destroy it.")
    return target


def _exists(target: Target) -> bool:
    client = target.client("cloudformation")
    try:
        [stack] = client.describe_stacks(StackName=target.stack)["Stacks"]
    except client.exceptions.ClientError as error:
        if error.response["Error"]["Code"] == "ValidationError":
            return False
        raise
    return bool(stack["StackStatus"] != "DELETE_COMPLETE")
