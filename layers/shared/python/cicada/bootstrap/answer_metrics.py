"""Metrics of answers, in CloudWatch's embedded metric format: one line of the log for each answer.

Powertools writes all metrics of a line with the same dimensions. Here each set of metrics has its own, so that a name
of few values (a strategy, a code) is a dimension of few metrics: every combination of a metric and values is billed.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from cicada.conversation.model import AnswerRecord, RequestKey

NAMESPACE = "CICADA"
_COUNT, _TIME = "Count", "Milliseconds"


def _write(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class AnswerMetrics(Struct, frozen=True):
    """`stage` tells the stages of an account apart. `model_id`: the chat model. `clock` gives epoch seconds."""

    stage: str
    model_id: str
    clock: Callable[[], float] = time.time
    write: Callable[[str], object] = _write

    def observe(self, key: RequestKey, record: AnswerRecord) -> None:
        """Write the answer's line. The request's id and the path are properties for searching, not dimensions."""
        values = _values(record)
        names = _dimensions(record, self.stage, self.model_id)
        line = {
            "_aws": {
                "Timestamp": round(self.clock() * 1000),
                "CloudWatchMetrics": list(_directives(values, names)),
            },
            **names,
            **{name: value for name, (value, _) in values.items()},
            "requestId": key.request_id,
            "path": record.path,
            "scores": record.scores,
        }
        self.write(json.dumps(line, separators=(",", ":")))


def _values(record: AnswerRecord) -> dict[str, tuple[int, str]]:
    """Each metric with its unit. A phase that did not happen has no value."""
    found = {_metric_name(name): (value, _TIME) for name, value in record.timings.items()}
    found |= {"InputTokens": (record.input_tokens, _COUNT), "OutputTokens": (record.output_tokens, _COUNT)}
    if record.code:
        return found | {"FailedAnswers": (1, _COUNT)}
    found["Answers"] = (1, _COUNT)
    found["PlanFallbacks"] = (int(any(step.startswith(("plan:rules_", "plan:rules:")) for step in record.path)), _COUNT)
    if record.scores:
        found["SearchedAnswers"] = (1, _COUNT)
        found["RetriedAnswers"] = (int(len(record.scores) > 1), _COUNT)
    return found


def _metric_name(timing: str) -> str:
    """`firstToken` → `TimeToFirstToken`, `total` → `AnswerTime`, `gate` → `GateTime`."""
    return {"firstToken": "TimeToFirstToken", "total": "AnswerTime"}.get(timing, f"{timing.capitalize()}Time")


def _dimensions(record: AnswerRecord, stage: str, model_id: str) -> dict[str, str]:
    known = {"Intent": record.intent, "Strategy": record.strategy, "Code": record.code}
    return {"Stage": stage, "Model": model_id} | {name: value for name, value in known.items() if value}


def _directives(values: Mapping[str, tuple[int, str]], names: Mapping[str, str]) -> Iterator[dict[str, object]]:
    """All metrics by the stage alone, and the few that are worth it by one name more."""
    by_name = {
        "Model": ("InputTokens", "OutputTokens", "TimeToFirstToken"),
        "Intent": ("Answers",),
        "Strategy": ("Answers", "TimeToFirstToken", "AnswerTime"),
        "Code": ("FailedAnswers",),
    }
    yield _directive(["Stage"], values)
    for name, metrics in by_name.items():
        chosen = {metric: values[metric] for metric in metrics if metric in values}
        if name in names and chosen:
            yield _directive(["Stage", name], chosen)


def _directive(dimensions: list[str], values: Mapping[str, tuple[int, str]]) -> dict[str, object]:
    return {
        "Namespace": NAMESPACE,
        "Dimensions": [dimensions],
        "Metrics": [{"Name": name, "Unit": unit} for name, (_, unit) in values.items()],
    }
