"""Metrics in CloudWatch's embedded metric format: lines of the log from which CloudWatch takes numbers.

Powertools writes all metrics of a line with the same dimensions. Here each set of metrics has its own, so that a name
of few values (a strategy, a code) is a dimension of few metrics: every combination of a metric and values is billed.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from msgspec import Struct

from cicada.settings import MetricSettings, load

NAMESPACE = "CICADA"
COUNT, MILLISECONDS = "Count", "Milliseconds"
# Each metric with its value and its unit.
Values = Mapping[str, tuple[float, str]]


def write_line(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def metric_line(
    now: float, sets: Sequence[tuple[Sequence[str], Values]], dimensions: Mapping[str, str], **properties: object
) -> str:
    """One line. `sets`: names of dimensions, and the metrics that have them. `properties` are for searching alone."""
    directives = [
        {
            "Namespace": NAMESPACE,
            "Dimensions": [list(names)],
            "Metrics": [{"Name": name, "Unit": unit} for name, (_, unit) in values.items()],
        }
        for names, values in sets
    ]
    numbers = {name: value for _, values in sets for name, (value, _) in values.items()}
    line = {"_aws": {"Timestamp": round(now * 1000), "CloudWatchMetrics": directives}}
    return json.dumps({**line, **dimensions, **numbers, **properties}, separators=(",", ":"))


class StageMetrics(Struct, frozen=True):
    """Single metrics of one stage: `stage` tells the stages of an account apart. `clock` gives epoch seconds."""

    stage: str
    clock: Callable[[], float] = time.time
    write: Callable[[str], object] = write_line

    def failed_command(self) -> None:
        """A command was answered with an error of ours. What its sender can mend is none."""
        self._put("FailedCommands", 1, COUNT)

    def lost_record(self) -> None:
        """The audit trail did not take a record."""
        self._put("LostAuditRecords", 1, COUNT)

    def waited(self, seconds: float) -> None:
        """So long a request waited for a processor."""
        self._put("WaitingTime", round(seconds * 1000), MILLISECONDS)

    def ingested(self, *, failed: bool) -> None:
        """The ingest of a document has ended. The average is the share of those that have to be repeated."""
        self._put("FailedIngests", int(failed), COUNT)

    def problem(self, name: str, reason: str) -> None:
        """A file with problems of this kind."""
        self._put(name, 1, COUNT, Reason=reason)

    def _put(self, metric: str, value: float, unit: str, **dimensions: str) -> None:
        named = {"Stage": self.stage, **dimensions}
        self.write(metric_line(self.clock(), [(tuple(named), {metric: (value, unit)})], named))


@cache
def stage_metrics() -> StageMetrics:
    """Cached for the life of the container."""
    return StageMetrics(load(MetricSettings).stage)
