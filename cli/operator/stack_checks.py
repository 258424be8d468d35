"""The checks of `cicada status`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from cicada.documents.model import KnowledgeBaseKey
from cli.deployment_target import DeploymentTarget
from cli.operator.bases import require_base
from cli.operator.calibration_checks import calibration_findings
from cli.operator.deployed_function import SEARCH_SECONDS, DeployedFunction, index_findings
from cli.operator.document_states import under_way
from cli.operator.findings import Finding, State, checked
from cli.operator.model_checks import model_findings
from cli.operator.tenants import without_tenant
from cli.operator.user_pool import UserPool
from cli.stack_states import remark

# How many names a finding lists.
_SHOWN = 5
_WAITING = "ApproximateNumberOfMessages"
_TAKEN = "ApproximateNumberOfMessagesNotVisible"
_GIVEN_UP = {
    "requests": "`cicada redrive --list{flag}` says why; mend it, then `cicada redrive{flag}`.",
    "documents": "mend what the log of the ingest function says, then `cicada ingest` them again.",
}


def stack_findings(target: DeploymentTarget, tenant: str, knowledge_base: str) -> list[Finding]:
    """Findings, one or more for each part. Raises `CommandError` if the login is not known."""
    cloudformation = target.client("cloudformation")
    found = checked("stack", partial(_stack, cloudformation, target.stack))
    resources: dict[str, dict[str, str]] = {}

    def look() -> Iterator[Finding]:
        resources.update(_resources_of(cloudformation, target.stack))
        yield from ()

    found += checked("parts", look)
    configurations: dict[str, Mapping[str, Any]] = {}
    functions = sorted(resources.get("AWS::Lambda::Function", {}).values())
    found += checked("functions", partial(_functions, target.client("lambda"), functions, configurations))
    found += checked("queues", partial(_queues, target, resources.get("AWS::SQS::Queue", {})))
    found += checked("documents under way", partial(_under_way, target, tenant, knowledge_base))
    alarms = sorted(resources.get("AWS::CloudWatch::Alarm", {}).values())
    found += checked("alarms", partial(_alarms, target.client("cloudwatch"), alarms))
    topics = sorted(resources.get("AWS::SNS::Topic", {}).values())
    found += checked("notification", partial(_notification, target.client("sns"), topics))
    found += checked("accounts", partial(_accounts, target))
    found += checked("index", partial(_index, target, tenant, knowledge_base))
    found += checked("calibration", partial(calibration_findings, target, list(configurations.values())))
    return found + model_findings(target, list(configurations.values()))


def _resources_of(cloudformation: Any, stack: str) -> dict[str, dict[str, str]]:
    """The physical ids of the parts of a deployed stack, by CloudFormation type, then logical id."""
    found: dict[str, dict[str, str]] = {}
    for page in cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack):
        for each in page["StackResourceSummaries"]:
            if each.get("PhysicalResourceId") and each["ResourceStatus"] != "DELETE_COMPLETE":
                found.setdefault(each["ResourceType"], {})[each["LogicalResourceId"]] = each["PhysicalResourceId"]
    return found


def _stack(client: Any, stack: str) -> Iterator[Finding]:
    [found] = client.describe_stacks(StackName=stack)["Stacks"]
    said = remark(stack, found["StackStatus"])
    yield Finding("stack", "note" if said else "ok", said or f"{stack} is deployed ({found['StackStatus']}).")


def _functions(client: Any, names: list[str], into: dict[str, Mapping[str, Any]]) -> Iterator[Finding]:
    """https://docs.aws.amazon.com/lambda/latest/dg/functions-states.html"""
    for name in names:
        found = into[name] = client.get_function_configuration(FunctionName=name)
        reason = found.get("StateReason") or found.get("LastUpdateStatusReason") or "its log says why"
        if found.get("State") == "Failed" or found.get("LastUpdateStatus") == "Failed":
            yield Finding("functions", "problem", f"{name} cannot run: {reason}; deploy it again.")
    yield Finding("functions", "ok", f"{len(names)} functions.")


