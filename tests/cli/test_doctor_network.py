"""`cicada doctor` on the VPC from which alone a collection is reached."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.conftest import Shell
from tests.cli.scripted_aws import ScriptedAws, aws_account, refusal
from tests.cli.test_doctor_command import account, findings

__all__ = ["account", "aws_account"]

VPC, FIRST, SECOND = "vpc-0123456789abcdef0", "subnet-0123456789abcdef0", "subnet-0123456789abcdef1"
CHOSEN = ["-c", f"vpc={VPC}", "-c", f"vpcSubnets={FIRST},{SECOND}"]
OURS, OTHERS = "vpce-0123456789abcdef0", "vpce-0123456789abcdef1"
NAT = {"DestinationCidrBlock": "0.0.0.0/0", "NatGatewayId": "nat-1"}
PUBLIC = {"DestinationCidrBlock": "0.0.0.0/0", "GatewayId": "igw-1"}


def endpoint(id: str, service: str, *, dns: bool = True, stack: str = "") -> dict[str, Any]:
    tags = [{"Key": "aws:cloudformation:stack-name", "Value": stack}] if stack else []
    named = f"com.amazonaws.us-east-1.{service}"
    return {"VpcEndpointId": id, "ServiceName": named, "PrivateDnsEnabled": dns, "Tags": tags}


def table(route: dict[str, str], *subnets: str, main: bool = False) -> dict[str, Any]:
    own: list[dict[str, Any]] = [{"SubnetId": each, "Main": False} for each in subnets]
    return {"Routes": [route], "Associations": [*own, {"Main": True}] if main else own}


@pytest.fixture
def vpc(account: ScriptedAws) -> ScriptedAws:
    """The account with a VPC whose main table leads to a NAT gateway."""
    account.replies |= {
        ("ec2", "DescribeVpcEndpoints"): {"VpcEndpoints": [endpoint("vpce-s3", "s3", dns=False)]},
        ("ec2", "DescribeRouteTables"): {"RouteTables": [table(NAT, main=True)]},
    }
    return account


def of_the_network(shell: Shell, code: int, *options: str) -> list[tuple[str, str]]:
    found = findings(shell, code, *CHOSEN, *options)
    return [(state, text.partition(" (docs/")[0]) for subject, state, text in found if subject == "network"]


def test_a_vpc_with_a_way_out_is_ok(vpc: ScriptedAws, shell: Shell) -> None:
    assert of_the_network(shell, 0) == [("ok", f"{VPC} has what the functions need.")]
    asked = [call["Filters"] for name in ("DescribeRouteTables", "DescribeVpcEndpoints") for call in vpc.called(name)]
    assert asked == [[{"Name": "vpc-id", "Values": [VPC]}]] * 2


def test_without_a_vpc_none_is_looked_at(account: ScriptedAws, shell: Shell) -> None:
    assert [each for each in findings(shell, 0) if each[0] == "network"] == []


@pytest.mark.parametrize(
    ("tables", "without"),
    [
        ([table(PUBLIC, main=True)], [FIRST, SECOND]),
        ([table(NAT, main=True), table(PUBLIC, SECOND)], [SECOND]),
        ([table({"DestinationCidrBlock": "10.0.0.0/16", "GatewayId": "local"}, FIRST), table(NAT, SECOND)], [FIRST]),
        ([], [FIRST, SECOND]),
    ],
)
def test_subnet_without_a_way_out(
    vpc: ScriptedAws, shell: Shell, tables: list[dict[str, Any]], without: list[str]
) -> None:
    vpc.replies["ec2", "DescribeRouteTables"] = {"RouteTables": tables}
    text = "has no route to a NAT gateway, without which no answer is sent: add one"
    assert of_the_network(shell, 1) == [("problem", f"{subnet} {text}") for subnet in without]


@pytest.mark.parametrize(("dns", "code"), [(True, 1), (False, 0)])
def test_endpoint_that_hides_the_websocket_api(vpc: ScriptedAws, shell: Shell, *, dns: bool, code: int) -> None:
    vpc.replies["ec2", "DescribeVpcEndpoints"] = {"VpcEndpoints": [endpoint(OTHERS, "execute-api", dns=dns)]}
    hidden = f"{OTHERS} passes no answers on to a WebSocket API: switch its private DNS off"
    found = of_the_network(shell, code)
    assert (("problem", hidden) in found) == dns


@pytest.mark.parametrize(("stack", "code"), [("", 1), ("Cicada-prod", 1), ("Cicada-dev", 0)])
def test_an_endpoint_of_somebody_elses_has_to_be_given(vpc: ScriptedAws, shell: Shell, stack: str, code: int) -> None:
    vpc.replies["ec2", "DescribeVpcEndpoints"] = {"VpcEndpoints": [endpoint(OTHERS, "aoss-data", stack=stack)]}
    named = f"{OTHERS} leads to collections already: deploy with -c vpcEndpoint={OTHERS}"
    assert (("problem", named) in of_the_network(shell, code)) == bool(code)
    given = of_the_network(shell, 0, "-c", f"vpcEndpoint={OTHERS}")
    assert [state for state, _ in given] == ["ok"]


@pytest.mark.parametrize("there", [[], [endpoint(OURS, "aoss-data", dns=False)], [endpoint(OURS, "aoss")]])
def test_endpoint_of_another_service(vpc: ScriptedAws, shell: Shell, there: list[dict[str, Any]]) -> None:
    vpc.replies["ec2", "DescribeVpcEndpoints"] = {"VpcEndpoints": there}
    text = f"{VPC} has no endpoint {OURS} of aoss-data with private DNS: give another"
    assert of_the_network(shell, 1, "-c", f"vpcEndpoint={OURS}") == [("problem", text)]


def test_what_may_not_be_looked_at_is_unknown(vpc: ScriptedAws, shell: Shell) -> None:
    vpc.replies["ec2", "DescribeRouteTables"] = refusal("UnauthorizedOperation")
    assert [state for state, _ in of_the_network(shell, 0)] == ["unknown"]
