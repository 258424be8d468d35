"""The way from a VPC to the collection, for the functions that search and ingest (docs/operations/network.md)."""

from __future__ import annotations

from aws_cdk import Aws
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.private_network import PrivateNetwork
from infra.settings import StageSettings

_HTTPS = 443
# What Lambda does with the role of a function to connect it, and what the function itself must not do.
# https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
_INTERFACES = [
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:UnassignPrivateIpAddresses",
]


class PrivateAccess(Construct):
    """`endpoint`: the id of the interface endpoint from which the collection is reached.

    A NextGen collection takes an endpoint of EC2's. Those of OpenSearch Serverless are for the earlier generation.
    https://docs.aws.amazon.com/opensearch-service/latest/developerguide/serverless-vpc.html
    """

    def __init__(self, scope: Construct, id: str, *, settings: StageSettings, network: PrivateNetwork) -> None:
        super().__init__(scope, id)
        self._settings = settings
        self._network = network
        self._own_group = None if network.security_groups else self._group_of_functions()
        self._groups = [self._own_group.attr_group_id] if self._own_group else list(network.security_groups)
        self.endpoint = network.endpoint or self._endpoint().attr_id

    def join(self, function: lambda_.Function) -> None:
        """Connect the function to the subnets. Lambda makes the network interfaces, with the function's role."""
        resource = function.node.default_child
        if not isinstance(resource, lambda_.CfnFunction):
            raise TypeError(f"{function.node.path} is no function.")
        resource.vpc_config = lambda_.CfnFunction.VpcConfigProperty(
            security_group_ids=self._groups, subnet_ids=list(self._network.subnets)
        )
        interfaces = self._interfaces(function)
        resource.add_resource_dependency(interfaces)
        if self._own_group:
            self._own_group.add_resource_dependency(interfaces)

    def _interfaces(self, function: lambda_.Function) -> iam.CfnPolicy:
        """A policy of its own, which CloudFormation deletes after the function has changed and the group has gone.

        Lambda gives interfaces back by it, up to 20 minutes later; a group with interfaces cannot be deleted.
        """
        if function.role is None:
            raise ValueError(f"{function.node.path} has no role.")
        allowed = iam.PolicyStatement(actions=_INTERFACES, resources=["*"])
        return iam.CfnPolicy(
            self,
            f"{function.node.id}Interfaces",
            policy_name=f"{function.node.id}Interfaces",
            policy_document=iam.PolicyDocument(statements=[allowed, self._not_by_its_code()]),
            roles=[function.role.role_name],
        )

    def _not_by_its_code(self) -> iam.PolicyStatement:
        """Calls of a function's code name the function; those that Lambda makes with its role do not."""
        functions = f"arn:{Aws.PARTITION}:lambda:{Aws.REGION}:{Aws.ACCOUNT_ID}:function:{self._settings.prefix}-*"
        return iam.PolicyStatement(
            effect=iam.Effect.DENY,
            actions=_INTERFACES,
            resources=["*"],
            conditions={"ArnLike": {"lambda:SourceFunctionArn": functions}},
        )

    def _group_of_functions(self) -> ec2.CfnSecurityGroup:
        """Nobody calls the functions through the network; they call AWS by TLS."""
        return ec2.CfnSecurityGroup(
            self,
            "Functions",
            vpc_id=self._network.vpc,
            group_description=f"{self._settings.prefix}: functions that search and ingest",
            security_group_egress=[
                ec2.CfnSecurityGroup.EgressProperty(
                    ip_protocol="tcp",
                    from_port=_HTTPS,
                    to_port=_HTTPS,
                    cidr_ip="0.0.0.0/0",
                    description="AWS, by endpoints or by the NAT gateway",
                )
            ],
        )

    def _endpoint(self) -> ec2.CfnVPCEndpoint:
        """Make an endpoint for this account's callers. It answers for all NextGen collections of the region."""
        everything = {"Effect": "Allow", "Principal": {"AWS": Aws.ACCOUNT_ID}, "Action": "*", "Resource": "*"}
        return ec2.CfnVPCEndpoint(
            self,
            "Endpoint",
            vpc_id=self._network.vpc,
            vpc_endpoint_type="Interface",
            service_name=f"com.amazonaws.{Aws.REGION}.aoss-data",
            subnet_ids=list(self._network.subnets),
            security_group_ids=[self._group_of_endpoint()],
            private_dns_enabled=True,
            policy_document={"Version": "2012-10-17", "Statement": [everything]},
        )

    def _group_of_endpoint(self) -> str:
        group = ec2.CfnSecurityGroup(
            self,
            "EndpointAccess",
            vpc_id=self._network.vpc,
            group_description=f"{self._settings.prefix}: who reaches the collection",
            security_group_ingress=[
                ec2.CfnSecurityGroup.IngressProperty(
                    ip_protocol="tcp",
                    from_port=_HTTPS,
                    to_port=_HTTPS,
                    source_security_group_id=functions,
                    description="Functions that search and ingest",
                )
                for functions in self._groups
            ],
        )
        return group.attr_group_id
