"""CloudWatch metrics of questions, answers and ingests, in the embedded metric format."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache

from msgspec import Struct

from cicada.conversation.model import AnswerRecord, RequestKey
from cicada.errors import InvalidFilterError, TokenQuotaError, UnknownKnowledgeBaseError
from cicada.generation import AFTER_SILENCE, model_of
from cicada.ingest.model import IngestReport, Outcome
from cicada.observability.log import logger
from cicada.settings import MetricSettings, load

# Metrics in CloudWatch's embedded metric format: lines of the log from which CloudWatch takes numbers.
#
# Powertools writes all metrics of a line with the same dimensions, and lines of several threads run into each other
# (docs/decisions/0030). Here each set of metrics has its own, so that a name of few values (a strategy, a code) is a
# dimension of few metrics: every combination of a metric and values is billed.
# https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html

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

    def rated(self, rating: str) -> None:
        """A user has said what they think of an answer; one who changes it counts again."""
        self._put("RatedAnswers", 1, COUNT, Rating=rating)

    def waited(self, seconds: float) -> None:
        """Record how long a request waited for a processor."""
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


# An answer that ended so is no failure of ours: the sentence tells its user what to change.
_REFUSALS = (UnknownKnowledgeBaseError.code, InvalidFilterError.code, TokenQuotaError.code)
_SKIPPED = ":skipped_open_circuit"
# The steps of a search that no paid reranker was asked in.
_UNASKED = ("rerank:skipped", f"rerank:local{_SKIPPED}")


class AnswerMetrics(Struct, frozen=True):
    """`stage` tells the stages of an account apart. `models`: the chat models. `clock` gives epoch seconds."""

    stage: str
    models: Sequence[str]
    clock: Callable[[], float] = time.time
    write: Callable[[str], object] = write_line

    def observe(self, key: RequestKey, record: AnswerRecord) -> None:
        """Write the answer's line. The request's id and the path are properties for searching, not dimensions."""
        names = _dimensions(record, self.stage, model_of(record.path, self.models))
        found = {"requestId": key.request_id, "path": record.path, "scores": record.scores}
        self.write(metric_line(self.clock(), list(_sets(_values(record), names)), names, **found))


def _values(record: AnswerRecord) -> dict[str, tuple[float, str]]:
    """Each metric with its unit. A phase that did not happen has no value.

    `FailedAnswers`, `RefusedModels` and `SilentModels` are 0 or 1 of every answer, so that their averages are shares of
    all answers.
    """
    found: dict[str, tuple[float, str]] = {
        _metric_name(name): (value, MILLISECONDS) for name, value in record.timings.items()
    }
    found |= {"InputTokens": (record.input_tokens, COUNT), "OutputTokens": (record.output_tokens, COUNT)}
    failed = bool(record.code) and record.code not in _REFUSALS
    found |= {"FailedAnswers": (int(failed), COUNT), "RefusedModels": (int(_model_was_refused(record)), COUNT)}
    found["SilentModels"] = (int(any(step.endswith(f":{AFTER_SILENCE}") for step in record.path)), COUNT)
    if record.code:
        return found if failed else found | {"RefusedAnswers": (1, COUNT)}
    found["Answers"] = (1, COUNT)
    found["PlanFallbacks"] = (int(any(step.startswith(("plan:rules_", "plan:rules:")) for step in record.path)), COUNT)
    if record.scores:
        found["SearchedAnswers"] = (1, COUNT)
        found["RetriedAnswers"] = (int(len(record.scores) > 1), COUNT)
    reranks = [step for step in record.path if step.startswith("rerank:") and step != "rerank:local"]
    if reranks:
        found["RerankedSearches"] = (sum(step not in _UNASKED for step in reranks), COUNT)
    if record.checked_sentences:
        found["CheckedSentences"] = (record.checked_sentences, COUNT)
        found["UnsupportedSentences"] = (record.unsupported_sentences, COUNT)
    if record.stopped:
        found["StoppedAnswers"] = (1, COUNT)
    return found


def _model_was_refused(record: AnswerRecord) -> bool:
    """Whether Bedrock refused a call for the answer, or a model was not asked because it had just been refused."""
    return record.refused_calls > 0 or any(step.endswith(_SKIPPED) for step in record.path)


def _metric_name(timing: str) -> str:
    """`firstToken` → `TimeToFirstToken`, `total` → `AnswerTime`, `gate` → `GateTime`."""
    return {"firstToken": "TimeToFirstToken", "total": "AnswerTime"}.get(timing, f"{timing.capitalize()}Time")


def _dimensions(record: AnswerRecord, stage: str, model_id: str) -> dict[str, str]:
    known = {"Intent": record.intent, "Strategy": record.strategy, "Code": record.code, "Reason": record.stopped}
    return {"Stage": stage, "Model": model_id} | {name: value for name, value in known.items() if value}


def _sets(values: Values, names: dict[str, str]) -> Iterator[tuple[list[str], Values]]:
    """All metrics by the stage alone, and the few that are worth it by one name more."""
    by_name = {
        "Model": ("InputTokens", "OutputTokens", "TimeToFirstToken"),
        "Intent": ("Answers",),
        "Strategy": ("Answers", "TimeToFirstToken", "AnswerTime"),
        "Code": ("RefusedAnswers",) if "RefusedAnswers" in values else ("FailedAnswers",),
        "Reason": ("StoppedAnswers",),
    }
    yield ["Stage"], values
    for name, metrics in by_name.items():
        chosen = {metric: values[metric] for metric in metrics if metric in values}
        if name in names and chosen:
            yield ["Stage", name], chosen


@contextmanager
def counted() -> Iterator[None]:
    """Around the ingest of one document: `FailedIngests` is 1 if it failed and has to be repeated, else 0."""
    failed = True
    try:
        yield
        failed = False
    finally:
        stage_metrics().ingested(failed=failed)


def log_report(report: IngestReport) -> None:
    """`DocumentsRejected` counts rejected files, `DocumentsWithProblems` others, by kind of reason (`Reason`)."""
    document = report.document
    fields = {
        "tenant": document.base_key.tenant,
        "knowledgeBase": document.base_key.knowledge_base,
        "documentId": document.document_id,
        "outcome": report.outcome,
        "problems": len(report.problems),
    }
    logger.info("Ingested", extra=fields)
    name = "DocumentsRejected" if report.outcome is Outcome.REJECTED else "DocumentsWithProblems"
    for kind in sorted({problem.kind for problem in report.problems}):
        stage_metrics().problem(name, kind)


def log_misplaced(misplaced: Mapping[str, str]) -> None:
    """Log objects that are no documents, for which no report can be stored."""
    for key, reason in misplaced.items():
        logger.warning("Passed over an object", extra={"key": key, "reason": reason})
