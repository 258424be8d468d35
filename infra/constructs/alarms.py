"""The alarms: conditions to look into before users report them (docs/operations.md)."""

from __future__ import annotations

from aws_cdk import Aws, Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.constructs.conversation import Conversation
from infra.constructs.documents import Documents
from infra.constructs.function import Functions
from infra.constructs.request_queue import RequestQueue
from infra.constructs.tables import Tables

_PERIOD = Duration.minutes(5)
_WAITING_SECONDS = 60
# Out of the 300 s that an answer may take.
_LONG_ANSWER_SECONDS = 240
_RETRIES_PERCENT = 15
_RETRIES_PERIOD = Duration.hours(1)
# Of fewer answers one more or less is no rate.
_RETRIES_LEAST_ANSWERS = 20


class Alarms(Construct):
    """All notify one topic; `-c alarmEmail=…` at deployment subscribes an address to it."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        functions: Functions,
        conversation: Conversation,
        requests: RequestQueue,
        documents: Documents,
        tables: Tables,
    ) -> None:
        super().__init__(scope, id)
        email = functions.settings.alarm_email
        self._prefix = functions.settings.prefix
        self._topic = sns.Topic(self, "Topic", topic_name=f"{self._prefix}-alarms", enforce_ssl=True)
        self._let_alarms_publish()
        if email:
            self._topic.add_subscription(subscriptions.EmailSubscription(email))
        self._of_queues(requests, documents)
        self._of_answers(functions.by_name["message_processor"])
        self._of_capacity(tables)
        self._alarm(
            "commands-failing",
            self._integration_errors(conversation),
            0,
            description="Commands fail before they begin.",
        )
        # The emulator of the local stage knows no metric math.
        if not functions.settings.local:
            self._alarm(
                "retries",
                self._retries(),
                _RETRIES_PERCENT,
                description="Evidence is often too weak at the first search: read what is asked, and of which base.",
            )

    def _of_queues(self, requests: RequestQueue, documents: Documents) -> None:
        self._given_up(
            "requests", requests.dead_letters, description="Requests were given up: read why, mend, redrive."
        )
        self._given_up(
            "documents",
            documents.dead_letters,
            description="Documents were given up: mend the cause, then upload the files again.",
        )
        waiting = requests.queue.metric_approximate_age_of_oldest_message(period=_PERIOD, statistic="Maximum")
        self._alarm(
            "requests-waiting", waiting, _WAITING_SECONDS, description="Too few processors, or they cannot start."
        )

    def _of_answers(self, processor: lambda_.Function) -> None:
        self._alarm(
            "processor-errors", processor.metric_errors(period=_PERIOD), 0, description="The message processor breaks."
        )
        slow = processor.metric_duration(period=_PERIOD, statistic="p99")
        self._alarm(
            "long-answers", slow, 1000 * _LONG_ANSWER_SECONDS, description="Answers come near the function's end."
        )

    def _of_capacity(self, tables: Tables) -> None:
        throttles = lambda_.Function.metric_all_throttles(period=_PERIOD)
        self._alarm("functions-throttled", throttles, 0, description="The account's concurrency is used up.")
        refused = tables.requests.metric("WriteThrottleEvents", period=_PERIOD, statistic="Sum")
        self._alarm("requests-table-throttled", refused, 0, description="A request is hotter than a partition allows.")

    def _retries(self) -> cloudwatch.MathExpression:
        """The share of answers, in percent, whose evidence was searched for again. 0 while there are few answers."""
        return cloudwatch.MathExpression(
            expression=f"IF(searched >= {_RETRIES_LEAST_ANSWERS}, 100 * retried / searched, 0)",
            using_metrics={"retried": self._answers("RetriedAnswers"), "searched": self._answers("SearchedAnswers")},
            period=_RETRIES_PERIOD,
            label="RetryRate",
        )

    def _answers(self, metric: str) -> cloudwatch.Metric:
        """A count of answers that the message processor writes to its log (`bootstrap/answer_metrics.py`)."""
        return cloudwatch.Metric(
            namespace="CICADA",
            metric_name=metric,
            dimensions_map={"Stage": self._prefix},
            statistic="Sum",
            period=_RETRIES_PERIOD,
        )

    def _given_up(self, name: str, letters: sqs.IQueue, *, description: str) -> None:
        count = letters.metric_approximate_number_of_messages_visible(period=_PERIOD, statistic="Maximum")
        self._alarm(f"{name}-given-up", count, 0, description=description)

    def _let_alarms_publish(self) -> None:
        """An explicit policy replaces the topic's default one, which lets everything in the account publish.

        https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
        """
        alarms = f"arn:{Aws.PARTITION}:cloudwatch:{Aws.REGION}:{Aws.ACCOUNT_ID}:alarm:{self._prefix}-*"
        self._topic.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
                actions=["sns:Publish"],
                resources=[self._topic.topic_arn],
                conditions={
                    "StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID},
                    "ArnLike": {"aws:SourceArn": alarms},
                },
            )
        )

    def _integration_errors(self, conversation: Conversation) -> cloudwatch.Metric:
        """https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-logging.html."""
        api = conversation.api
        return cloudwatch.Metric(
            namespace="AWS/ApiGateway",
            metric_name="IntegrationError",
            dimensions_map={"ApiId": api.api.api_id, "Stage": api.stage.stage_name},
            statistic="Sum",
            period=_PERIOD,
        )

    def _alarm(self, name: str, metric: cloudwatch.IMetric, threshold: float, *, description: str) -> None:
        """In alarm when the metric is above the threshold for one period."""
        id = "".join(part.capitalize() for part in name.split("-"))
        alarm = cloudwatch.Alarm(
            self,
            id,
            alarm_name=f"{self._prefix}-{name}",
            alarm_description=description,
            metric=metric,
            threshold=threshold,
            evaluation_periods=1,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        alarm.add_alarm_action(actions.SnsAction(self._topic))
