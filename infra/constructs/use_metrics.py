"""What the dashboard shows besides the alarms: how fast answers are, how many, and what they use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aws_cdk import Aws, Duration
from aws_cdk import aws_cloudwatch as cloudwatch

from infra.constructs.alarm_metrics import PERIOD, StageLog

_PHASES = ("PlanningTime", "SearchingTime", "RankingTime", "JudgingTime", "GateTime", "AnsweringTime", "AgentTime")
_ENDS = ("Answers", "FailedAnswers", "RefusedAnswers", "StoppedAnswers", "SilentModels")


def use_metrics(log: StageLog, chat_models: Mapping[str, str]) -> Mapping[str, Sequence[cloudwatch.IMetric]]:
    """The metrics of each graph, by its title. `chat_models`: what Bedrock counts each model's calls under."""
    waits = ("TimeToFirstToken", "AnswerTime")
    return {
        "First text and whole answer": [_percentile(log, name, each) for name in waits for each in ("p50", "p95")],
        "Where the time goes, p95": [_percentile(log, name, "p95") for name in _PHASES],
        "How answers end": [log.metric(name, "Sum") for name in _ENDS],
        "Tokens": [log.metric(name, "Sum") for name in ("InputTokens", "OutputTokens")],
        "What users think": [log.metric("RatedAnswers", "Sum", Rating=each) for each in ("good", "bad")],
        "Latency of the chat models, p95": _of_bedrock("InvocationLatency", "p95", chat_models),
        "Calls that Bedrock throttled": _of_bedrock("InvocationThrottles", "Sum", chat_models),
        "Search units of the account": [_of_search(name) for name in ("SearchOCU", "IndexingOCU")],
    }


def _percentile(log: StageLog, name: str, statistic: str) -> cloudwatch.Metric:
    return log.metric(name, statistic).with_(label=f"{name} {statistic}")


def _of_bedrock(name: str, statistic: str, models: Mapping[str, str]) -> list[cloudwatch.Metric]:
    """A metric of Bedrock's own, of each model. It is of the whole account, unless the stage has profiles of its own.

    https://docs.aws.amazon.com/bedrock/latest/userguide/monitoring.html#runtime-cloudwatch-metrics
    """
    return [
        cloudwatch.Metric(
            namespace="AWS/Bedrock",
            metric_name=name,
            dimensions_map={"ModelId": counted_as},
            statistic=statistic,
            period=PERIOD,
            label=model_id,
        )
        for model_id, counted_as in models.items()
    ]


def _of_search(name: str) -> cloudwatch.Metric:
    """Capacity units of OpenSearch Serverless, which it reports every minute, of the whole account alone.

    https://docs.aws.amazon.com/opensearch-service/latest/developerguide/monitoring-cloudwatch.html
    """
    return cloudwatch.Metric(
        namespace="AWS/AOSS",
        metric_name=name,
        dimensions_map={"ClientId": Aws.ACCOUNT_ID},
        statistic="Sum",
        period=Duration.minutes(1),
    )
