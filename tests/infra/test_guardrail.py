"""`-c guardrail=ID:VERSION`: what reads the questions and answers of the models that write."""

from __future__ import annotations

from tests.infra.deployed import deployed
from tests.infra.test_permissions import DEPLOYMENTS


def test_the_processor_may_apply_this_guardrail_and_no_other() -> None:
    stage = deployed(**DEPLOYMENTS["originals and scans, with a data key and a guardrail"])
    assert stage.environment("message-processor")["CICADA_GUARDRAIL"] == "gr1abc:7"
    statements = [
        statement
        for _, policy in stage.of_kind("AWS::IAM::Policy")
        for statement in policy["PolicyDocument"]["Statement"]
        if "bedrock:ApplyGuardrail" in str(statement["Action"])
    ]
    assert [stage.text(each["Resource"]) for each in statements] == [
        "arn:aws:bedrock:us-east-1:111122223333:guardrail/gr1abc"
    ]


def test_without_one_nothing_may_be_applied() -> None:
    stage = deployed("dev")
    assert stage.environment("message-processor")["CICADA_GUARDRAIL"] == ""
    assert "ApplyGuardrail" not in str(list(stage.of_kind("AWS::IAM::Policy")))
