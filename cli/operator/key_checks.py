"""The checks of `cicada doctor` on the key that encrypts a stage's data (docs/operations/keys.md). Each reads only."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from botocore.exceptions import ClientError

from cli.aws_failures import code_of
from cli.deployment_target import outputs_of
from cli.operator.findings import Finding
from infra.data_key import CREATE
from infra.settings import StageSettings

_SUBJECT = "data key"
_GUIDE = "docs/operations/keys.md"
Client = Callable[[str], Any]


def key_findings(settings: StageSettings, client: Client) -> Iterator[Finding]:
    """Findings on the account's own key, and on a collection that exists already: it cannot change its key."""
    if settings.data_key not in ("", CREATE):
        yield from _given(settings, client("kms"))
    yield from _collection(settings, client)


def _given(settings: StageSettings, kms: Any) -> Iterator[Finding]:
    """https://docs.aws.amazon.com/kms/latest/APIReference/API_DescribeKey.html"""
    try:
        key = kms.describe_key(KeyId=settings.data_key)["KeyMetadata"]
    except ClientError as error:
        if code_of(error) != "NotFoundException":
            raise
        yield Finding(_SUBJECT, "problem", f"there is no {settings.data_key}: give the ARN of another key.")
        return
    if reason := _why_unusable(key):
        yield Finding(_SUBJECT, "problem", f"{settings.data_key} {reason}")
    elif missing := _missing(settings, kms):
        text = f"its policy names {', '.join(missing)} nowhere: add the statements of {_GUIDE}."
        yield Finding(_SUBJECT, "problem", text)
    else:
        yield Finding(_SUBJECT, "ok", f"{settings.data_key} is enabled, and its policy names the services.")


def _why_unusable(key: dict[str, Any]) -> str:
    if key["KeyState"] != "Enabled":
        return f"is not enabled ({key['KeyState']}): enable it, or cancel its deletion."
    if key.get("KeySpec") != "SYMMETRIC_DEFAULT" or key.get("KeyUsage") != "ENCRYPT_DECRYPT":
        return f"is of the kind {key.get('KeySpec')}: services encrypt with symmetric keys only, so give one."
    return (
        "" if key.get("KeyManager") == "CUSTOMER" else "is AWS's: its policy cannot be changed, so give one of yours."
    )


def _missing(settings: StageSettings, kms: Any) -> list[str]:
    """Services that no statement allows anything. What exactly is allowed only a use shows."""
    policy = json.loads(kms.get_key_policy(KeyId=settings.data_key, PolicyName="default")["Policy"])
    # A single statement needs no list.
    statements = policy["Statement"] if isinstance(policy["Statement"], list) else [policy["Statement"]]
    allowed = [json.dumps(each.get("Principal")) for each in statements if each["Effect"] == "Allow"]
    services = [f"logs.{settings.region}", "s3", "cloudwatch"]
    services += ["cloudtrail"] * (settings.data_events == "create")
    return [
        f"{each}.amazonaws.com" for each in services if not any(f'"{each}.amazonaws.com"' in one for one in allowed)
    ]


def _collection(settings: StageSettings, client: Client) -> Iterator[Finding]:
    """https://docs.aws.amazon.com/opensearch-service/latest/developerguide/serverless-encryption.html"""
    reply = client("opensearchserverless").batch_get_collection(names=[settings.collection_name])
    for collection in reply.get("collectionDetails", []):
        # What is no ARN stands for a key that AWS owns.
        found = str(collection.get("kmsKeyArn", ""))
        found = found if found.startswith("arn:") else ""
        if found != _wanted(settings, client):
            named = found or "a key of AWS's own"
            yield Finding(
                _SUBJECT,
                "problem",
                f"the collection {settings.collection_name} is encrypted with {named}, which cannot be changed: deploy"
                f" with -c collectionName=… for another collection, then run `cicada rebuild` ({_GUIDE}).",
            )


def _wanted(settings: StageSettings, client: Client) -> str | None:
    """The key's ARN, None for one that is still to be made, empty for AWS's own."""
    if settings.data_key != CREATE:
        return settings.data_key
    try:
        [stack] = client("cloudformation").describe_stacks(StackName=settings.stack_name)["Stacks"]
    except ClientError as error:
        if code_of(error) != "ValidationError":
            raise
        return None
    return outputs_of(stack).get("DataKeyArn")
