"""The chat page: its files in a private bucket, served by CloudFront with the page's headers."""

from __future__ import annotations

from aws_cdk import Aws, Duration, RemovalPolicy
from aws_cdk import aws_certificatemanager as acm
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_logs as logs
from aws_cdk import aws_route53_targets as targets
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_s3_deployment as deployment
from constructs import Construct

from infra import page_headers as headers
from infra.constructs.alias_record import add_alias
from infra.constructs.identity import Identity
from infra.constructs.websocket_api import WebSocketApi
from infra.page_files import ASSETS, CONFIG, INDEX, cache_control, page_files
from infra.settings import StageSettings

_REFERRER_POLICIES = {"no-referrer": cloudfront.HeadersReferrerPolicy.NO_REFERRER}
# The function of the CDK runs the AWS command line, which is slow with the memory that it has by default.
_DEPLOYMENT_MEGABYTES = 512


class Page(Construct):
    """The chat page. It holds nothing of users, so it is deleted with every stack.

    `uploads`: the origins that files are sent to, none without editors.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        settings: StageSettings,
        api: WebSocketApi,
        identity: Identity,
        uploads: list[str],
    ) -> None:
        super().__init__(scope, id)
        self._settings = settings
        self.bucket = s3.Bucket(
            self,
            "Files",
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            removal_policy=RemovalPolicy.DESTROY,
            auto_delete_objects=True,
        )
        self.distribution = self._distribution([api.origin, *identity.origins, *uploads])
        identity.return_to(self.url)
        shown = {"administrators": settings.administrators} if settings.administrators else {}
        self._deploy({"websocketUrl": api.url, "tokenIn": "subprotocol"} | identity.page_config | shown)
        domain = settings.addresses.page
        if domain and settings.addresses.hosted_zone:
            target = targets.CloudFrontTarget(self.distribution)
            add_alias(self, domain=domain.name, zone=settings.addresses.hosted_zone, target=target, ipv6=True)

    @property
    def url(self) -> str:
        domain = self._settings.addresses.page
        return f"https://{domain.name if domain else self.distribution.distribution_domain_name}"

    @property
    def outputs(self) -> dict[str, str]:
        """`PageDomainTarget`: what a record of the page's domain has to name, if this stack does not make it."""
        addresses = self._settings.addresses
        if addresses.page is None or addresses.hosted_zone:
            return {"PageUrl": self.url}
        return {"PageUrl": self.url, "PageDomainTarget": self.distribution.distribution_domain_name}

    @property
    def _global_name(self) -> str:
        """CloudFront has one list of names for all regions, and each region may have this stage."""
        return f"{self._settings.prefix}-page-{Aws.REGION}"

    def _distribution(self, connect_to: list[str]) -> cloudfront.Distribution:
        access = cloudfront.S3OriginAccessControl(self, "Access", origin_access_control_name=self._global_name)
        origin = origins.S3BucketOrigin.with_origin_access_control(self.bucket, origin_access_control=access)
        policy = self._headers(connect_to)
        domain = self._settings.addresses.page
        return cloudfront.Distribution(
            self,
            "Distribution",
            comment=f"{self._settings.prefix}: the chat page",
            default_root_object=INDEX,
            default_behavior=_behavior(origin, policy, cloudfront.CachePolicy.CACHING_DISABLED),
            additional_behaviors={f"{ASSETS}/*": _behavior(origin, policy, cloudfront.CachePolicy.CACHING_OPTIMIZED)},
            http_version=cloudfront.HttpVersion.HTTP2_AND_3,
            # The page is small, so the nearest location for everybody costs next to nothing.
            price_class=cloudfront.PriceClass.PRICE_CLASS_ALL,
            minimum_protocol_version=cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021 if domain else None,
            domain_names=[domain.name] if domain else None,
            certificate=acm.Certificate.from_certificate_arn(self, "Certificate", domain.certificate)
            if domain
            else None,
        )

    def _headers(self, connect_to: list[str]) -> cloudfront.ResponseHeadersPolicy:
        """CloudFront has fields of their own for some headers; the others are custom headers."""
        values = headers.page_headers(connect_to, over_tls=True)
        del values[headers.HSTS], values[headers.CONTENT_TYPE_OPTIONS]
        csp, referrer = values.pop(headers.CSP), values.pop(headers.REFERRER_POLICY)
        return cloudfront.ResponseHeadersPolicy(
            self,
            "Headers",
            response_headers_policy_name=self._global_name,
            security_headers_behavior=cloudfront.ResponseSecurityHeadersBehavior(
                content_security_policy=cloudfront.ResponseHeadersContentSecurityPolicy(
                    content_security_policy=csp, override=True
                ),
                content_type_options=cloudfront.ResponseHeadersContentTypeOptions(override=True),
                referrer_policy=cloudfront.ResponseHeadersReferrerPolicy(
                    referrer_policy=_REFERRER_POLICIES[referrer], override=True
                ),
                strict_transport_security=cloudfront.ResponseHeadersStrictTransportSecurity(
                    access_control_max_age=Duration.seconds(headers.HSTS_SECONDS), override=True
                ),
            ),
            custom_headers_behavior=cloudfront.ResponseCustomHeadersBehavior(
                custom_headers=[
                    cloudfront.ResponseCustomHeader(header=name, value=value, override=True)
                    for name, value in values.items()
                ]
            ),
        )

    def _deploy(self, config: dict[str, str]) -> None:
        """Upload the assets first, so that whoever sees the new `index.html` finds what it refers to.

        Earlier assets stay, for pages that are being loaded and for a return to an earlier release.
        """
        files = page_files()
        log = logs.LogGroup(
            self, "DeploymentLog", retention=logs.RetentionDays.ONE_MONTH, removal_policy=RemovalPolicy.DESTROY
        )
        sources = [deployment.Source.data(path, file.decode()) for path, file in files.assets.items()]
        document = deployment.Source.data(INDEX, files.index), deployment.Source.json_data(CONFIG, config)
        assets = self._deployment("Assets", log, *sources, prefix=files.assets_prefix)
        self._deployment("Document", log, *document).node.add_dependency(assets)

    def _deployment(
        self, id: str, log: logs.LogGroup, *sources: deployment.ISource, prefix: str = ""
    ) -> deployment.BucketDeployment:
        return deployment.BucketDeployment(
            self,
            id,
            destination_bucket=self.bucket,
            destination_key_prefix=prefix or None,
            sources=list(sources),
            cache_control=[deployment.CacheControl.from_string(cache_control(f"{prefix}/"))],
            prune=False,
            log_group=log,
            memory_limit=_DEPLOYMENT_MEGABYTES,
        )


def _behavior(
    origin: cloudfront.IOrigin, policy: cloudfront.ResponseHeadersPolicy, cache: cloudfront.ICachePolicy
) -> cloudfront.BehaviorOptions:
    return cloudfront.BehaviorOptions(
        origin=origin,
        viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        cache_policy=cache,
        response_headers_policy=policy,
        compress=True,
    )
