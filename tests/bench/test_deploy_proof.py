"""The proof of a deployment fails where a stage does, and says what it left out.

It takes nothing away that it did not make.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber
from moto import mock_aws

from tests.deploy_proof.aws import require_none
from tests.deploy_proof.emulator import UNABLE, stage_in_emulator
from tests.deploy_proof.proof import Proof
from tests.deploy_proof.remains import remains
from tests.deploy_proof.report import ProofError, Report
from tests.deploy_proof.target import Target

REGION: Any = {"region_name": "eu-central-1", "aws_access_key_id": "test", "aws_secret_access_key": "test"}

# What is not shown here once more, and where it is. `make deploy-proof` takes these steps too.
SHOWN_ELSEWHERE = {
    "page": "the end-to-end tests ask on the page",
    "calibrate": "the end-to-end tests calibrate their stage",
    "release back": "the release forward is the same deployment with another value",
}


@dataclass
class BrokenDeployment:
    """Notes what is asked of it; `deploy` fails."""

    asked: list[str] = field(default_factory=list)

    def bootstrap(self) -> None:
        self.asked.append("bootstrap")

    def deploy(self, context: Mapping[str, str]) -> None:
        self.asked.append("deploy")
        raise ProofError("the collection was refused")

    def destroy(self) -> None:
        self.asked.append("destroy")


def target(deployment: Any = None, unable: Mapping[str, str] | None = None) -> Target:
    return Target(
        stack="Cicada-dev",
        prefix="cicada-dev",
        deployment=deployment or BrokenDeployment(),
        environment={},
        options=REGION,
        unable=unable or {},
        context={"stage": "dev"},
    )


@pytest.mark.enable_socket
def test_a_stage_is_deployed_used_released_and_destroyed_in_the_emulator(tmp_path: Path) -> None:
    report = Report(print)
    with stage_in_emulator(tmp_path / "stage") as stage:
        passed = Proof(replace(stage, unable=UNABLE | SHOWN_ELSEWHERE)).run(report)
    assert (passed, report.failed) == (True, {})
    assert set(report.skipped) == {*UNABLE, *SHOWN_ELSEWHERE, "bootstrap"}
    shown = ["deploy", "user", "ingest", "terminal", "status", "alarm chain", "release forward", "destroy"]
    assert report.shown == shown


@mock_aws
def test_after_a_step_that_fails_no_other_is_taken_and_the_stack_is_destroyed() -> None:
    deployment, lines = BrokenDeployment(), list[str]()
    report = Report(lines.append)
    assert not Proof(target(deployment, {"doctor": "there is no account"})).run(report)
    assert deployment.asked == ["bootstrap", "deploy", "destroy"]
    assert report.failed == {"deploy": "the collection was refused"}
    assert "2 steps shown, 1 skipped: doctor, 1 failed" in lines[-1]
    assert [line.split("]")[1].split()[:2] for line in lines[:-1]] == [
        ["shown", "bootstrap"],
        ["skipped", "doctor"],
        ["FAILED", "deploy"],
        ["shown", "destroy"],
    ]


@mock_aws
def test_whatever_bears_the_names_of_the_stage_or_the_stack_is_left_over() -> None:
    logs, sqs = boto3.client("logs", **REGION), boto3.client("sqs", **REGION)
    for name in ("/aws/lambda/Cicada-dev-Handler1", "/aws/lambda/cicada-prod-ws-message", "/aws/lambda/other"):
        logs.create_log_group(logGroupName=name)
    for name in ("cicada-dev-requests", "cicada-device"):
        sqs.create_queue(QueueName=name)
    assert remains(target()) == ["log group /aws/lambda/Cicada-dev-Handler1", "queue cicada-dev-requests"]


@dataclass(frozen=True)
class StubbedTarget(Target):
    """Its clients answer with what they were given, as AWS writes it."""

    clients: Mapping[str, Any] = field(default_factory=dict)

    def client(self, service: str) -> Any:
        return self.clients[service]


def stubbed(**clients: Any) -> StubbedTarget:
    return StubbedTarget("Cicada-dev", "cicada-dev", BrokenDeployment(), {}, {}, {}, {}, clients=clients)


def test_a_stack_that_was_there_before_is_not_destroyed() -> None:
    client = boto3.client("cloudformation", region_name="eu-central-1")
    stack = {"StackName": "Cicada-dev", "CreationTime": datetime(2026, 1, 1, tzinfo=UTC), "StackStatus": ""}
    with Stubber(client) as stub:
        stub.add_client_error("describe_stacks", "ValidationError", "Stack with id Cicada-dev does not exist")
        require_none(stubbed(cloudformation=client))
        stub.add_response("describe_stacks", {"Stacks": [stack | {"StackStatus": "DELETE_COMPLETE"}]})
        require_none(stubbed(cloudformation=client))
        stub.add_response("describe_stacks", {"Stacks": [stack | {"StackStatus": "ROLLBACK_COMPLETE"}]})
        with pytest.raises(ProofError, match="the proof would destroy it"):
            require_none(stubbed(cloudformation=client))
