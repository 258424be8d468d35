"""The KMS key that encrypts what a stage stores of its users and documents (docs/operations/keys.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from aws_cdk import Aws, Stack
from aws_cdk import aws_backup as backup
from aws_cdk import aws_cloudtrail as cloudtrail
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from constructs import Construct, IConstruct

from infra.constructs.document_trail import trail_arn
from infra.constructs.function import allow_via
from infra.constructs.retention import when_protected
from infra.data_key import CREATE
from infra.settings import StageSettings

# The page's files are for everybody to read, and CloudFront would need the key.
_PUBLIC = "Page"
# What a role needs of the key for what it may do. For tables DynamoDB decrypts the table's key on the caller's behalf:
# https://docs.aws.amazon.com/kms/latest/developerguide/services-dynamodb.html
# A producer verifies a new data key by decrypting it:
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
# Objects are uploaded in one part: https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
_DECRYPT, _GENERATE = "kms:Decrypt", "kms:GenerateDataKey"
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "dynamodb:": (_DECRYPT,),
    "s3:GetObject": (_DECRYPT,),
    "s3:PutObject": (_GENERATE,),
    "sqs:ReceiveMessage": (_DECRYPT,),
    "sqs:SendMessage": (_DECRYPT, _GENERATE),
}


class DataKey(Construct):
    """`arn`: of a key that the stack creates, or of the one that `-c dataKey` names, whose policy is its owner's."""

    def __init__(self, scope: Construct, id: str, *, settings: StageSettings) -> None:
        super().__init__(scope, id)
        self.arn = self._create(settings).key_arn if settings.data_key == CREATE else settings.data_key

    def _create(self, settings: StageSettings) -> kms.Key:
        """Create a key. Its policy lets IAM decide who of the account may use it, and names the services one by one."""
        key = kms.Key(
            self,
            "Key",
            description=f"{settings.prefix}: texts of users and documents",
            enable_key_rotation=True,
            # Without it what is kept could not be read any more.
            removal_policy=when_protected(settings),
        )
        for statement in _for_services(settings):
            key.add_to_resource_policy(statement)
        return key

    def encrypt(self, stack: Stack) -> None:
        """Every table, bucket, queue, log group, topic and trail of the stack, those to come included."""
        for resource in stack.node.find_all():
            for kind, encrypt in _ENCRYPTED.items():
                if isinstance(resource, kind):
                    encrypt(resource, self.arn)

    def let_use(self, functions: Iterable[lambda_.Function]) -> None:
        """Each role may use the key through the services that it uses, and for what it does there."""
        for function in functions:
            for action, services in sorted(_needs(function).items()):
                allow_via(function, action, self.arn, sorted(services))


def _needs(function: lambda_.Function) -> dict[str, set[str]]:
    """The services through which each action on the key is needed."""
    found: dict[str, set[str]] = {}
    for allowed in _actions(function):
        for prefix, needed in _NEEDED.items():
            for action in needed if allowed.startswith(prefix) else ():
                found.setdefault(action, set()).add(allowed.partition(":")[0])
    return found


def _actions(function: lambda_.Function) -> Iterator[str]:
    """What the function's role may do."""
    policy = function.role.node.find_child("DefaultPolicy") if function.role else None
    if not isinstance(policy, iam.Policy):
        raise TypeError(f"{function.node.path} has no policy.")
    document: Mapping[str, Any] = policy.document.to_json()
    for statement in document["Statement"]:
        actions = statement["Action"]
        yield from [actions] if isinstance(actions, str) else actions


def _for_services(settings: StageSettings) -> Iterator[iam.PolicyStatement]:
    """What AWS services do with the key by themselves. A key of your own needs the same (docs/operations/keys.md)."""
    account = {"StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID}}
    groups = f"arn:{Aws.PARTITION}:logs:{Aws.REGION}:{Aws.ACCOUNT_ID}:log-group"
    # The names that the stack gives to groups, and those that CloudFormation makes of the stack's.
    named = [f"{groups}:/aws/lambda/{settings.prefix}-*", f"{groups}:{settings.stack_name}-*"]
    # https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
    yield _allow(
        f"logs.{settings.region}.amazonaws.com",
        ["kms:Encrypt*", "kms:Decrypt*", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:Describe*"],
        {"ArnLike": {"kms:EncryptionContext:aws:logs:arn": named}},
    )
    # https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
    yield _allow("s3.amazonaws.com", [_DECRYPT, _GENERATE], account)
    # https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
    alarms = f"arn:{Aws.PARTITION}:cloudwatch:{Aws.REGION}:{Aws.ACCOUNT_ID}:alarm:{settings.prefix}-*"
    yield _allow(
        "cloudwatch.amazonaws.com", [_DECRYPT, "kms:GenerateDataKey*"], account | {"ArnLike": {"aws:SourceArn": alarms}}
    )
    if settings.data_events == "create":
        # https://docs.aws.amazon.com/awscloudtrail/latest/userguide/create-kms-key-policy-for-cloudtrail.html
        trail = {"StringEquals": {"aws:SourceArn": trail_arn(settings)}}
        context = {"kms:EncryptionContext:aws:cloudtrail:arn": trail_arn(settings)}
        yield _allow("cloudtrail.amazonaws.com", ["kms:GenerateDataKey*"], trail | {"StringLike": context})
        yield _allow("cloudtrail.amazonaws.com", ["kms:DescribeKey"], trail)


def _allow(service: str, actions: list[str], conditions: Mapping[str, Mapping[str, Any]]) -> iam.PolicyStatement:
    """Allow a service these actions. In a key's policy `*` is the key."""
    return iam.PolicyStatement(
        principals=[iam.ServicePrincipal(service)], actions=actions, resources=["*"], conditions=conditions
    )


def _table(table: dynamodb.CfnGlobalTable, arn: str) -> None:
    table.add_property_override("Replicas.0.SSESpecification.KMSMasterKeyId", arn)


def _bucket(bucket: s3.CfnBucket, arn: str) -> None:
    """Encrypt with a bucket key, which has S3 call KMS for the bucket instead of for each object."""
    if _PUBLIC in bucket.node.path.split("/"):
        return
    default = s3.CfnBucket.ServerSideEncryptionByDefaultProperty(sse_algorithm="aws:kms", kms_master_key_id=arn)
    rule = s3.CfnBucket.ServerSideEncryptionRuleProperty(
        server_side_encryption_by_default=default, bucket_key_enabled=True
    )
    bucket.bucket_encryption = s3.CfnBucket.BucketEncryptionProperty(server_side_encryption_configuration=[rule])


def _queue(queue: sqs.CfnQueue, arn: str) -> None:
    queue.sqs_managed_sse_enabled = None
    queue.kms_master_key_id = arn


def _topic(topic: sns.CfnTopic, arn: str) -> None:
    topic.kms_master_key_id = arn


def _log_group(group: logs.CfnLogGroup, arn: str) -> None:
    group.kms_key_id = arn


def _trail(trail: cloudtrail.CfnTrail, arn: str) -> None:
    trail.kms_key_id = arn


def _vault(vault: backup.CfnBackupVault, arn: str) -> None:
    vault.encryption_key_arn = arn


_ENCRYPTED: Mapping[type[IConstruct], Callable[[Any, str], None]] = {
    backup.CfnBackupVault: _vault,
    cloudtrail.CfnTrail: _trail,
    dynamodb.CfnGlobalTable: _table,
    logs.CfnLogGroup: _log_group,
    s3.CfnBucket: _bucket,
    sns.CfnTopic: _topic,
    sqs.CfnQueue: _queue,
}
