"""The bucket for uploaded documents, and the queue that notifies ingest of them."""

from __future__ import annotations

import jsii
from aws_cdk import Aws, Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from aws_cdk.interfaces.aws_s3 import IBucketRef
from constructs import Construct

from infra.constructs.function import allow, configure
from infra.constructs.retention import when_unprotected
from infra.settings import StageSettings

_EARLIER_VERSIONS = Duration.days(30)
_UNFINISHED_UPLOADS = Duration.days(7)
_UNFINISHED_INGESTS = Duration.days(1)


class Documents(Construct):
    """Uploads go below `documents/<tenant>/<knowledge base>/`; ingest writes its reports below `reports/`.

    The ground truth, from which indexes are built, is below `truth/`: the text of all documents and their vectors. The
    vectors of unfinished ingests are below `vectors/`, copies of scans whose text is being recognised below `scans/`.
    """

    def __init__(self, scope: Construct, id: str, *, settings: StageSettings, consumer_timeout_seconds: int) -> None:
        super().__init__(scope, id)
        self._settings = settings
        self.bucket = self._bucket()
        self.dead_letters = sqs.Queue(
            self,
            "DeadLetters",
            retention_period=Duration.days(14),
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=settings.local is None,
        )
        self.changes = sqs.Queue(
            self,
            "Changes",
            visibility_timeout=Duration.seconds(6 * consumer_timeout_seconds),
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.dead_letters, max_receive_count=5),
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=settings.local is None,
        )
        of_documents = s3.NotificationKeyFilter(prefix="documents/")
        for event in (s3.EventType.OBJECT_CREATED, s3.EventType.OBJECT_REMOVED):
            self.bucket.add_event_notification(event, _Announced(self.changes), of_documents)

    def _bucket(self) -> s3.Bucket:
        on_aws, kept = self._settings.local is None, self._settings.retain_data
        return s3.Bucket(
            self,
            "Bucket",
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=on_aws,
            versioned=kept,
            lifecycle_rules=_lifecycle(kept=kept),
            removal_policy=when_unprotected(self._settings),
            # The emulator is thrown away with its bucket.
            auto_delete_objects=on_aws and not kept,
        )

    def let_compare(self, function: lambda_.Function) -> None:
        """Let the function see which documents are kept, to notice that the index lacks them. It cannot read them."""
        configure(function, {"documents_bucket": self.bucket.bucket_name})
        self._let_list(function, "truth/*")

    def let_serve(self, function: lambda_.Function) -> None:
        """Let the function give files to users and change documents for editors, where the stage does."""
        if self._settings.originals:
            self._let_give_originals(function)
        if self._settings.editors:
            self._let_edit(function)

    def _let_give_originals(self, function: lambda_.Function) -> None:
        """Let the function sign addresses of files: who has one reads the file with the function's rights.

        It sees which files there are, so that one that is missing is no failure.
        """
        configure(function, {"originals_bucket": self.bucket.bucket_name})
        allow(function, ["s3:GetObject", "s3:GetObjectVersion"], self.bucket.arn_for_objects("documents/*"))
        self._let_list(function, "documents/*")

    @property
    def upload_origins(self) -> list[str]:
        """Where browsers send files to, none without editors."""
        return [f"https://{self.bucket.bucket_regional_domain_name}"] if self._settings.editors else []

    def _let_edit(self, function: lambda_.Function) -> None:
        """Let the function change documents for the stage's editors, and sign forms by which browsers send files."""
        local = self._settings.local
        url = f"{local.aws_url}/{self.bucket.bucket_name}" if local else self.upload_origins[0]
        settings = {"uploads_bucket": self.bucket.bucket_name, "editors": self._settings.editors, "uploads_url": url}
        configure(function, settings)
        actions = ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"]
        allow(function, actions, self.bucket.arn_for_objects("documents/*"))
        allow(function, ["s3:GetObject"], self.bucket.arn_for_objects("reports/*"))
        self._let_list(function, "documents/*", "reports/*")
        self._let_pages_send()

    def _let_pages_send(self) -> None:
        """Let the chat page's script send files and see that they have arrived; who may is in the signed form.

        Without a domain of its own the page's address is CloudFront's, which refers to this bucket already and so
        cannot be referred to. The local page has some port of the machine.
        """
        addresses = self._settings.addresses
        if self._settings.local:
            origins = ["http://127.0.0.1:*", "http://localhost:*"]
        elif addresses.has_page:
            origins = [f"https://{addresses.page.name}" if addresses.page else "https://*.cloudfront.net"]
        else:
            return
        self.bucket.add_cors_rule(allowed_methods=[s3.HttpMethods.POST], allowed_origins=origins, max_age=3000)

    def _let_list(self, function: lambda_.Function, *keys: str) -> None:
        function.add_to_role_policy(
            iam.PolicyStatement(
                actions=["s3:ListBucket"],
                resources=[self.bucket.bucket_arn],
                conditions={"StringLike": {"s3:prefix": keys[0] if len(keys) == 1 else list(keys)}},
            )
        )


@jsii.implements(s3.IBucketNotificationDestination)
class _Announced:
    """The CDK's `SqsDestination`, for this account's bucket alone.

    A bucket's ARN names no account, and a name that is free again may become another account's.
    """

    def __init__(self, queue: sqs.Queue) -> None:
        self._queue = queue

    def bind(
        self,
        scope: Construct,  # noqa: ARG002 - of the CDK's interface
        bucket: IBucketRef,
    ) -> s3.BucketNotificationDestinationConfig:
        conditions = {
            "ArnLike": {"aws:SourceArn": bucket.bucket_ref.bucket_arn},
            "StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID},
        }
        self._queue.grant_send_messages(iam.ServicePrincipal("s3.amazonaws.com", conditions=conditions))
        return s3.BucketNotificationDestinationConfig(
            arn=self._queue.queue_arn, type=s3.BucketNotificationDestinationType.QUEUE, dependencies=[self._queue]
        )


def _lifecycle(*, kept: bool) -> list[s3.LifecycleRule]:
    """Rules for all but the vectors of unfinished ingests and copies of scans.

    They hold for documents with their sidecars, reports, and the ground truth, of which every ingest writes a new
    version. What was removed is gone for good when its last earlier version expires.
    """
    unfinished = s3.LifecycleRule(id="unfinished-uploads", abort_incomplete_multipart_upload_after=_UNFINISHED_UPLOADS)
    # Vectors of parts of documents, of ingests that did not get to their end, and scans whose text was recognised.
    passing = [
        s3.LifecycleRule(
            id=id, prefix=prefix, expiration=_UNFINISHED_INGESTS, noncurrent_version_expiration=_UNFINISHED_INGESTS
        )
        for id, prefix in (("unfinished-ingests", "vectors/"), ("recognised-scans", "scans/"))
    ]
    if not kept:
        return [unfinished, *passing]
    earlier = s3.LifecycleRule(
        id="earlier-versions", noncurrent_version_expiration=_EARLIER_VERSIONS, expired_object_delete_marker=True
    )
    return [unfinished, *passing, earlier]
