"""Everything of a stage with `-c dataKey` that can be encrypted with the key is, or says here why not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from infra.context_values import ContextValueError
from infra.settings import stage_settings
from tests.infra.conftest import REGION, template_of
from tests.infra.deployed import Deployed, deployed
from tests.infra.names import Names
from tests.infra.policies import Call, Policies
from tests.infra.test_permissions import DEPLOYMENTS

GIVEN = "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
# What is deployed with everything that a context can add to it.
ALL = {"agents": "bedrock", "dataEvents": "create", "editors": "librarians"}
_TAKES_A_KEY = re.compile(r"(?i)kms\w*key|encryptionkey(arn|id)")
# Kinds that could take the key and need not.
WITHOUT_THE_KEY = {
    "AWS::Cognito::UserPool": "It has accounts, and no text of users or documents.",
    "AWS::Lambda::EventSourceMapping": "The key is for filters, and the queues are not filtered.",
    "AWS::Lambda::Function": "The environment has names and settings; Lambda encrypts it with a key of the account.",
}
PAGE = "PageFiles79CCA538"


@cache
def keyed(stage: str, data_key: str = "create") -> Deployed:
    return deployed(stage, dataKey=data_key, **ALL)


@cache
def schema(kind: str) -> Mapping[str, Any]:
    """A schema of the CloudFormation registry, as cfn-lint carries it."""
    folder = files("cfnlint") / "data" / "schemas"
    names = json.loads((folder / "providers" / f"{REGION}.json").read_text("utf-8"))
    found: Mapping[str, Any] = json.loads((folder / "resources" / f"{names[kind]}.json").read_text("utf-8"))
    return found


def property_names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield name
            yield from property_names(each)
    if isinstance(value, list):
        for each in value:
            yield from property_names(each)


def takes_a_key(kind: str) -> bool:
    if not kind.startswith("AWS::"):
        return False
    described = schema(kind)
    parts = {"properties": described["properties"], "definitions": described.get("definitions", {})}
    return any(_TAKES_A_KEY.search(name) for name in property_names(parts))


def keys_of(properties: Any) -> list[Any]:
    """The values of all properties that name a key."""
    if isinstance(properties, list):
        return [key for each in properties for key in keys_of(each)]
    if not isinstance(properties, dict):
        return []
    named = [value for name, value in properties.items() if _TAKES_A_KEY.search(name) and name != "BucketKeyEnabled"]
    return named + [key for each in properties.values() for key in keys_of(each)]


def arn_of_the_key(stage: Deployed) -> Any:
    created = [id for id, _ in stage.of_kind("AWS::KMS::Key")]
    return {"Fn::GetAtt": [created[0], "Arn"]} if created else GIVEN


@pytest.mark.parametrize(("name", "data_key"), [("dev", "create"), ("prod", GIVEN)])
def test_everything_that_can_take_the_key_has_it(name: str, data_key: str) -> None:
    stage = keyed(name, data_key)
    kinds = {each["Type"] for each in stage.resources.values()}
    able = {kind for kind in kinds if takes_a_key(kind)}
    # The resources that hold texts are among them, so the schemas are read rightly.
    assert able > {"AWS::DynamoDB::GlobalTable", "AWS::S3::Bucket", "AWS::SQS::Queue", "AWS::Logs::LogGroup"}
    found = {id: keys_of(each) for id, each in stage.of_kind(*(able - set(WITHOUT_THE_KEY))) if id != PAGE}
    assert len(found) > 20
    assert {id: keys for id, keys in found.items() if keys != [arn_of_the_key(stage)]} == {}


@pytest.mark.parametrize(("name", "data_key"), [("dev", "create"), ("prod", GIVEN)])
def test_the_collection_is_made_with_the_key(name: str, data_key: str) -> None:
    stage = keyed(name, data_key)
    policies = [each for _, each in stage.of_kind("AWS::OpenSearchServerless::SecurityPolicy")]
    [policy] = [each["Policy"] for each in policies if each["Type"] == "encryption"]
    assert json.loads(Names({"Resources": stage.resources}).text(policy)) == {
        "Rules": [{"ResourceType": "collection", "Resource": [f"collection/cicada-{name}"]}],
        "AWSOwnedKey": False,
        "KmsARN": "data key" if data_key == "create" else GIVEN,
    }


def test_objects_are_encrypted_through_a_bucket_key_and_queues_by_the_key_alone() -> None:
    stage = keyed("dev")
    for id, bucket in stage.of_kind("AWS::S3::Bucket"):
        [rule] = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        algorithm = rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"]
        assert (algorithm, rule.get("BucketKeyEnabled")) == (("AES256", None) if id == PAGE else ("aws:kms", True))
    # SQS refuses both.
    assert all("SqsManagedSseEnabled" not in each for _, each in stage.of_kind("AWS::SQS::Queue"))
    for _, table in stage.of_kind("AWS::DynamoDB::GlobalTable"):
        assert table["SSESpecification"] == {"SSEEnabled": True, "SSEType": "KMS"}


@pytest.mark.parametrize("name", ["dev", "prod"])
def test_no_stage_has_a_key_unless_it_is_asked_for(name: str) -> None:
    template = json.dumps(template_of(name, **ALL))
    assert "kms:" not in template
    assert "KMS::Key" not in template
    assert '"EncryptionConfig"' not in template


@pytest.mark.parametrize(
    ("name", "more", "policy"),
    [
        ("dev", ALL, "Delete"),
        ("prod", {"backup": "eu-west-1"}, "Retain"),
        ("prod", {"protect": "no"}, "RetainExceptOnCreate"),
    ],
)
def test_the_key_rotates_and_stays_where_the_data_stays(name: str, more: dict[str, str], policy: str) -> None:
    stage = deployed(name, dataKey="create", **more)
    [key] = [each for each in stage.resources.values() if each["Type"] == "AWS::KMS::Key"]
    assert key["Properties"]["EnableKeyRotation"]
    assert key["DeletionPolicy"] == policy
    assert key["UpdateReplacePolicy"] == ("Delete" if name == "dev" else "Retain")


def test_a_given_key_is_used_and_none_is_made() -> None:
    stage = keyed("prod", GIVEN)
    assert list(stage.of_kind("AWS::KMS::Key")) == []
    assert stage.outputs["DataKeyArn"]["Value"] == GIVEN


# What services do with the key, each for this account's stage alone.
LOGS, S3 = f"logs.{REGION}.amazonaws.com", "s3.amazonaws.com"
ALARMS, TRAIL = "cloudwatch.amazonaws.com", "cloudtrail.amazonaws.com"
ALARM_ARN = "arn:aws:cloudwatch:REGION:ACCOUNT:alarm:"
TRAIL_ARN = "arn:aws:cloudtrail:REGION:ACCOUNT:trail/cicada-dev-documents"


def uses(stage: Deployed) -> list[Call]:
    groups = [each.get("LogGroupName", f"Cicada-dev-{id}-a1b2") for id, each in stage.of_kind("AWS::Logs::LogGroup")]
    contexts = [
        {"kms:EncryptionContext:aws:logs:arn": f"arn:aws:logs:REGION:ACCOUNT:log-group:{each}"} for each in groups
    ]
    alarms = [each["AlarmName"] for _, each in stage.of_kind("AWS::CloudWatch::Alarm")]
    account = {"aws:SourceAccount": "ACCOUNT"}
    trail = {"aws:SourceArn": TRAIL_ARN, "kms:EncryptionContext:aws:cloudtrail:arn": TRAIL_ARN}
    return [
        *(Call(LOGS, action, "data key", each) for each in contexts for action in ("kms:Encrypt", "kms:Decrypt")),
        *(Call(LOGS, "kms:GenerateDataKey", "data key", each) for each in contexts),
        *(Call(S3, action, "data key", account) for action in ("kms:Decrypt", "kms:GenerateDataKey")),
        *(
            Call(ALARMS, action, "data key", account | {"aws:SourceArn": f"{ALARM_ARN}{alarm}"})
            for alarm in alarms
            for action in ("kms:Decrypt", "kms:GenerateDataKey")
        ),
        Call(TRAIL, "kms:GenerateDataKey", "data key", trail),
        Call(TRAIL, "kms:DescribeKey", "data key", trail),
    ]


def test_the_services_that_need_the_key_may_use_it() -> None:
    stage = keyed("dev")
    policies = Policies({"Resources": stage.resources})
    assert [call for call in uses(stage) if not policies.allow(call)] == []
    assert {call.principal for call in uses(stage)} == {LOGS, S3, ALARMS, TRAIL}


@pytest.mark.parametrize(("ours", "others"), [("ACCOUNT", "ANOTHER"), ("icada-dev", "icada-prod")])
def test_no_service_may_use_it_for_another_account_or_stage(ours: str, others: str) -> None:
    """S3 names no source that belongs to a stage, only the account."""
    stage = keyed("dev")
    policies = Policies({"Resources": stage.resources})
    for call in uses(stage):
        foreign = {name: value.replace(ours, others) for name, value in call.context.items()}
        if foreign != call.context:
            assert not policies.allow(Call(call.principal, call.action, call.resource, foreign)), call


def test_the_services_may_nothing_else_with_it() -> None:
    policies = Policies({"Resources": keyed("dev").resources})
    allowed = [(each.principals, each.actions) for each in policies.services() if each.resources == ("data key",)]
    logs = ("kms:Encrypt*", "kms:Decrypt*", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:Describe*")
    assert allowed == [
        ((LOGS,), logs),
        ((S3,), ("kms:Decrypt", "kms:GenerateDataKey")),
        ((ALARMS,), ("kms:Decrypt", "kms:GenerateDataKey*")),
        ((TRAIL,), ("kms:GenerateDataKey*",)),
        ((TRAIL,), ("kms:DescribeKey",)),
    ]


def test_functions_use_the_key_through_the_services_that_they_use_alone() -> None:
    policies = Policies({"Resources": keyed("dev").resources})
    direct = [
        Call(role, action, "data key", context)
        for role in policies.names.roles.values()
        for action in ("kms:Decrypt", "kms:GenerateDataKey")
        for context in ({}, {"kms:ViaService": "s3.elsewhere.amazonaws.com"})
    ]
    assert [call for call in direct if policies.allow(call)] == []


def test_another_key_needs_another_collection_and_cloudformation_refuses_the_same_name() -> None:
    """No collection is replaced, or left with the earlier key, without a word (docs/operations/keys.md)."""
    kind = "AWS::OpenSearchServerless::Collection"
    assert {"/properties/Name", "/properties/EncryptionConfig"} <= set(schema(kind)["createOnlyProperties"])
    [(id, plain)] = deployed("dev").of_kind(kind)
    assert list(keyed("dev").of_kind(kind)) == [
        (id, plain | {"EncryptionConfig": {"KmsKeyArn": arn_of_the_key(keyed("dev"))}})
    ]


def test_agents_with_another_key_are_new_versions_behind_their_aliases() -> None:
    """A version keeps the key that it was made with, and an alias its version until the alias changes."""
    kind = "AWS::Bedrock::AgentAlias"
    plain = {id: each["Description"] for id, each in deployed("dev", "bedrock").of_kind(kind)}
    keys = {id: each["Description"] for id, each in keyed("dev").of_kind(kind)}
    assert set(plain) == set(keys)
    assert [id for id in keys if keys[id] == plain[id]] == []


def test_another_name_is_another_collection_with_its_policies() -> None:
    stage = deployed(**DEPLOYMENTS["administrators, a limit of tokens, another name of the collection"])
    plain = deployed("dev")
    [(id, collection)] = stage.of_kind("AWS::OpenSearchServerless::Collection")
    assert (id, collection["Name"]) == (next(plain.of_kind("AWS::OpenSearchServerless::Collection"))[0], "elsewhere")
    assert {each["Name"] for _, each in stage.of_kind("AWS::OpenSearchServerless::SecurityPolicy")} == {"elsewhere"}
    policies = [each for id, each in stage.resources.items() if id.startswith("SearchCollection")]
    assert "cicada-dev/*" not in json.dumps(policies)
    # Its group, and the policies of the roles, are changed in place.
    kept = ("AWS::OpenSearchServerless::CollectionGroup", "AWS::OpenSearchServerless::AccessPolicy")
    assert {each["Name"] for _, each in stage.of_kind(*kept)} == {each["Name"] for _, each in plain.of_kind(*kept)}


def test_nothing_else_is_replaced_by_a_change_of_the_key() -> None:
    """The schemas have no other property that names a key and can be set at creation only."""
    collection = "AWS::OpenSearchServerless::Collection"
    kinds = {each["Type"] for each in keyed("dev").resources.values()} - {collection}
    fixed = [
        (kind, path)
        for kind in kinds
        if kind.startswith("AWS::")
        for path in schema(kind).get("createOnlyProperties", [])
        if re.search("(?i)kms|encrypt|sse", path)
    ]
    assert fixed == []


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("yes", "use -c dataKey=none, create or the ARN of a KMS key"),
        ("arn:aws:kms:us-east-1:111122223333:alias/data", "The ARN of an alias cannot be used"),
        ("1234abcd-12ab-34cd-56ef-1234567890ab", "use -c dataKey=none, create or the ARN"),
        (GIVEN.replace("us-east-1", "eu-west-1"), "is in eu-west-1, and the stack in us-east-1"),
        (f"{GIVEN}\n", "is no key"),
        (GIVEN[:-1], "is no key"),
        (GIVEN.replace("111122223333", ""), "is no key"),
    ],
)
def test_what_is_no_key_of_the_region_is_refused(value: str, reason: str) -> None:
    with pytest.raises(ContextValueError, match=reason):
        stage_settings({"stage": "dev", "region": REGION, "dataKey": value}.get)


@pytest.mark.parametrize("name", ["Cicada", "a", "a" * 33, "1st", "a_b"])
def test_a_name_that_no_collection_can_have_is_refused(name: str) -> None:
    with pytest.raises(ContextValueError, match=r"-c collectionName=.* cannot be used"):
        stage_settings({"stage": "dev", "region": REGION, "collectionName": name}.get)


def test_the_statements_that_an_operators_own_key_needs_are_documented() -> None:
    text = Path("docs/operations/keys.md").read_text("utf-8")
    [block] = re.findall(r"^```json\n(\[.*?^\])\n```", text, re.M | re.S)
    stage = keyed("dev")
    key = stage.only("AWS::KMS::Key")
    names = Names({"Resources": stage.resources})
    [_, *wanted] = resolved(names, key["KeyPolicy"]["Statement"])
    assert json.loads(block) == wanted


def resolved(names: Names, value: Any) -> Any:
    """The value with its references as text."""
    if isinstance(value, list):
        return [resolved(names, each) for each in value]
    if isinstance(value, dict) and not {"Ref", "Fn::Join"} & set(value):
        return {name: resolved(names, each) for name, each in value.items()}
    text = names.text(value)
    return text.replace(REGION, "REGION")
