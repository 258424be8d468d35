"""CloudTrail's data events on the uploaded documents, where they are asked for."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.infra.conftest import assembly_of
from tests.infra.deployed import ADDED, Deployed, deployed, with_additions
from tests.infra.policies import Call, Policies
from tests.infra.test_data_key import ALL

TRAIL = "AWS::CloudTrail::Trail"
STAGES = ("dev", "prod")


def with_trail(name: str) -> Deployed:
    return deployed(name, **ALL)


def trail_of(stage: Deployed) -> dict[str, Any]:
    return stage.only(TRAIL)


@pytest.mark.parametrize("name", STAGES)
def test_a_trail_is_made_where_it_is_asked_for(name: str) -> None:
    assert list(deployed(name).of_kind(TRAIL)) == []
    assert list(with_additions().of_kind(TRAIL)) == []
    assert trail_of(with_trail(name))["IsLogging"] is True


@pytest.mark.parametrize("name", STAGES)
def test_the_trail_has_the_uploaded_documents_and_nothing_else(name: str) -> None:
    stage = with_trail(name)
    trail = trail_of(stage)
    assert "EventSelectors" not in trail
    [selector] = trail["AdvancedEventSelectors"]
    fields = {each["Field"]: each for each in selector["FieldSelectors"]}
    assert set(fields) == {"eventCategory", "resources.type", "resources.ARN"}
    assert fields["eventCategory"]["Equals"] == ["Data"]
    assert fields["resources.type"]["Equals"] == ["AWS::S3::Object"]
    [beginning] = fields["resources.ARN"]["StartsWith"]
    assert stage.text(beginning) == "IngestDocumentsBucket551D14AF.Arn/documents/"
    assert (trail["IsMultiRegionTrail"], trail["EnableLogFileValidation"]) == (False, True)


@pytest.mark.parametrize("name", STAGES)
def test_cloudtrail_may_write_the_trails_events_and_nothing_else(name: str) -> None:
    policies = Policies({"Resources": with_trail(name).resources})
    own = {"aws:SourceArn": f"arn:aws:cloudtrail:REGION:ACCOUNT:trail/cicada-{name}-documents"}
    written = own | {"s3:x-amz-acl": "bucket-owner-full-control"}
    events = "trail bucket/AWSLogs/ACCOUNT/CloudTrail/x.json.gz"

    def may(action: str, resource: str, context: dict[str, str]) -> bool:
        return policies.allow(Call("cloudtrail.amazonaws.com", action, resource, context))

    assert may("s3:GetBucketAcl", "trail bucket", own)
    assert may("s3:PutObject", events, written)
    assert not may("s3:PutObject", events, own)
    assert not may("s3:PutObject", events, written | {"aws:SourceArn": "arn:aws:cloudtrail:REGION:ANOTHER:trail/x"})
    assert not may("s3:PutObject", "trail bucket/elsewhere", written)
    assert not may("s3:PutObject", "documents bucket/documents/x", written)
    assert not may("s3:GetObject", events, written)
    allowed = [each for each in policies.services() if "cloudtrail.amazonaws.com" in each.principals]
    assert sorted(action for each in allowed for action in each.actions) == ["s3:GetBucketAcl", "s3:PutObject"]


def test_the_events_are_kept_as_long_as_the_audit_trail_and_go_with_a_stage_that_keeps_nothing() -> None:
    for name, days, policy in (("dev", 30, "Delete"), ("prod", 400, "RetainExceptOnCreate")):
        stage = with_trail(name)
        [(id, bucket)] = [each for each in stage.of_kind("AWS::S3::Bucket") if each[0].startswith("DocumentTrail")]
        [rule] = bucket["LifecycleConfiguration"]["Rules"]
        assert (rule["ExpirationInDays"], rule["Status"]) == (days, "Enabled")
        assert stage.resources[id]["DeletionPolicy"] == policy
        assert all(bucket["PublicAccessBlockConfiguration"].values())
        emptied = {each["BucketName"]["Ref"] for _, each in stage.of_kind("Custom::S3AutoDeleteObjects")}
        assert (id in emptied) == (name == "dev")


@pytest.mark.parametrize(
    ("context", "said"),
    [
        (ALL, "by the stack's own trail"),
        (ADDED, "by the account's trail"),
        ({}, "Ingest writes a report"),
    ],
    ids=["create", "existing", "none"],
)
def test_what_is_said_of_access_logs_is_true(context: dict[str, str], said: str) -> None:
    [file] = assembly_of("prod", **context).glob("*.metadata.json")
    [reason] = re.findall('AwsSolutions-S1": "(.*)"', file.read_text("utf-8"))
    assert said in reason
