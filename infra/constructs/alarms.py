"""The alarms: conditions to look into before users report them. Each has a runbook in docs/runbooks/."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from aws_cdk import Aws, Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct

from infra.constructs.alarm_metrics import (
    StageLog,
    enough,
    errors_rate,
    new_letters,
    refused_rate,
    refused_rows,
    throttles_rate,
    untouched,
)
from infra.constructs.budget import Budget
from infra.constructs.dashboard import Dashboard
from infra.constructs.documents import Documents
from infra.constructs.function import Functions
from infra.constructs.models import Models
from infra.constructs.request_queue import RequestQueue
from infra.constructs.saved_queries import SavedQueries
from infra.constructs.tables import Tables
from infra.constructs.use_metrics import use_metrics

# A request that waited longer than a minute is told of no more by a status; clients give up.
_WAITING_MILLISECONDS = 60_000
_FIRST_TOKEN_MILLISECONDS = 10_000
# Milliseconds of the 300 s that an answer may take.
_LONG_ANSWER_MILLISECONDS = 240_000
_HOUR = Duration.hours(1)


@dataclass(frozen=True, slots=True)
class Watch:
    """An alarm rings if `metric` is above `threshold` in `least` of the last `periods`."""

    name: str
    metric: cloudwatch.IMetric
    threshold: float
    description: str
    periods: int = 1
    least: int | None = None


class Alarms(Construct):
    """All notify one topic; `-c alarmEmail=…` at deployment subscribes an address to it. A dashboard shows the same."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        functions: Functions,
        models: Models,
        requests: RequestQueue,
        documents: Documents,
        tables: Tables,
    ) -> None:
        super().__init__(scope, id)
        settings = functions.settings
        self._prefix = settings.prefix
        self._functions = functions.by_name
        self._topic = sns.Topic(self, "Topic", topic_name=f"{self._prefix}-alarms", enforce_ssl=True)
        self._let_publish("cloudwatch", f"{Aws.REGION}:{Aws.ACCOUNT_ID}:alarm:{self._prefix}-*")
        if settings.alarm_email:
            self._topic.add_subscription(subscriptions.EmailSubscription(settings.alarm_email))
        if settings.monthly_budget:
            Budget(self, "Budget", dollars=settings.monthly_budget, topic=self._topic)
            self._let_publish("budgets", f":{Aws.ACCOUNT_ID}:*")
        self.by_name: dict[str, cloudwatch.Alarm] = {}
        # The emulator of the local stage knows no metric math.
        if not settings.local:
            groups = self._groups(StageLog(self._prefix), requests, documents, tables)
            self.by_name = {name: alarm for group in groups.values() for name, alarm in group.items()}
            self._show(groups, {each: models.metered(each) for each in settings.chat_model_ids})

    def _groups(
        self, log: StageLog, requests: RequestQueue, documents: Documents, tables: Tables
    ) -> dict[str, dict[str, cloudwatch.Alarm]]:
        """The alarms by the titles that they have on the dashboard, and by name."""
        watches = {
            "Answers": self._of_answers(log),
            "Requests": self._of_requests(log, requests),
            "Connections and commands": self._of_chat(log),
            "Documents": self._of_documents(log, documents),
            "Audit": self._of_audit(log),
            "Capacity": self._of_capacity(tables),
        }
        return {title: {each.name: self._alarm(each) for each in group} for title, group in watches.items()}

    def _show(self, groups: Mapping[str, Mapping[str, cloudwatch.Alarm]], chat_models: Mapping[str, str]) -> None:
        """`chat_models`: what CloudWatch counts each by."""
        use = use_metrics(StageLog(self._prefix), chat_models)
        Dashboard(self, "Dashboard", name=self._prefix, groups=groups, use=use)
        log_group = self._functions["message_processor"].log_group
        SavedQueries(self, "Queries", name=self._prefix, log_group=log_group)

    def _of_answers(self, log: StageLog) -> Iterator[Watch]:
        yield Watch("answers-failing", log.share("FailedAnswers", least=3), 5, "Answers end in an error.")
        yield Watch("models-refused", log.share("RefusedModels", least=3), 5, "Bedrock throttles or denies models.")
        yield Watch("models-silent", log.share("SilentModels", least=3), 10, "Models write nothing in time.")
        incomplete = log.metric("FailedAnswers", "Sum", Code="index_incomplete")
        yield Watch("index-incomplete", incomplete, 0, "The search index lacks documents.")
        first = enough(log.metric("TimeToFirstToken", "p95"), "p95", least=20)
        yield Watch("first-tokens-slow", first, _FIRST_TOKEN_MILLISECONDS, "Answers begin late.")
        whole = enough(self._functions["message_processor"].metric_duration(), "p95", least=20)
        yield Watch("long-answers", whole, _LONG_ANSWER_MILLISECONDS, "Answers come near the function's end.")
        # A rate of fewer than so many is noise.
        retries = log.share_of("RetriedAnswers", "SearchedAnswers", least=20, period=_HOUR)
        yield Watch("retries", retries, 15, "Evidence is often too weak at the first search.")

    def _of_requests(self, log: StageLog, requests: RequestQueue) -> Iterator[Watch]:
        waiting = log.metric("WaitingTime", "p90")
        yield Watch("requests-waiting", waiting, _WAITING_MILLISECONDS, "Requests wait for a processor.")
        # The longest answers hold all processors for five minutes.
        yield Watch("requests-stuck", untouched(requests.queue), 0, "No processor takes the requests.", periods=2)
        letters = new_letters(requests.dead_letters)
        yield Watch("requests-given-up", letters, 0.01, "Requests were dead-lettered.", periods=3, least=1)
        # A function that breaks tells nobody: its requests come back after half an hour.
        processor = errors_rate([self._functions["message_processor"]], least=1)
        yield Watch("processor-errors", processor, 5, "The message processor breaks.")

    def _of_chat(self, log: StageLog) -> Iterator[Watch]:
        # An alarm takes ten metrics. Signing out everywhere closes connections.
        opening = [self._functions[name] for name in ("authorizer", "ws_connect", "ws_disconnect", "ws_sign_out")]
        commands = [self._functions[name] for name in ("ws_message", "ws_resume", "ws_control", "ws_open")]
        failed = log.metric("FailedCommands", "Sum")
        yield Watch("connections-failing", errors_rate(opening, least=3), 5, "Connections cannot be opened or closed.")
        yield Watch("commands-failing", errors_rate(commands, least=3, failed=failed), 5, "Commands fail on our side.")
        refused = refused_rate(self._functions["ws_admin"], least=3)
        yield Watch("administration-failing", refused, 5, "Administrators are not served.")
        if tools := self._tools():
            yield Watch("tools-failing", errors_rate(tools, least=3), 5, "The agents' tools break.")

    def _of_documents(self, log: StageLog, documents: Documents) -> Iterator[Watch]:
        yield Watch("ingest-failing", log.share("FailedIngests", least=3), 10, "Documents cannot be ingested.")
        errors = errors_rate([self._functions["ingest_document"]], least=1)
        yield Watch("ingest-errors", errors, 5, "The ingest function breaks.")
        # The slowest batches occupy all ingest functions for a quarter of an hour.
        yield Watch("documents-stuck", untouched(documents.changes), 0, "Nothing takes the uploads.", periods=4)
        letters = new_letters(documents.dead_letters)
        yield Watch("documents-given-up", letters, 0.01, "Documents were dead-lettered.", periods=3, least=1)

    def _of_audit(self, log: StageLog) -> Iterator[Watch]:
        lost = log.metric("LostAuditRecords", "Sum")
        yield Watch("audit-records-lost", lost, 0, "The audit trail does not take records.")

    def _of_capacity(self, tables: Tables) -> Iterator[Watch]:
        # An alarm takes ten metrics; `$disconnect`, whose work the tables' expiry does too, is left out.
        chat = ("authorizer", "ws_connect", "ws_message", "ws_resume", "ws_control")
        workers = [self._functions[name] for name in ("message_processor", "ingest_document", "ws_open")]
        busy = throttles_rate([self._functions[name] for name in chat], least=3)
        yield Watch("chat-throttled", busy, 1, "Connections and commands find no execution.")
        held = throttles_rate([*workers, *self._tools()], least=10)
        yield Watch("workers-throttled", held, 10, "Answers, ingest and opened documents find no execution.")
        rows = refused_rows([tables.requests, tables.connections, tables.entries, tables.access_lists])
        yield Watch("tables-throttled", rows, 10, "A row is hotter than a partition allows.")

    def _tools(self) -> list[lambda_.Function]:
        """The agents' functions, which are deployed for Bedrock Agents only."""
        return [self._functions[name] for name in ("agent_profiles", "agent_theories") if name in self._functions]

    def _let_publish(self, service: str, of: str) -> None:
        """Let the service publish for what is called `of` there, as the end of an ARN.

        An explicit policy replaces the topic's default one, which lets everything in the account publish. The topic has
        no key of its own: CloudWatch could not use the one that AWS manages for SNS.
        https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
        https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html
        """
        self._topic.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[iam.ServicePrincipal(f"{service}.amazonaws.com")],
                actions=["sns:Publish"],
                resources=[self._topic.topic_arn],
                conditions={
                    "StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID},
                    "ArnLike": {"aws:SourceArn": f"arn:{Aws.PARTITION}:{service}:{of}"},
                },
            )
        )

    def _alarm(self, watch: Watch) -> cloudwatch.Alarm:
        """Missing data count as zero: a quiet stage is healthy."""
        alarm = cloudwatch.Alarm(
            self,
            "".join(part.capitalize() for part in watch.name.split("-")),
            alarm_name=f"{self._prefix}-{watch.name}",
            alarm_description=f"{watch.description} Look at docs/runbooks/{watch.name}.md.",
            metric=watch.metric,
            threshold=watch.threshold,
            evaluation_periods=watch.periods,
            datapoints_to_alarm=watch.least or watch.periods,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        alarm.add_alarm_action(actions.SnsAction(self._topic))
        return alarm