def _queues(target: DeploymentTarget, queues: Mapping[str, str]) -> Iterator[Finding]:
    client = target.client("sqs")
    for logical_id, url in sorted(queues.items()):
        what = "documents" if logical_id.startswith("Ingest") else "requests"
        names = [_WAITING, _TAKEN]
        numbers = client.get_queue_attributes(QueueUrl=url, AttributeNames=names).get("Attributes", {})
        waiting, taken = (int(numbers.get(name, 0)) for name in names)
        if "DeadLetters" in logical_id:
            yield _dead_letters(what, waiting + taken, target.flag)
        else:
            yield Finding(f"{what} queue", "ok", f"{waiting} waiting, {taken} under way.")


def _under_way(target: DeploymentTarget, tenant: str, knowledge_base: str) -> Iterator[Finding]:
    """How far the large files are that are being embedded."""
    base_key = KnowledgeBaseKey(tenant, knowledge_base)
    for name, progress in [*under_way(target, base_key).items()][:_SHOWN]:
        yield Finding("documents under way", "ok", f"{name}: {progress}.")


def _dead_letters(what: str, number: int, flag: str) -> Finding:
    if not number:
        return Finding(f"{what} given up", "ok", "none.")
    return Finding(f"{what} given up", "problem", f"{number}: {_GIVEN_UP[what].format(flag=flag)}")


def _alarms(client: Any, names: list[str]) -> Iterator[Finding]:
    pages = client.get_paginator("describe_alarms").paginate(AlarmNames=names) if names else []
    alarms = [alarm for page in pages for alarm in page.get("MetricAlarms", [])]
    for alarm in alarms:
        if alarm.get("StateValue") == "ALARM":
            text = f"{alarm['AlarmName']} rings: {alarm.get('AlarmDescription', '')} {alarm.get('StateReason', '')}"
            yield Finding("alarms", "problem", text)
    yield Finding("alarms", "ok", f"{len(alarms)} alarms.")


def _notification(client: Any, topics: list[str]) -> Iterator[Finding]:
    """https://docs.aws.amazon.com/sns/latest/api/API_ListSubscriptionsByTopic.html"""
    for topic in topics:
        pages = client.get_paginator("list_subscriptions_by_topic").paginate(TopicArn=topic)
        found = [each for page in pages for each in page.get("Subscriptions", [])]
        pending = [each["Endpoint"] for each in found if not each["SubscriptionArn"].startswith("arn:")]
        yield _told([each["Endpoint"] for each in found], pending)


def _told(endpoints: list[str], pending: list[str]) -> Finding:
    state: State = "ok"
    text = f"alarms go to {', '.join(endpoints)}."
    if pending:
        state, text = "problem", f"{', '.join(pending)} must confirm by the link in the mail from AWS."
    elif not endpoints:
        state, text = "note", "no alarm reaches anybody: deploy with -c alarmEmail=…, or subscribe to the topic."
    return Finding("notification", state, text)


def _accounts(target: DeploymentTarget) -> Iterator[Finding]:
    """A finding on accounts that can sign in, but are refused by the authorizer."""
    pool = UserPool.of(target)
    accounts = [each for each in pool.accounts() if each.state != "disabled"]
    refused = [each.name for each in without_tenant(accounts, target.default_tenant)]
    if not refused:
        yield Finding("accounts", "ok", f"{len(accounts)} accounts, each with one tenant.")
        return
    shown = ", ".join(refused[:_SHOWN]) + (f" and {len(refused) - _SHOWN} more" if len(refused) > _SHOWN else "")
    mend = f"`cicada user list{target.flag}` says why, `cicada user groups NAME --tenant TENANT{target.flag}` mends it."
    yield Finding("accounts", "problem", f"refused, because they have not exactly one tenant: {shown}. {mend}")


def _index(target: DeploymentTarget, tenant: str, knowledge_base: str) -> Iterator[Finding]:
    """Through the ingest function, which may search; the operator need not be allowed to."""
    client, function = target.client("lambda", SEARCH_SECONDS), target.output("IngestFunction")
    listed = DeployedFunction(client, function, "The index does not answer").call(
        {"documents": "list", "tenant": tenant, "knowledgeBase": knowledge_base, "limit": 1}
    )
    if not listed["total"]:
        require_base(target, tenant, knowledge_base)
    look = f"cicada documents list --knowledge-base {knowledge_base} --tenant {tenant}{target.flag}"
    number = f"{listed['total']} documents in {knowledge_base} of the tenant {tenant}"
    yield from index_findings(client, function, target.flag, f"{number}; `{look}` names unknown readers.")
