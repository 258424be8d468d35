"""The VPC from which alone a stage's collection is reached, by `cdk … -c name=value`, by ids: nothing is looked up."""

from __future__ import annotations

import re
from dataclasses import dataclass

from infra.context_values import Context, ContextValueError, listed, text

_CREATE = "create"
# Each is about the VPC that `vpc` names.
_OF_VPC = ("vpcSubnets", "vpcEndpoint", "vpcSecurityGroups")


@dataclass(frozen=True, slots=True)
class PrivateNetwork:
    """Ids of a network. `endpoint`: one of `aoss-data`, empty for the stack's own.

    `security_groups`: of the functions that search and ingest, none for one of the stack's.
    """

    vpc: str
    subnets: tuple[str, ...]
    endpoint: str = ""
    security_groups: tuple[str, ...] = ()


def private_network(context: Context) -> PrivateNetwork | None:
    """The private network; None for a collection that is reached from anywhere, with signed requests."""
    vpc = _id(context, "vpc", "vpc")
    if not vpc:
        if lonely := [name for name in _OF_VPC if text(context, name)]:
            raise ContextValueError(f"-c {lonely[0]} is of a VPC: add -c vpc=vpc-… and -c vpcSubnets=subnet-…,subnet-…")
        return None
    subnets = _ids(context, "vpcSubnets", "subnet")
    if not subnets:
        raise ContextValueError("-c vpc needs -c vpcSubnets=subnet-…,subnet-…: private subnets with a route to a NAT.")
    endpoint = "" if text(context, "vpcEndpoint", _CREATE) == _CREATE else _id(context, "vpcEndpoint", "vpce")
    return PrivateNetwork(vpc, subnets, endpoint, _ids(context, "vpcSecurityGroups", "sg"))


def _id(context: Context, name: str, kind: str) -> str:
    found = _ids(context, name, kind)
    if len(found) > 1:
        raise ContextValueError(f"-c {name} names more than one: give one id, as {kind}-0123456789abcdef0.")
    return "".join(found)


def _ids(context: Context, name: str, kind: str) -> tuple[str, ...]:
    found = listed(context, name)
    if wrong := [each for each in found if not re.fullmatch(f"{kind}-[0-9a-f]{{8,17}}", each)]:
        raise ContextValueError(f"-c {name}={wrong[0]} cannot be used: give the id, as {kind}-0123456789abcdef0.")
    return found
