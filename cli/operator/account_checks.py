"""The checks of `cicada doctor`. Each reads only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError, EndpointConnectionError

from cli.aws_failures import aws_calls, code_of, message_of
from cli.deployment_target import aws_options, outputs_of
from cli.errors import CommandError
from cli.operator.backup_checks import backup_findings
from cli.operator.bedrock_checks import bedrock_findings
from cli.operator.deployed_function import SEARCH_SECONDS, index_findings
from cli.operator.findings import Finding, checked
from cli.operator.key_checks import key_findings
from cli.operator.network_checks import network_findings
from cli.stack_states import remark, why_unusable
from infra.concurrency import CHAT_FUNCTIONS, NEW_ACCOUNT, UNRESERVED_LEAST, ConcurrencyBudget
from infra.context_values import refuse_misspelt
from infra.settings import StageSettings, stage_settings

# The default of the CDK: https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-customizing.html
_QUALIFIER = "hnb659fds"
# The rule CheckBootstrapVersion of the stack's template asks for this one.
BOOTSTRAP_LEAST = 6
_TOOLKIT = "CDKToolkit"


@dataclass(frozen=True, slots=True)
class Account:
    """What is to be deployed with this context, as `cdk deploy` gets it."""

    context: Mapping[str, str]

    @property
    def stage(self) -> str:
        return self.context.get("stage") or "dev"

    @property
    def stack(self) -> str:
        return f"Cicada-{self.stage}"

    @property
    def qualifier(self) -> str:
        """The qualifier of the account's bootstrap."""
        return self.context.get("@aws-cdk/core:bootstrapQualifier") or _QUALIFIER

    def settings(self, region: str) -> StageSettings:
        """The settings that a deployment makes. Raises `CommandError` where it refuses, as for a region's models."""
        try:
            refuse_misspelt(self.context)
            return stage_settings({"region": region, **self.context}.get)
        except ValueError as error:
            raise CommandError(str(error)) from error

    def client(self, service: str, read_timeout_seconds: float = 30, *, region: str = "") -> Any:
        """A client with the credentials of the AWS command line, in the region of the deployment or another one."""
        options = aws_options()
        options["region_name"] = region or self.context.get("region") or options["region_name"]
        options["config"] = options["config"].merge(Config(read_timeout=read_timeout_seconds))
        with aws_calls():
            return boto3.client(service, **options)  # type: ignore[call-overload]


def account_findings(account: Account) -> list[Finding]:
    """Findings, one or more for each part. Raises `CommandError` if the login or the region is not known."""
    with aws_calls():
        caller = account.client("sts").get_caller_identity()
    region = account.client("cloudformation").meta.region_name
    found = [Finding("login", "ok", f"{caller['Arn']} in the account {caller['Account']}, region {region}.")]
    place = f"aws://{caller['Account']}/{region}"
    found += checked("bootstrap", partial(_bootstrap, account, place))
    found += checked("stack", partial(_stack, account))
    found += checked("index", partial(_index, account))
    found += checked("search", partial(_search, account, region))
    found += checked("log role", partial(_log_role, account))
    try:
        settings = account.settings(region)
    except CommandError as refused:
        return [*found, Finding("settings", "problem", str(refused))]
    found += checked("concurrency", partial(_concurrency, account, settings.concurrency))
    found += checked("data key", partial(key_findings, settings, account.client))
    found += checked("backups", partial(backup_findings, settings, account.client))
    found += checked("network", partial(network_findings, settings, account.client))
    return found + bedrock_findings(settings, account.client, region)


def _bootstrap(account: Account, place: str) -> Iterator[Finding]:
    """https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html"""
    client = account.client("ssm")
    command = f"run `node_modules/.bin/cdk bootstrap {place}`"
    try:
        name = f"/cdk-bootstrap/{account.qualifier}/version"
        version = int(client.get_parameter(Name=name)["Parameter"]["Value"])
    except ClientError as error:
        if code_of(error) != "ParameterNotFound":
            raise
        yield Finding("bootstrap", "problem", f"{_unfinished_toolkit(account)}{command}.")
        return
    if version < BOOTSTRAP_LEAST:
        text = f"version {version} is older than {BOOTSTRAP_LEAST}, which the stack needs: {command}."
        yield Finding("bootstrap", "problem", text)
    else:
        yield Finding("bootstrap", "ok", f"version {version}.")


def _unfinished_toolkit(account: Account) -> str:
    """A bootstrap that failed leaves a stack that the next one cannot update."""
    state = _state(account, _TOOLKIT)
    if state is None:
        return "the account is not bootstrapped in this region: "
    if why_unusable(_TOOLKIT, state) and "PROGRESS" not in state:
        return f"the bootstrap failed ({state}): delete the stack {_TOOLKIT} in the CloudFormation console, then "
    return f"the bootstrap has another qualifier than {account.qualifier}, or is under way ({state}): "


