"""What the alarms watch: shares and counts of one stage, none of them of the whole account.

Everything that is missing counts as 0 (`FILL`), so that a rate exists where only failures happened.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs

Expression = cloudwatch.MathExpression
Metrics = Mapping[str, cloudwatch.IMetric]
_QUARTER = Duration.minutes(15)
PERIOD = Duration.minutes(5)


class StageLog:
    """The metrics that the functions write to their logs (`cicada/observability/metrics.py`), of one stage."""

    def __init__(self, stage: str) -> None:
        self._stage = stage

    def metric(self, name: str, statistic: str, period: Duration = PERIOD, **dimensions: str) -> cloudwatch.Metric:
        return cloudwatch.Metric(
            namespace="CICADA",
            metric_name=name,
            dimensions_map={"Stage": self._stage, **dimensions},
            statistic=statistic,
            period=period,
        )

    def share(self, name: str, *, least: int) -> Expression:
        """Percent of the values of a metric that is 0 or 1; 0 with fewer than `least` ones, which are no rate."""
        ones, all_ = self.metric(name, "Sum"), self.metric(name, "SampleCount")
        return Expression(
            expression=f"IF(ones >= {least}, 100 * ones / values, 0)",
            using_metrics={"ones": ones, "values": all_},
            period=PERIOD,
            label=f"{name} %",
        )

    def share_of(self, name: str, of: str, *, least: int, period: Duration) -> Expression:
        """Percent of one count in another; 0 while the other is below `least`."""
        return Expression(
            expression=f"IF(every >= {least}, 100 * some / every, 0)",
            using_metrics={"some": self.metric(name, "Sum", period), "every": self.metric(of, "Sum", period)},
            period=period,
            label=f"{name} %",
        )


def enough(metric: cloudwatch.Metric, percentile: str, *, least: int) -> Expression:
    """The percentile of a time, over a quarter of an hour; 0 with fewer values than `least`."""
    return Expression(
        expression=f"IF(values >= {least}, slow, 0)",
        using_metrics={
            "slow": metric.with_(statistic=percentile, period=_QUARTER),
            "values": metric.with_(statistic="SampleCount", period=_QUARTER),
        },
        period=_QUARTER,
        label=percentile,
    )


def errors_rate(
    functions: Sequence[lambda_.Function], *, least: int, failed: cloudwatch.IMetric | None = None
) -> Expression:
    """Percent of the functions' invocations that broke, and of those whose failure the function itself counted."""
    bad = _each("errors", [each.metric_errors(period=PERIOD, statistic="Sum") for each in functions])
    every = _each("calls", [each.metric_invocations(period=PERIOD, statistic="Sum") for each in functions])
    return _rate(bad | ({"failed": failed} if failed else {}), every, least=least, label="failed %")


def throttles_rate(functions: Sequence[lambda_.Function], *, least: int) -> Expression:
    """Percent of the calls of these functions that found no execution. A throttled call is no invocation."""
    bad = _each("throttles", [each.metric_throttles(period=PERIOD, statistic="Sum") for each in functions])
    calls = _each("calls", [each.metric_invocations(period=PERIOD, statistic="Sum") for each in functions])
    return _rate(bad, bad | calls, least=least, label="throttled %")


def refused_rate(function: lambda_.Function, *, least: int) -> Expression:
    """Percent of the calls of a function that broke or found no execution."""
    found = {
        "errors": function.metric_errors(period=PERIOD, statistic="Sum"),
        "throttles": function.metric_throttles(period=PERIOD, statistic="Sum"),
        "calls": function.metric_invocations(period=PERIOD, statistic="Sum"),
    }
    bad = {name: found[name] for name in ("errors", "throttles")}
    return _rate(bad, {name: found[name] for name in ("calls", "throttles")}, least=least, label="failed %")


def refused_rows(tables: Sequence[dynamodb.TableV2]) -> Expression:
    """Reads and writes that the tables refused because a partition was too hot."""
    refused = _each(
        "refused",
        [
            table.metric(name, period=PERIOD, statistic="Sum")
            for table in tables
            for name in ("ReadThrottleEvents", "WriteThrottleEvents")
        ],
    )
    return Expression(expression=_sum(refused), using_metrics=refused, period=PERIOD, label="refused")


def new_letters(letters: sqs.IQueue) -> Expression:
    """How many letters have come. Old letters, and letters that a person looks at, do not ring.

    A letter that is looked at is not visible for a while, so both kinds are added; sums of samples by their number,
    because no statistic of the one adds up with that of the other.
    """
    visible = letters.metric_approximate_number_of_messages_visible
    held = letters.metric_approximate_number_of_messages_not_visible
    return Expression(
        expression="DIFF((FILL(visible, 0) + FILL(held, 0)) / FILL(samples, 1))",
        using_metrics={
            "visible": visible(period=PERIOD, statistic="Sum"),
            "held": held(period=PERIOD, statistic="Sum"),
            "samples": visible(period=PERIOD, statistic="SampleCount"),
        },
        period=PERIOD,
        label="new letters",
    )


def untouched(queue: sqs.IQueue) -> Expression:
    """The messages that waited all the time while none was taken."""
    visible = queue.metric_approximate_number_of_messages_visible(period=PERIOD, statistic="Minimum")
    received = queue.metric_number_of_messages_received(period=PERIOD, statistic="Sum")
    return Expression(
        expression="IF(FILL(received, 0) < 1, FILL(visible, 0), 0)",
        using_metrics={"visible": visible, "received": received},
        period=PERIOD,
        label="untouched",
    )


def _rate(bad: Metrics, every: Metrics, *, least: int, label: str) -> Expression:
    """Percent; 0 below `least`. Failures that are no invocations may be more than these: never a division by zero."""
    return Expression(
        expression=f"IF({_sum(bad)} >= {least}, 100 * ({_sum(bad)}) / ({_sum(every)} + 0.001), 0)",
        using_metrics={**bad, **every},
        period=PERIOD,
        label=label,
    )


def _each(id: str, metrics: Sequence[cloudwatch.IMetric]) -> dict[str, cloudwatch.IMetric]:
    return {f"{id}{number}": metric for number, metric in enumerate(metrics, start=1)}


def _sum(metrics: Metrics) -> str:
    return " + ".join(f"FILL({id}, 0)" for id in metrics)
