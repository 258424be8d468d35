"""Records of Route 53 that lead a domain of one's own to a part of the stack."""

from __future__ import annotations

from aws_cdk import aws_route53 as route53
from constructs import Construct


def add_alias(scope: Construct, *, domain: str, zone: str, target: route53.IAliasRecordTarget, ipv6: bool) -> None:
    """`zone`: the id of the hosted zone that has the domain."""
    # The CDK only uses the zone's name to complete names, and the domain is complete.
    hosted_zone = route53.HostedZone.from_hosted_zone_attributes(scope, "Zone", hosted_zone_id=zone, zone_name=domain)
    leads = route53.RecordTarget.from_alias(target)
    route53.ARecord(scope, "Record", zone=hosted_zone, record_name=domain, target=leads)
    if ipv6:
        route53.AaaaRecord(scope, "RecordIpv6", zone=hosted_zone, record_name=domain, target=leads)
