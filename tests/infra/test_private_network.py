"""A collection with `-c vpc` is reached from one VPC endpoint alone, by the functions that search and ingest."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from infra.context_values import ContextValueError
from infra.settings import stage_settings
from tests.infra.conftest import REGION
from tests.infra.deployed import Deployed, Properties, deployed
from tests.infra.names import Names
from tests.infra.policies import Call, Policies

VPC = {"vpc": "vpc-0123456789abcdef0", "vpcSubnets": "subnet-0123456789abcdef0, subnet-0123456789abcdef1"}
SUBNETS = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]
GIVEN = {"vpcEndpoint": "vpce-0123456789abcdef0", "vpcSecurityGroups": "sg-0123456789abcdef0,sg-0123456789abcdef1"}
INTERFACES = (
    "AssignPrivateIpAddresses",
    "CreateNetworkInterface",
    "DeleteNetworkInterface",
    "DescribeNetworkInterfaces",
    "DescribeSubnets",
    "UnassignPrivateIpAddresses",
)


@cache
def private(**more: str) -> Deployed:
    return deployed("dev", agents="bedrock", **VPC, **more)


def network_policy(stage: Deployed) -> Any:
    policies = [each for _, each in stage.of_kind("AWS::OpenSearchServerless::SecurityPolicy")]
    [text] = [each["Policy"] for each in policies if each["Type"] == "network"]
    if isinstance(text, str):
        return json.loads(text)
    separator, parts = text["Fn::Join"]
    return json.loads(separator.join(part if isinstance(part, str) else part["Fn::GetAtt"][0] for part in parts))


def one(stage: Deployed, kind: str) -> tuple[str, Properties]:
    [found] = stage.of_kind(kind)
    return found


def test_the_collection_is_reached_from_the_endpoint_alone() -> None:
    endpoint, _ = one(private(), "AWS::EC2::VPCEndpoint")
    covered = {"ResourceType": "collection", "Resource": ["collection/cicada-dev"]}
    wanted = {"Rules": [covered], "AllowFromPublic": False}
    assert network_policy(private()) == [wanted | {"SourceVPCEs": [endpoint]}]
    assert network_policy(private(**GIVEN)) == [wanted | {"SourceVPCEs": [GIVEN["vpcEndpoint"]]}]


def test_those_who_search_and_ingest_are_in_the_vpc_and_nobody_else() -> None:
    stage = private()
    connected = {name for name, each in stage.functions().items() if "VpcConfig" in each}
    assert connected == {name for name in stage.functions() if "CICADA_OPENSEARCH_URL" in stage.environment(name)}
    assert connected == {"message-processor", "agent-theories", "ingest-document", "ws-open"}
    assert all(stage.functions()[name]["VpcConfig"]["SubnetIds"] == SUBNETS for name in connected)


def test_the_endpoint_is_that_of_the_collections_generation_and_found_by_its_name() -> None:
    """Another service's endpoint is accepted by the policy, and the collection's name is not found through it."""
    _, endpoint = one(private(), "AWS::EC2::VPCEndpoint")
    assert one(private(), "AWS::OpenSearchServerless::CollectionGroup")[1]["Generation"] == "NEXTGEN"
    names = Names({"Resources": private().resources})
    assert names.text(endpoint["ServiceName"]) == "com.amazonaws.REGION.aoss-data"
    assert (endpoint["VpcEndpointType"], endpoint["PrivateDnsEnabled"]) == ("Interface", True)
    assert (endpoint["VpcId"], endpoint["SubnetIds"]) == (VPC["vpc"], SUBNETS)
    account = {"AWS": {"Ref": "AWS::AccountId"}}
    assert endpoint["PolicyDocument"]["Statement"] == [
        {"Effect": "Allow", "Principal": account, "Action": "*", "Resource": "*"}
    ]


def test_the_endpoint_takes_tls_of_the_functions_alone_and_the_functions_take_nothing() -> None:
    stage = private()
    groups = dict(stage.of_kind("AWS::EC2::SecurityGroup"))
    [functions] = [id for id, each in groups.items() if "SecurityGroupIngress" not in each]
    [of_endpoint] = set(groups) - {functions}
    assert one(stage, "AWS::EC2::VPCEndpoint")[1]["SecurityGroupIds"] == [group_id(of_endpoint)]
    used = [each["VpcConfig"]["SecurityGroupIds"] for each in stage.functions().values() if "VpcConfig" in each]
    assert used == [[group_id(functions)]] * 4
    [ingress] = groups[of_endpoint]["SecurityGroupIngress"]
    assert (ingress["SourceSecurityGroupId"], "CidrIp" in ingress) == (group_id(functions), False)
    [egress] = groups[functions]["SecurityGroupEgress"]
    assert egress["CidrIp"] == "0.0.0.0/0"
    for rule in (ingress, egress):
        assert (rule["IpProtocol"], rule["FromPort"], rule["ToPort"]) == ("tcp", 443, 443)
    assert {each["VpcId"] for each in groups.values()} == {VPC["vpc"]}


def test_an_endpoint_may_be_asked_for_by_name() -> None:
    default = {"stage": "dev", "region": REGION, **VPC}
    assert stage_settings((default | {"vpcEndpoint": "create"}).get) == stage_settings(default.get)


def group_id(id: str) -> dict[str, list[str]]:
    return {"Fn::GetAtt": [id, "GroupId"]}


def test_given_groups_are_let_in_by_an_endpoint_of_the_stack() -> None:
    stage = private(vpcSecurityGroups=GIVEN["vpcSecurityGroups"])
    _, group = one(stage, "AWS::EC2::SecurityGroup")
    allowed = [rule["SourceSecurityGroupId"] for rule in group["SecurityGroupIngress"]]
    assert allowed == stage.functions()["message-processor"]["VpcConfig"]["SecurityGroupIds"]
    assert allowed == GIVEN["vpcSecurityGroups"].split(",")


def test_what_is_given_is_used_and_nothing_of_ec2_is_made() -> None:
    stage = private(**GIVEN)
    assert [each["Type"] for each in stage.resources.values() if each["Type"].startswith("AWS::EC2::")] == []
    used = [each["VpcConfig"]["SecurityGroupIds"] for each in stage.functions().values() if "VpcConfig" in each]
    assert used == [GIVEN["vpcSecurityGroups"].split(",")] * 4


@pytest.mark.parametrize("name", ["dev", "prod"])
def test_without_a_vpc_nothing_of_it_is_there(name: str) -> None:
    stage = deployed(name, "bedrock")
    assert "AWS::EC2::" not in str(stage.resources)
    assert "ec2:" not in str(stage.resources)
    assert not [each for each in stage.functions().values() if "VpcConfig" in each]
    assert network_policy(stage)[0]["AllowFromPublic"] is True


@pytest.mark.parametrize("role", ["message_processor", "agent_theories", "ingest_document"])
def test_lambda_makes_network_interfaces_and_the_code_of_a_function_cannot(role: str) -> None:
    policies = Policies({"Resources": private().resources})
    code = {"lambda:SourceFunctionArn": f"arn:aws:lambda:REGION:ACCOUNT:function:cicada-dev-{role.replace('_', '-')}"}
    for action in INTERFACES:
        assert policies.allow(Call(role, f"ec2:{action}", "*"))
        assert not policies.allow(Call(role, f"ec2:{action}", "*", code))


def test_lambda_may_give_its_interfaces_back_until_the_security_group_has_gone() -> None:
    """A group with interfaces cannot be deleted.

    CloudFormation deletes first what depends on something, and a policy that leaves the template after the functions
    have changed; a statement of another policy would leave before them.
    """
    stage = private()
    policies = {id for id, each in stage.of_kind("AWS::IAM::Policy") if "ec2:" in str(each)}
    for id in policies:
        statements = stage.resources[id]["Properties"]["PolicyDocument"]["Statement"]
        assert {action.partition(":")[0] for each in statements for action in each["Action"]} == {"ec2"}
    roles = {id: stage.resources[id]["Properties"]["Roles"][0]["Ref"] for id in policies}
    connected = [
        each
        for each in stage.resources.values()
        if each["Type"] == "AWS::Lambda::Function" and "VpcConfig" in each["Properties"]
    ]
    needed = [policies & set(each["DependsOn"]) for each in connected]
    assert [[roles[id] for id in each] for each in needed] == [
        [each["Properties"]["Role"]["Fn::GetAtt"][0]] for each in connected
    ]
    [(group, _)] = [each for each in stage.of_kind("AWS::EC2::SecurityGroup") if "SecurityGroupIngress" not in each[1]]
    assert set(stage.resources[group].get("DependsOn", [])) == policies == set().union(*needed)


@pytest.mark.parametrize(
    ("context", "reason"),
    [
        ({"vpcSubnets": SUBNETS[0]}, r"-c vpcSubnets is of a VPC: add -c vpc=vpc-… and"),
        ({"vpcEndpoint": "create"}, "-c vpcEndpoint is of a VPC: add -c vpc"),
        ({"vpc": VPC["vpc"]}, "-c vpc needs -c vpcSubnets=subnet-…,subnet-…: private subnets with a route to a NAT"),
        ({**VPC, "vpc": "my-network"}, "-c vpc=my-network cannot be used: give the id, as vpc-0123456789abcdef0"),
        ({**VPC, "vpc": f"{VPC['vpc']},vpc-0123456789abcdef1"}, "-c vpc names more than one"),
        ({**VPC, "vpc": "none"}, "-c vpcSubnets is of a VPC"),
        ({**VPC, "vpcSubnets": "subnet-0123456789abcdef0;subnet-1"}, "give the id, as subnet-0123456789abcdef0"),
        ({**VPC, "vpcEndpoint": "vpc-0123456789abcdef0"}, "give the id, as vpce-0123456789abcdef0"),
        ({**VPC, "vpcSecurityGroups": "sg-0"}, "-c vpcSecurityGroups=sg-0 cannot be used"),
        ({**VPC, "vpcSecurityGroups": "default"}, "-c vpcSecurityGroups=default cannot be used: give the id, as sg-"),
    ],
)
def test_what_is_no_network_is_refused_with_what_to_give(context: dict[str, str], reason: str) -> None:
    with pytest.raises(ContextValueError, match=reason):
        stage_settings({"stage": "dev", "region": REGION, **context}.get)
