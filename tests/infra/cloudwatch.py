"""CloudWatch's alarms: the state of an alarm of a template after AWS has published certain points.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
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
Dimensions = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Point:
    """One published value. A metric is its namespace, its name and exactly these dimensions. `at` is in seconds."""

    namespace: str
    metric: str
    dimensions: Dimensions
    value: float
    at: float


Identity = tuple[str, str, Dimensions]
Published = Mapping[Identity, Sequence[Point]]


def published(points: Iterable[Point]) -> Published:
    """The points of each metric."""
    found: dict[Identity, list[Point]] = {}
    for point in points:
        found.setdefault((point.namespace, point.metric, point.dimensions), []).append(point)
    return found


def state(alarm: Mapping[str, Any], deployed: Deployed, points: Published, now: float) -> str:
    """OK or ALARM at `now`, for the properties of an alarm of the template."""
    assert alarm["TreatMissingData"] == "notBreaching"
    watched = _Expression(alarm, deployed, points) if "Metrics" in alarm else _Single(alarm, deployed, points)
    ends = [now - number * watched.period for number in range(alarm["EvaluationPeriods"])]
    values = [watched.value(end) for end in ends]
    compare = _COMPARISONS[alarm["ComparisonOperator"]]
    breaching = sum(value is not None and compare(value, alarm["Threshold"]) for value in values)
    return "ALARM" if breaching >= alarm["DatapointsToAlarm"] else "OK"


class _Single:
    """One metric, as an alarm or a part of an expression names it; `value` is None where nothing was published."""

    def __init__(self, metric: Mapping[str, Any], deployed: Deployed, points: Published) -> None:
        named = metric.get("Metric", metric)
        dimensions = frozenset((each["Name"], deployed.text(each["Value"])) for each in named.get("Dimensions", []))
        self._points = points.get((named["Namespace"], named["MetricName"], dimensions), [])
        self._statistic = metric.get("Stat") or metric.get("Statistic") or metric["ExtendedStatistic"]
        self.period: int = metric["Period"]

    def value(self, end: float) -> float | None:
        values = [each.value for each in self._points if end - self.period <= each.at < end]
        if not values:
            return None
        statistic = _STATISTICS.get(self._statistic)
        return statistic(values) if statistic else _percentile(self._statistic, values)


class _Expression:
    """Metric math, as far as the alarms use it. A value that is missing makes the result missing, except in FILL.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
    """

    def __init__(self, alarm: Mapping[str, Any], deployed: Deployed, points: Published) -> None:
        [expression] = [each for each in alarm["Metrics"] if each.get("ReturnData", True)]
        stats = {each["Id"]: each["MetricStat"] for each in alarm["Metrics"] if "MetricStat" in each}
        self._metrics = {id: _Single(stat, deployed, points) for id, stat in stats.items()}
        [self.period] = {metric.period for metric in self._metrics.values()}
        difference = re.fullmatch(r"DIFF\((.*)\)", expression["Expression"])
        self._expression = difference[1] if difference else expression["Expression"]
        self._is_difference = bool(difference)

    def value(self, end: float) -> float | None:
        now = self._evaluated(end)
        if not self._is_difference:
            return now
        before = self._evaluated(end - self.period)
        return None if now is None or before is None else now - before

    def _evaluated(self, end: float) -> float | None:
        names: dict[str, Any] = {id: metric.value(end) for id, metric in self._metrics.items()}
        try:
            return float(eval(self._expression, dict(_FUNCTIONS), names))  # noqa: S307 - of our own template
        except TypeError:
            return None


_FUNCTIONS: Mapping[str, Any] = {
    "__builtins__": {},
    "FILL": lambda value, filler: filler if value is None else value,
    # Both results are computed for every point; the one that is not chosen may be a division by zero.
    "IF": lambda condition, then, otherwise: then if condition else otherwise,
}


def _percentile(name: str, values: list[float]) -> float:
    """`p99`: the smallest value that is at least as large as 99 % of the values."""
    share = float(name.removeprefix("p")) / 100
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]
