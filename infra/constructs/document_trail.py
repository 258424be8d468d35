"""CloudTrail's data events on the uploaded documents: who uploaded, replaced, removed or read a file in the bucket."""

from __future__ import annotations

from aws_cdk import Aws, Duration
from aws_cdk import aws_cloudtrail as cloudtrail
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.constructs.retention import when_unprotected
from infra.settings import StageSettings

_Field = cloudtrail.CfnTrail.AdvancedFieldSelectorProperty


class DocumentTrail(Construct):
    """A trail of this stack's documents alone, for accounts without one that has them. It is paid for by the event.

    https://docs.aws.amazon.com/awscloudtrail/latest/userguide/logging-data-events-with-cloudtrail.html
    """

    def __init__(self, scope: Construct, id: str, *, settings: StageSettings, documents: s3.Bucket) -> None:
        super().__init__(scope, id)
        self._arn = trail_arn(settings)
        self.bucket = s3.Bucket(
            self,
            "Events",
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            lifecycle_rules=[s3.LifecycleRule(id="as-the-audit-log", expiration=Duration.days(settings.audit_days))],
            removal_policy=when_unprotected(settings),
            auto_delete_objects=not settings.retain_data,
        )
        self._let_cloudtrail_write()
        trail = cloudtrail.CfnTrail(
            self,
            "Trail",
            trail_name=_trail_name(settings),
            s3_bucket_name=self.bucket.bucket_name,
            is_logging=True,
            enable_log_file_validation=True,
            include_global_service_events=False,
            is_multi_region_trail=False,
            advanced_event_selectors=[_events_of(documents)],
        )
        # CloudTrail tries whether it may write when the trail is made.
        trail.node.add_dependency(self.bucket)

    def _let_cloudtrail_write(self) -> None:
        """https://docs.aws.amazon.com/awscloudtrail/latest/userguide/create-s3-bucket-policy-for-cloudtrail.html."""
        cloudtrail_alone = {"aws:SourceArn": self._arn}
        self._allow("s3:GetBucketAcl", self.bucket.bucket_arn, cloudtrail_alone)
        written = self.bucket.arn_for_objects(f"AWSLogs/{Aws.ACCOUNT_ID}/*")
        self._allow("s3:PutObject", written, cloudtrail_alone | {"s3:x-amz-acl": "bucket-owner-full-control"})

    def _allow(self, action: str, resource: str, equal: dict[str, str]) -> None:
        self.bucket.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[iam.ServicePrincipal("cloudtrail.amazonaws.com")],
                actions=[action],
                resources=[resource],
                conditions={"StringEquals": equal},
            )
        )


def trail_arn(settings: StageSettings) -> str:
    """The trail's ARN, made from its name for policies that the trail has to wait for."""
    return f"arn:{Aws.PARTITION}:cloudtrail:{Aws.REGION}:{Aws.ACCOUNT_ID}:trail/{_trail_name(settings)}"


def _trail_name(settings: StageSettings) -> str:
    return f"{settings.prefix}-documents"


def _events_of(documents: s3.Bucket) -> cloudtrail.CfnTrail.AdvancedEventSelectorProperty:
    """The files and their sidecars; not the reports and the ground truth, which ingest alone writes."""
    return cloudtrail.CfnTrail.AdvancedEventSelectorProperty(
        name="Uploaded documents",
        field_selectors=[
            _Field(field="eventCategory", equal_to=["Data"]),
            _Field(field="resources.type", equal_to=["AWS::S3::Object"]),
            _Field(field="resources.ARN", starts_with=[documents.arn_for_objects("documents/")]),
        ],
    )
