"""The functions: one folder below `functions/` each, with shared defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aws_cdk import Aws, Duration, Names, RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.concurrency import CHAT_FUNCTIONS
from infra.constructs.layers import Layers
from infra.settings import StageSettings

# The alias of what callers reach, where releases are shifted.
LIVE = "live"
_FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"


@dataclass(frozen=True, slots=True)
class Functions:
    """Creates the functions of one stage, and returns them by name."""

    settings: StageSettings
    layers: Layers
    by_name: dict[str, lambda_.Function]
    aliases: dict[str, lambda_.Alias]

    def add(
        self,
        scope: Construct,
        name: str,
        *,
        environment: Mapping[str, str],
        searches: bool = False,
        reads_documents: bool = False,
        timeout_seconds: int = 10,
        memory_mb: int = 512,
    ) -> lambda_.Function:
        """The function in `functions/<name>`. `environment` becomes its `CICADA_<NAME>` variables.

        Each has `CICADA_STAGE`, under which its metrics are counted. `searches`, `reads_documents`: which layers it
        gets besides the base.
        """
        id = "".join(part.capitalize() for part in name.split("_"))
        function_name = f"{self.settings.prefix}-{name.replace('_', '-')}"
        log_group = _log_group(scope, id, function_name)
        function = lambda_.Function(
            scope,
            id,
            function_name=function_name,
            runtime=lambda_.Runtime.PYTHON_3_13,
            architecture=lambda_.Architecture.ARM_64,
            handler="handler.handler",
            # Byte-code in a function's folder would change the asset's hash from machine to machine.
            code=lambda_.Code.from_asset(str(_FUNCTIONS / name), exclude=["__pycache__", "*.pyc"]),
            layers=self.layers.of(searches=searches, reads_documents=reads_documents),
            timeout=Duration.seconds(timeout_seconds),
            memory_size=memory_mb,
            environment=self._endpoints(name),
            logging_format=lambda_.LoggingFormat.JSON,
            log_group=log_group,
            # The CDK lets the role send traces: xray:PutTraceSegments and xray:PutTelemetryRecords.
            tracing=lambda_.Tracing.ACTIVE,
            role=_role(scope, id, log_group),
            reserved_concurrent_executions=self._reserved(name),
        )
        configure(function, {"stage": self.settings.prefix, **environment})
        self.by_name[name] = function
        return function

    def live(self, name: str) -> lambda_.IFunction:
        """What callers of the function reach: itself, or the alias by which its releases are shifted.

        A version keeps the variables that it was published with. The CDK publishes another where the template of the
        function or its layers differ; a part that is replaced under the same id does not show there, but is replaced
        because of a setting, so all settings count.
        """
        function = self.by_name[name]
        if self.settings.releases == "direct":
            return function
        if name not in self.aliases:
            function.invalidate_version_based_on(repr(self.settings))
            self.aliases[name] = lambda_.Alias(function, "Live", alias_name=LIVE, version=function.current_version)
        return self.aliases[name]

    def _reserved(self, name: str) -> int | None:
        """Answers and uploads cannot take the chat's executions. The emulator has no account to share."""
        chat = name in CHAT_FUNCTIONS and self.settings.local is None
        return self.settings.concurrency.reserved if chat else None

    def _endpoints(self, name: str) -> dict[str, str]:
        """Variables that the SDK reads; on the local stage they point to the emulator and to the Bedrock stand-in.

        There each call's User-Agent names its function, as the role's session does on AWS.
        """
        local = self.settings.local
        if local is None:
            return {}
        database = {"AWS_ENDPOINT_URL_DYNAMODB": local.database_url} if local.database_url else {}
        # On AWS Lambda sets this one by itself.
        traces = {"AWS_XRAY_DAEMON_ADDRESS": local.traces_address} if local.traces_address else {}
        return (
            database
            | traces
            | {
                "AWS_ENDPOINT_URL": local.calls_url,
                "AWS_SDK_UA_APP_ID": name,
                "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": local.bedrock_url,
                "AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME": local.bedrock_url,
            }
        )


def configure(function: lambda_.Function, environment: Mapping[str, str]) -> None:
    """Give the function these settings, as its `CICADA_<NAME>` variables."""
    for name, value in environment.items():
        function.add_environment(f"CICADA_{name.upper()}", value)


def allow(function: lambda_.Function, actions: Sequence[str], *resources: str) -> None:
    """Allow the function's role exactly this; the CDK's own grants allow more than the code needs."""
    function.add_to_role_policy(iam.PolicyStatement(actions=list(actions), resources=list(resources)))


def allow_via(function: lambda_.Function, action: str, resource: str, services: Sequence[str]) -> None:
    """Allow the function's role this only where one of these services asks for it on the role's behalf."""
    names = [f"{service}.{Aws.REGION}.amazonaws.com" for service in services]
    function.add_to_role_policy(
        iam.PolicyStatement(
            actions=[action], resources=[resource], conditions={"StringEquals": {"kms:ViaService": names}}
        )
    )


def consume(
    function: lambda_.Function,
    queue: sqs.Queue,
    *,
    batch_size: int,
    max_concurrency: int | None,
    live: lambda_.IFunction | None = None,
) -> None:
    """Invoke the function, or its alias `live`, with the queue's messages, and let Lambda take them with its role.

    Messages beyond `max_concurrency` invocations stay in the queue; without it Lambda would take them out, be refused,
    and put them back, and each time counts as a delivery.
    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-lambda-function-trigger.html
    https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
    """
    allow(function, ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"], queue.queue_arn)
    lambda_.EventSourceMapping(
        function,
        # The id that the CDK's SqsEventSource uses. A deployed mapping cannot be replaced by another of the same queue,
        # but be given another target.
        f"SqsEventSource:{Names.node_unique_id(queue.node)}",
        target=live or function,
        event_source_arn=queue.queue_arn,
        batch_size=batch_size,
        max_concurrency=max_concurrency,
        report_batch_item_failures=True,
    )


def _log_group(scope: Construct, id: str, function_name: str) -> logs.LogGroup:
    return logs.LogGroup(
        scope,
        f"{id}Logs",
        log_group_name=f"/aws/lambda/{function_name}",
        retention=logs.RetentionDays.ONE_MONTH,
        removal_policy=RemovalPolicy.DESTROY,
    )


def _role(scope: Construct, id: str, log_group: logs.LogGroup) -> iam.Role:
    """A role that may write the function's own log only; AWS's managed policy allows writing every log."""
    role = iam.Role(scope, f"{id}Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
    log_group.grant_write(role)
    return role
