"""The table of promises in docs/operations/promises.md is compared with the templates."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.infra.deployed import deployed
from tests.infra.promises import PROMISES

_TABLE = re.compile(r"^\| promise \| dev \| prod \|\n\|---\|---\|---\|\n((?:\|.*\n)+)", re.M)
# What a promise above speaks of, and what neither stores anything nor lets anybody in.
_PROMISED = {
    "AWS::ApiGatewayV2::Stage",
    "AWS::Bedrock::Agent",
    "AWS::CloudFront::Distribution",
    "AWS::CloudFront::ResponseHeadersPolicy",
    "AWS::Cognito::UserPool",
    "AWS::Cognito::UserPoolClient",
    "AWS::DynamoDB::GlobalTable",
    "AWS::Lambda::Function",
    "AWS::Logs::LogGroup",
    "AWS::OpenSearchServerless::Collection",
    "AWS::OpenSearchServerless::CollectionGroup",
    "AWS::OpenSearchServerless::SecurityPolicy",
    "AWS::S3::Bucket",
    "AWS::S3::BucketPolicy",
    "AWS::SNS::Topic",
    "AWS::SNS::TopicPolicy",
    "AWS::SQS::Queue",
    "AWS::SQS::QueuePolicy",
}
_TESTED_ELSEWHERE = {
    "AWS::ApiGateway::Account",
    "AWS::ApiGatewayV2::Api",
    "AWS::ApiGatewayV2::Authorizer",
    "AWS::ApiGatewayV2::Integration",
    "AWS::ApiGatewayV2::Route",
    "AWS::ApiGatewayV2::RouteResponse",
    "AWS::Bedrock::AgentAlias",
    "AWS::CloudFront::OriginAccessControl",
    "AWS::CloudWatch::Alarm",
    "AWS::CloudWatch::Dashboard",
    "AWS::IAM::Policy",
    "AWS::IAM::Role",
    "AWS::Lambda::EventSourceMapping",
    "AWS::Lambda::LayerVersion",
    "AWS::Lambda::Permission",
    "AWS::OpenSearchServerless::AccessPolicy",
    "Custom::CDKBucketDeployment",
    "Custom::S3AutoDeleteObjects",
    "Custom::S3BucketNotifications",
}


def promised() -> dict[str, tuple[str, str]]:
    """The values for dev and prod, by promise; some are about Bedrock agents, for a stage that has them."""
    [body] = _TABLE.findall(Path("docs/operations/promises.md").read_text("utf-8"))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in body.splitlines()]
    return {name: (dev, prod) for name, dev, prod in rows}


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_is_kept(promise: str) -> None:
    kept = tuple(PROMISES[promise](deployed(stage, "bedrock")) for stage in ("dev", "prod"))
    assert promised().get(promise) == kept


def test_every_promise_has_its_check() -> None:
    assert set(promised()) == set(PROMISES)


@pytest.mark.parametrize("stage", ["dev", "prod"])
def test_nothing_is_deployed_that_no_promise_was_thought_of(stage: str) -> None:
    kinds = {resource["Type"] for resource in deployed(stage, "bedrock").resources.values()}
    assert kinds == _PROMISED | _TESTED_ELSEWHERE
