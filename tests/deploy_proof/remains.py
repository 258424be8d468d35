"""What is left of a stage after its stack was destroyed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.deploy_proof.target import Target


def remains(target: Target) -> list[str]:
    """Everything whose name begins as the stage's or the stack's."""
    return sorted(f"{kind} {name}" for kind, name in _named(target) if _is_of(target, name))


def _is_of(target: Target, name: str) -> bool:
    bare = name.removeprefix("/aws/lambda/").lower()
    return bare.startswith((f"{target.prefix}-".lower(), f"{target.stack}-".lower()))


def _named(target: Target) -> Iterator[tuple[str, str]]:
    for name in _pages(target, "dynamodb", "list_tables", "TableNames"):
        yield "table", name
    for each in target.client("s3").list_buckets()["Buckets"]:
        yield "bucket", each["Name"]
    for url in _pages(target, "sqs", "list_queues", "QueueUrls"):
        yield "queue", url.rpartition("/")[2]
    for each in _pages(target, "lambda", "list_functions", "Functions"):
        yield "function", each["FunctionName"]
    for each in _pages(target, "logs", "describe_log_groups", "logGroups"):
        yield "log group", each["logGroupName"]
    for each in _pages(target, "cognito-idp", "list_user_pools", "UserPools", MaxResults=60):
        yield "user pool", each["Name"]
    for each in _pages(target, "cloudwatch", "describe_alarms", "MetricAlarms"):
        yield "alarm", each["AlarmName"]
    for each in _pages(target, "sns", "list_topics", "Topics"):
        yield "topic", each["TopicArn"].rpartition(":")[2]


def _pages(target: Target, service: str, operation: str, key: str, **arguments: int) -> Iterator[Any]:
    for page in target.client(service).get_paginator(operation).paginate(**arguments):
        yield from page.get(key, [])
