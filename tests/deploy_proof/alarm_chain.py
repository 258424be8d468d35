"""The chain from an alarm to whoever subscribed to it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.deploy_proof.report import ProofError
from tests.deploy_proof.target import Target

_PATIENCE_SECONDS = 120


def ring(target: Target, run_id: str) -> str:
    """Set an alarm of the stage to ALARM, and wait until a subscriber of its topic hears of it."""
    cloudwatch = target.client("cloudwatch")
    alarms = cloudwatch.describe_alarms(AlarmNamePrefix=f"{target.prefix}-")["MetricAlarms"]
    silent = [each["AlarmName"] for each in alarms if not each["AlarmActions"]]
    if silent or not alarms:
        raise ProofError(f"Of {len(alarms)} alarms these tell nobody: {', '.join(silent) or 'there is none'}.")
    alarm = alarms[0]
    with _subscriber(target, alarm["AlarmActions"][0], run_id) as queue:
        reason = f"deploy proof {run_id}"
        cloudwatch.set_alarm_state(AlarmName=alarm["AlarmName"], StateValue="ALARM", StateReason=reason)
        try:
            _hear(target, queue, reason)
        finally:
            cloudwatch.set_alarm_state(AlarmName=alarm["AlarmName"], StateValue="OK", StateReason=reason)
    return f"{alarm['AlarmName']} was heard by a subscriber of {alarm['AlarmActions'][0].rpartition(':')[2]}"


@contextmanager
def _subscriber(target: Target, topic: str, run_id: str) -> Iterator[str]:
    """The URL of a queue that is subscribed to the topic for a while."""
    sqs, sns = target.client("sqs"), target.client("sns")
    queue = sqs.create_queue(QueueName=f"cicada-deploy-proof-{run_id}")["QueueUrl"]
    try:
        arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        sqs.set_queue_attributes(QueueUrl=queue, Attributes={"Policy": json.dumps(_policy(arn, topic))})
        subscription = sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn, ReturnSubscriptionArn=True)
        try:
            yield queue
        finally:
            sns.unsubscribe(SubscriptionArn=subscription["SubscriptionArn"])
    finally:
        sqs.delete_queue(QueueUrl=queue)


def _policy(queue: str, topic: str) -> dict[str, Any]:
    """https://docs.aws.amazon.com/sns/latest/dg/subscribe-sqs-queue-to-sns-topic.html."""
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": "sns.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": queue,
        "Condition": {"ArnEquals": {"aws:SourceArn": topic}},
    }
    return {"Version": "2012-10-17", "Statement": [statement]}


def _hear(target: Target, queue: str, reason: str) -> None:
    sqs = target.client("sqs")
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        for message in sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=5).get("Messages", []):
            if reason in message["Body"]:
                return
    raise ProofError(f"No subscriber of the topic heard of the alarm within {_PATIENCE_SECONDS} s.")
