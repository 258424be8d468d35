"""CloudWatch's alarms: the state of an alarm of a template after AWS has published certain points.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.infra.deployed import Deployed

_COMPARISONS = {
    "GreaterThanThreshold": operator.gt,
    "GreaterThanOrEqualToThreshold": operator.ge,
    "LessThanThreshold": operator.lt,
    "LessThanOrEqualToThreshold": operator.le,
}
_STATISTICS: dict[str, Callable[[list[float]], float]] = {
    "Sum": sum,
    "Maximum": max,
    "Minimum": min,
    "Average": lambda values: sum(values) / len(values),
    "SampleCount": len,
}
_WHEN_MISSING = {"notBreaching": "OK", "breaching": "ALARM", "missing": "INSUFFICIENT_DATA"}
Dimensions = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Point:
    """One published value. A metric is its namespace, its name and exactly these dimensions. `at` is in seconds."""

    namespace: str
    metric: str
    dimensions: Dimensions
    value: float
    at: float


def state(alarm: Mapping[str, Any], deployed: Deployed, points: Iterable[Point], now: float) -> str:
    """OK, ALARM or INSUFFICIENT_DATA at `now`, for the properties of an alarm of the template."""
    if "Metrics" in alarm:
        return _state_of_expression(alarm, deployed, list(points), now)
    return _state(alarm, _of_metric(alarm, deployed, points), now)


def _of_metric(metric: Mapping[str, Any], deployed: Deployed, points: Iterable[Point]) -> list[Point]:
    wanted = frozenset((each["Name"], deployed.text(each["Value"])) for each in metric.get("Dimensions", []))
    identity = (metric["Namespace"], metric["MetricName"], wanted)
    return [each for each in points if (each.namespace, each.metric, each.dimensions) == identity]


def _state_of_expression(alarm: Mapping[str, Any], deployed: Deployed, points: list[Point], now: float) -> str:
    """The state of an alarm on metric math, for one evaluation period.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
    """
    assert alarm["EvaluationPeriods"] == 1
    [expression] = [each["Expression"] for each in alarm["Metrics"] if "Expression" in each and each["ReturnData"]]
    values: dict[str, float] = {}
    for each in (each for each in alarm["Metrics"] if "MetricStat" in each):
        assert not each["ReturnData"]
        stat = each["MetricStat"]
        mine = [
            point.value
            for point in _of_metric(stat["Metric"], deployed, points)
            if now - stat["Period"] <= point.at < now
        ]
        if not mine:
            return _WHEN_MISSING[alarm.get("TreatMissingData", "missing")]
        values[each["Id"]] = _STATISTICS[stat["Stat"]](mine)
    functions = {"__builtins__": {}, "IF": lambda condition, then, otherwise: then if condition else otherwise}
    result = eval(expression, functions, values)  # noqa: S307 - of our own template
    return "ALARM" if _COMPARISONS[alarm["ComparisonOperator"]](result, alarm["Threshold"]) else "OK"


def _state(alarm: Mapping[str, Any], points: list[Point], now: float) -> str:
    count, seconds = alarm["EvaluationPeriods"], alarm["Period"]
    ends = [now - number * seconds for number in range(count)]
    periods = [[each.value for each in points if end - seconds <= each.at < end] for end in ends]
    if any(periods):
        filled = _WHEN_MISSING.get(alarm.get("TreatMissingData", "missing")) == "ALARM"
        breaching = sum(_breaches(alarm, values) if values else filled for values in periods)
        return "ALARM" if breaching >= alarm.get("DatapointsToAlarm", count) else "OK"
    if alarm.get("TreatMissingData") == "ignore":
        earlier = [each for each in points if each.at < ends[-1]]
        return _state(alarm, earlier, now - seconds) if earlier else "INSUFFICIENT_DATA"
    return _WHEN_MISSING[alarm.get("TreatMissingData", "missing")]


def _breaches(alarm: Mapping[str, Any], values: list[float]) -> bool:
    statistic = alarm.get("Statistic") or alarm["ExtendedStatistic"]
    value = _STATISTICS[statistic](values) if statistic in _STATISTICS else _percentile(statistic, values)
    return bool(_COMPARISONS[alarm["ComparisonOperator"]](value, alarm["Threshold"]))


def _percentile(name: str, values: list[float]) -> float:
    """`p99`: the smallest value that is at least as large as 99 % of the values."""
    share = float(name.removeprefix("p")) / 100
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]
