"""A domain of one's own for the WebSocket API."""

from __future__ import annotations

from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_certificatemanager as acm
from aws_cdk import aws_route53_targets as targets
from constructs import Construct

from infra.addresses import Domain
from infra.constructs.alias_record import add_alias


class SocketDomain(Construct):
    """The stage answers at `wss://<domain>` as well as at the API's own address, which functions post to.

    `zone`: the id of the domain's hosted zone, empty for a record that is made elsewhere.
    """

    def __init__(
        self, scope: Construct, id: str, *, domain: Domain, zone: str, stage: apigateway.WebSocketStage
    ) -> None:
        super().__init__(scope, id)
        certificate = acm.Certificate.from_certificate_arn(self, "Certificate", domain.certificate)
        self.name = apigateway.DomainName(
            self,
            "Name",
            domain_name=domain.name,
            certificate=certificate,
            security_policy=apigateway.SecurityPolicy.TLS_1_2,
        )
        apigateway.ApiMapping(self, "Mapping", api=stage.api, domain_name=self.name, stage=stage)
        if zone:
            target = targets.ApiGatewayv2DomainProperties(
                self.name.regional_domain_name, self.name.regional_hosted_zone_id
            )
            add_alias(self, domain=domain.name, zone=zone, target=target, ipv6=False)
