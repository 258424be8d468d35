"""What a stage leaves behind: on dev nothing, on prod its data, under names that a later deployment does not need."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.infra.deployed import Deployed, Properties, deployed, with_additions
from tests.infra.promises import of_audit, of_page

DATA = ("AWS::Cognito::UserPool", "AWS::DynamoDB::GlobalTable", "AWS::S3::Bucket")
AUDIT = "AWS::Logs::LogGroup"
# A pool's name need not be its own: https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateUserPool.html
NAMES = ("BucketName", "LogGroupName", "Name", "QueueName", "RoleName", "TableName")
# The account's, not the stage's: see test_new_account.py.
OF_THE_ACCOUNT = ("AWS::ApiGateway::Account", "LogRole")


def data(stage: Deployed) -> dict[str, Properties]:
    """The page's files are no data: they come from the repository. Of the logs the audit trail is kept."""
    audit = {id: each for id, each in stage.of_kind(AUDIT) if of_audit(id)}
    return {id: each for id, each in stage.of_kind(*DATA) if not of_page(id)} | audit


def kept(stage: Deployed) -> dict[str, str]:
    """The policy of each resource that is not deleted with the stack."""
    policies = {id: each.get("DeletionPolicy", "Delete") for id, each in stage.resources.items()}
    of_the_account = [
        id for id, each in stage.resources.items() if each["Type"] in OF_THE_ACCOUNT or OF_THE_ACCOUNT[1] in id
    ]
    return {id: policy for id, policy in policies.items() if policy != "Delete" and id not in of_the_account}


def test_dev_leaves_nothing() -> None:
    assert kept(deployed("dev")) == {}


def test_prod_leaves_its_data_and_nothing_else() -> None:
    stage = deployed("prod")
    assert set(kept(stage)) == set(data(stage))
    assert all(stage.resources[id]["UpdateReplacePolicy"].startswith("Retain") for id in data(stage))


def test_what_is_kept_has_no_name_that_a_later_deployment_would_need() -> None:
    stage = deployed("prod")
    named = [(id, name) for id in kept(stage) for name in NAMES if name in stage.resources[id].get("Properties", {})]
    assert named == []


def protected(stage: Deployed) -> set[str]:
    pools = {id for id, each in stage.of_kind(DATA[0]) if each.get("DeletionProtection") == "ACTIVE"}
    tables = stage.of_kind(DATA[1])
    replicas = {id: [replica.get("DeletionProtectionEnabled") for replica in each["Replicas"]] for id, each in tables}
    logs = {id for id, each in stage.of_kind(AUDIT) if each.get("DeletionProtectionEnabled")}
    return pools | logs | {id for id, found in replicas.items() if all(found)}


def test_prod_protects_its_tables_accounts_and_audit_trail_from_deletion() -> None:
    stage = deployed("prod")
    assert protected(stage) == {id for id in data(stage) if stage.resources[id]["Type"] != DATA[2]}


@pytest.mark.parametrize(("name", "days"), [("dev", 30), ("prod", 400)])
def test_the_audit_trail_has_a_retention_of_its_own(name: str, days: int) -> None:
    def found(stage: Deployed) -> list[int]:
        return [each["RetentionInDays"] for id, each in stage.of_kind(AUDIT) if of_audit(id)]

    assert found(deployed(name)) == [days]
    assert found(with_additions()) == [2557]


@pytest.mark.parametrize("protect", ["yes", "no"])
def test_a_first_deployment_that_fails_takes_away_what_can_be_deleted(protect: str) -> None:
    """CloudFormation could not delete what is protected: its rollback would fail."""
    stage = deployed("prod") if protect == "yes" else with_additions()
    held = protected(stage)
    assert (protect == "yes") == bool(held)
    wanted = {id: "Retain" if id in held else "RetainExceptOnCreate" for id in data(stage)}
    assert kept(stage) == wanted


def test_a_bucket_is_emptied_where_it_is_deleted() -> None:
    """CloudFormation deletes no bucket that has objects."""
    for stage in (deployed("dev"), deployed("prod")):
        emptied = {each["BucketName"]["Ref"] for _, each in stage.of_kind("Custom::S3AutoDeleteObjects")}
        assert emptied == {id for id, _ in stage.of_kind("AWS::S3::Bucket") if id not in kept(stage)}


@pytest.mark.parametrize("name", ["local", "dev", "prod"])
def test_every_function_logs_to_a_group_of_the_stack(name: str) -> None:
    """A group that Lambda makes by itself has no retention, and is there when the stack has gone."""
    stage = deployed(name)
    groups = {id for id, _ in stage.of_kind("AWS::Logs::LogGroup")}
    functions = list(stage.of_kind("AWS::Lambda::Function"))
    assert len(functions) > len(stage.functions())
    for id, function in functions:
        group = function.get("LoggingConfig", {}).get("LogGroup", {})
        assert group.get("Ref") in groups, id


@pytest.mark.parametrize("name", ["local", "dev", "prod"])
def test_no_function_can_make_its_group_again_after_the_stack_has_gone(name: str) -> None:
    stage = deployed(name)
    for id, function in stage.of_kind("AWS::Lambda::Function"):
        role = stage.resources[function["Role"]["Fn::GetAtt"][0]]["Properties"]
        policies = [each for _, each in stage.of_kind("AWS::IAM::Policy")]
        assert "ManagedPolicyArns" not in role, id
        assert "logs:CreateLogGroup" not in str(role) + str(policies), id


@pytest.mark.parametrize(("name", "expires"), [("dev", False), ("prod", True)])
def test_what_was_removed_or_never_finished_is_deleted_in_the_end(name: str, expires: bool) -> None:
    """The rules hold in the whole bucket: documents and their sidecars, reports, and the ground truth."""
    [bucket] = [each for id, each in data(deployed(name)).items() if "Bucket" in id]
    rules = [rule for rule in bucket["LifecycleConfiguration"]["Rules"] if "Prefix" not in rule]
    assert all(rule["Status"] == "Enabled" and "TagFilters" not in rule for rule in rules)
    assert [rule["AbortIncompleteMultipartUpload"] for rule in rules if "AbortIncompleteMultipartUpload" in rule] == [
        {"DaysAfterInitiation": 7}
    ]
    earlier = [rule for rule in rules if "NoncurrentVersionExpiration" in rule]
    assert [rule["NoncurrentVersionExpiration"]["NoncurrentDays"] for rule in earlier] == ([30] if expires else [])
    assert all(rule["ExpiredObjectDeleteMarker"] for rule in earlier)
    assert ("VersioningConfiguration" in bucket) == expires


def test_what_is_kept_can_be_imported_as_documented() -> None:
    """The identifiers are those of the resources' schemas."""
    identified_by = dict(zip((*DATA, AUDIT), ("UserPoolId", "TableName", "BucketName", "LogGroupName"), strict=True))
    text = Path("docs/operations/backup-and-restore.md").read_text("utf-8")
    [mapping] = re.findall(r"^```json\n(\{.*?^\})\n```", text, re.M | re.S)
    stage = deployed("prod")
    wanted = {id: [identified_by[stage.resources[id]["Type"]]] for id in data(stage)}
    assert {id: list(names) for id, names in json.loads(mapping).items()} == wanted
