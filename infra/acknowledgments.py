"""Acknowledged findings of the AWS Solutions rules, each with its reason. Every other finding fails the synth."""

from __future__ import annotations

from aws_cdk import Acknowledgment, Aws, Stack, Validations

from infra.constructs.models import models_in_any_region
from infra.settings import StageSettings

_REASONS = {
    "APIG4": "A WebSocket API authorizes $connect alone; the other routes are reached only through a connection.",
    "COG2": "Whether accounts need a second factor is the decision of whoever runs the pool for their users.",
    "COG8": "The plus tier's threat protection costs per user; the pool has no self sign-up.",
    "L1": "Runtime, layers and byte-code belong together and are raised together: infra/layer_build.py.",
    "IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]": (
        "The CDK gives it to functions of its own; in the template it is replaced: infra/constructs/cdk_functions.py."
    ),
    "IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]": (
        "It lets CodeDeploy move aliases, read alarms and call hooks, of which there are none; it can change no code."
    ),
    "IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]": (
        "It has what API Gateway's guide asks of the role by which every API of the account logs."
    ),
}
_BACKUPS = (
    "AWS Backup reads by it what the plan selects, and writes to its own vaults: the roles that its guide asks for."
)
_REASONS |= {
    f"IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/{name}]": _BACKUPS
    for name in ("service-role/AWSBackupServiceRolePolicyForBackup", "AWSBackupServiceRolePolicyForS3Backup")
}
# Server access logs, by what of them is asked for.
_ACCESS_LOGS = {
    "create": "Who uploaded, removed or read a document is in CloudTrail's data events, by the stack's own trail.",
    "existing": "Who uploaded, removed or read a document is in CloudTrail's data events, by the account's trail.",
    "none": "Ingest writes a report on each file; -c dataEvents=create also records who uploaded, removed or read it.",
}
_OTHER_BUCKETS = "The page's files are for everybody, and the events are written by CloudTrail alone."
# CloudFront serves the page's static files and nothing else.
_PAGE = {
    "CFR1": "Who may use a stage is decided by its accounts, not by where a file of the page is read from.",
    "CFR2": "Nothing that a visitor sends reaches code: the distribution has static files alone and forwards no input.",
    "CFR3": (
        "Which static file was read says nothing about use, and addresses of visitors would be personal data to keep. "
        "Standard logging can be set up in us-east-1 only, the older kind needs a bucket with access control lists."
    ),
    "CFR4": "CloudFront's own certificate allows no other policy; with -c pageDomain it is TLSv1.2_2021.",
}
_COPYING = "The CDK's own function copies the page's files from the CDK's bucket of assets into the page's."
_HTTP = "The emulator speaks plain HTTP, on loopback, and heeds policies that refuse it."
_LOCAL = {"S10": _HTTP, "SQS4": _HTTP}
_WILDCARD_ACTIONS = {
    f"Action::s3:{action}": _COPYING for action in ("Abort*", "DeleteObject*", "GetBucket*", "GetObject*", "List*")
}
_CONNECTIONS = "Connections come and go; there is no narrower name for those of this API."
_WILDCARDS = {
    "*": (
        "Traces, jobs of Textract, reranking and network interfaces know no resources; which models may rerank is "
        "named beside it."
    ),
    "<IngestDocumentsBucket551D14AF.Arn>/documents/*": "Ingest reads whatever is uploaded below this prefix.",
    "<IngestDocumentsBucket551D14AF.Arn>/reports/*": "Ingest writes a report for whatever is uploaded.",
    "<IngestDocumentsBucket551D14AF.Arn>/truth/*": "Ingest keeps there what it indexes of whatever is uploaded.",
    "<IngestDocumentsBucket551D14AF.Arn>/vectors/*": "Ingest keeps there the vectors of files that it did not finish.",
    "<IngestDocumentsBucket551D14AF.Arn>/scans/*": "Ingest keeps there the scans whose text is being recognised.",
    "<PageFiles79CCA538.Arn>/*": _COPYING,
    "arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<ConversationWebSocketApi05C623EF>"
    "/v1/POST/@connections/*": _CONNECTIONS,
    "arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<ConversationWebSocketApi05C623EF>"
    "/v1/DELETE/@connections/*": _CONNECTIONS,
}


def acknowledge(stack: Stack, settings: StageSettings) -> None:
    """Record the reasons on the stack."""
    profiles = {
        arn.replace(
            Aws.PARTITION, "<AWS::Partition>"
        ): "Where this inference profile routes to is not known; only through it is the model allowed."
        for arn in models_in_any_region(settings)
    }
    wildcards = _WILDCARDS | profiles
    reasons = _REASONS | {f"IAM5[Resource::{name}]": reason for name, reason in wildcards.items()}
    reasons["S1"] = f"{_ACCESS_LOGS[settings.data_events]} {_OTHER_BUCKETS}"
    if settings.local is None:
        reasons |= _PAGE | {f"IAM5[{action}]": reason for action, reason in _WILDCARD_ACTIONS.items()}
        reasons[f"IAM5[Resource::{_assets_of(stack, settings.region)}/*]"] = _COPYING
    if settings.local:
        reasons |= _LOCAL
    for rule, reason in reasons.items():
        acknowledgment = Acknowledgment(id=f"AwsSolutions::AwsSolutions-{rule}", reason=reason)
        Validations.of(stack).acknowledge(acknowledgment)


def _assets_of(stack: Stack, region: str) -> str:
    """The CDK's bucket of assets; its name depends on the qualifier of the bootstrap."""
    qualifier = stack.synthesizer.bootstrap_qualifier
    return f"arn:<AWS::Partition>:s3:::cdk-{qualifier}-assets-<AWS::AccountId>-{region}"