def _stack(account: Account) -> Iterator[Finding]:
    state = _state(account, account.stack)
    if state is None:
        yield Finding("stack", "ok", f"{account.stack} is not deployed yet.")
        yield from _left_behind(account)
    elif reason := why_unusable(account.stack, state):
        yield Finding("stack", "problem", reason)
    else:
        yield Finding("stack", "ok", remark(account.stack, state) or f"{account.stack} is deployed ({state}).")


def _index(account: Account) -> Iterator[Finding]:
    """The finding on the index of a stage that is deployed."""
    if (found := _described(account, account.stack)) is None or why_unusable(account.stack, found["StackStatus"]):
        return
    outputs = outputs_of(found)
    if "IngestFunction" not in outputs:
        return
    client = account.client("lambda", SEARCH_SECONDS)
    well = "it has the documents that were uploaded."
    yield from index_findings(client, outputs["IngestFunction"], f" --stack {account.stack}", well)


def _left_behind(account: Account) -> Iterator[Finding]:
    """What has a name of its own and is still there although the stack is gone; a deployment would fail on it."""
    pages = (
        account.client("logs")
        .get_paginator("describe_log_groups")
        .paginate(logGroupNamePrefix=f"/aws/lambda/cicada-{account.stage}-")
    )
    groups = [each["logGroupName"] for page in pages for each in page.get("logGroups", [])]
    if groups:
        text = f"{len(groups)} log groups of an earlier stack are left, such as {groups[0]}: delete them first."
        yield Finding("stack", "problem", text)


def _state(account: Account, stack: str) -> str | None:
    """The state of a stack; None if there is none."""
    found = _described(account, stack)
    return str(found["StackStatus"]) if found else None


def _described(account: Account, stack: str) -> Mapping[str, Any] | None:
    """The stack as CloudFormation describes it; None if there is none."""
    try:
        [found] = account.client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
    except ClientError as error:
        if code_of(error) == "ValidationError" and "does not exist" in message_of(error):
            return None
        raise
    return dict(found)


def _concurrency(account: Account, budget: ConcurrencyBudget) -> Iterator[Finding]:
    """https://docs.aws.amazon.com/lambda/latest/api/API_GetAccountSettings.html"""
    limit = account.client("lambda").get_account_settings()["AccountLimit"]
    quota, free = int(limit["ConcurrentExecutions"]), int(limit["UnreservedConcurrentExecutions"])
    reserved = (budget.reserved or 0) * len(CHAT_FUNCTIONS)
    ask = "in Service Quotas, AWS Lambda, Concurrent executions"
    if quota < budget.account:
        more = f"deploy with -c accountConcurrency={quota}" if quota >= NEW_ACCOUNT else "it cannot be deployed"
        text = f"the account has {quota} concurrent executions, not {budget.account}: {more}, or ask for more {ask}."
        yield Finding("concurrency", "problem", text)
    elif reserved and free - reserved < UNRESERVED_LEAST and _state(account, account.stack) is None:
        text = f"{free} of {quota} concurrent executions are not reserved by others: {reserved} for the chat leave less"
        yield Finding("concurrency", "problem", f"{text} than {UNRESERVED_LEAST}; ask for more {ask}.")
    elif quota > budget.account:
        text = f"the stage uses {budget.account} of {quota} concurrent executions;"
        yield Finding("concurrency", "note", f"{text} -c accountConcurrency={quota} lets it use all.")
    else:
        yield Finding("concurrency", "ok", f"{quota} concurrent executions.")


def _search(account: Account, region: str) -> Iterator[Finding]:
    """https://docs.aws.amazon.com/opensearch-service/latest/ServerlessAPIReference/API_GetAccountSettings.html"""
    try:
        account.client("opensearchserverless").get_account_settings()
    except EndpointConnectionError as error:
        known = boto3.Session().get_available_regions("opensearchserverless")
        elsewhere = f"set AWS_REGION to one that has it, such as {', '.join(known[:9])}"
        raise CommandError(f"OpenSearch Serverless is not in {region}: {elsewhere}.") from error
    yield Finding("search", "ok", "OpenSearch Serverless answers.")


def _log_role(account: Account) -> Iterator[Finding]:
    """https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-logging.html"""
    if account.client("apigateway").get_account().get("cloudwatchRoleArn"):
        yield Finding("log role", "ok", "API Gateway has a role for its logs.")
    else:
        yield Finding(
            "log role",
            "note",
            "API Gateway has no role for its logs in this account; the deployment sets one, for all of its APIs.",
        )
