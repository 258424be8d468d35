"""What a proof is about: a stack that it may deploy and destroy, and how to reach it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import boto3

from local.stage.settings import ROOT
from tests.deploy_proof.report import ProofError

# A first deployment waits for the collection and for CloudFront.
_COMMAND_SECONDS = 3600


class Deployment(Protocol):
    """Deploys and destroys the stack with the CDK's command line, as the README says. Raises `ProofError`."""

    def bootstrap(self) -> None: ...

    def deploy(self, context: Mapping[str, str]) -> None: ...

    def destroy(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Target:
    """Where a stage is deployed. `environment`: of commands that work on the account. `options`: boto3's, to reach it.

    `unable`: the steps that cannot be taken here, with the reason. `context`: the CDK's. `page_url`: where the page is,
    if not at the output `PageUrl`.
    """

    stack: str
    prefix: str
    deployment: Deployment
    environment: Mapping[str, str]
    options: Mapping[str, Any]
    unable: Mapping[str, str]
    context: Mapping[str, str]
    page_url: str = ""

    def client(self, service: str) -> Any:
        return boto3.client(service, **self.options)  # type: ignore[call-overload]

    def outputs(self) -> dict[str, str]:
        [stack] = self.client("cloudformation").describe_stacks(StackName=self.stack)["Stacks"]
        return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}

    def cicada(self, *arguments: str, stdin: str = "", **environment: str) -> str:
        """What the operator's command prints. Raises `ProofError` with what it says if it fails."""
        command = [sys.executable, "-m", "cli", *arguments]
        return run(command, {**self.environment, "CICADA_STACK": self.stack, **environment}, stdin)


def run(command: list[str], environment: Mapping[str, str], stdin: str = "") -> str:
    """The command's standard output. Raises `ProofError` with the end of what it said if it fails."""
    call = partial(subprocess.run, capture_output=True, text=True, check=False, cwd=ROOT, timeout=_COMMAND_SECONDS)
    done = call(command, env=dict(environment), input=stdin)
    if done.returncode:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-25:])
        raise ProofError(f"`{' '.join(command[1:4])} …` ended with {done.returncode}:\n{said}")
    return done.stdout
