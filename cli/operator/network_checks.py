"""The checks of `cicada doctor` on the VPC from which alone a collection is reached. Each reads only.

What they look for fails no deployment, but every answer after it (docs/operations/network.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cli.operator.findings import Finding
from infra.private_network import PrivateNetwork
from infra.settings import StageSettings

_SUBJECT = "network"
_GUIDE = "docs/operations/network.md"
_ANYWHERE = "0.0.0.0/0"
Described = Mapping[str, Any]


def network_findings(settings: StageSettings, client: Callable[[str], Any]) -> Iterator[Finding]:
    """Findings on the stage's VPC; none without one."""
    network = settings.network
    if network is None:
        return
    ec2 = client("ec2")
    in_vpc = [{"Name": "vpc-id", "Values": [network.vpc]}]
    endpoints = ec2.get_paginator("describe_vpc_endpoints").paginate(Filters=in_vpc).build_full_result()
    tables = ec2.get_paginator("describe_route_tables").paginate(Filters=in_vpc).build_full_result()
    problems = [
        *_of_endpoints(settings.stack_name, network, endpoints["VpcEndpoints"]),
        *_of_routes(network, tables["RouteTables"]),
    ]
    yield from (Finding(_SUBJECT, "problem", f"{text} ({_GUIDE}).") for text in problems)
    if not problems:
        yield Finding(_SUBJECT, "ok", f"{network.vpc} has what the functions need.")


def _of_endpoints(stack: str, network: PrivateNetwork, endpoints: list[Described]) -> Iterator[str]:
    """An endpoint with private DNS answers for all names of its service in the VPC."""
    answering = [each for each in endpoints if each.get("PrivateDnsEnabled")]
    for each in answering:
        if each["ServiceName"].endswith(".execute-api"):
            yield f"{each['VpcEndpointId']} passes no answers on to a WebSocket API: switch its private DNS off"
    ways = {each["VpcEndpointId"]: each for each in answering if each["ServiceName"].endswith(".aoss-data")}
    if network.endpoint and network.endpoint not in ways:
        yield f"{network.vpc} has no endpoint {network.endpoint} of aoss-data with private DNS: give another"
    others = [id for id, each in ways.items() if _stack_of(each) != stack]
    if not network.endpoint and others:
        yield f"{others[0]} leads to collections already: deploy with -c vpcEndpoint={others[0]}"


def _stack_of(endpoint: Described) -> str:
    tags = {each["Key"]: each["Value"] for each in endpoint.get("Tags", [])}
    return str(tags.get("aws:cloudformation:stack-name", ""))


def _of_routes(network: PrivateNetwork, tables: list[Described]) -> Iterator[str]:
    """A function has no public address, so an internet gateway leads it nowhere."""
    for subnet in network.subnets:
        routes = _table_of(subnet, tables).get("Routes", [])
        out = [each for each in routes if each.get("DestinationCidrBlock") == _ANYWHERE]
        if not out or str(out[0].get("GatewayId", "")).startswith("igw-"):
            yield f"{subnet} has no route to a NAT gateway, without which no answer is sent: add one"


def _table_of(subnet: str, tables: list[Described]) -> Described:
    """A subnet without a table of its own has the VPC's main one."""
    associations = [(each, table) for table in tables for each in table.get("Associations", [])]
    own = [table for each, table in associations if each.get("SubnetId") == subnet]
    main = [table for each, table in associations if each.get("Main")]
    return next(iter([*own, *main]), {})
