"""Metrics of answers: one line of the log for each answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from msgspec import Struct

from cicada.bootstrap.metrics import COUNT, MILLISECONDS, Values, metric_line, write_line
from cicada.conversation.model import AnswerRecord, RequestKey
from cicada.errors import InvalidFilterError, UnknownKnowledgeBaseError

# An answer that ended so is no failure of ours: the sentence tells its user what to change.
_REFUSALS = (UnknownKnowledgeBaseError.code, InvalidFilterError.code)
_SKIPPED = ":skipped_open_circuit"


class AnswerMetrics(Struct, frozen=True):
    """`stage` tells the stages of an account apart. `model_id`: the chat model. `clock` gives epoch seconds."""

    stage: str
    model_id: str
    clock: Callable[[], float] = time.time
    write: Callable[[str], object] = write_line

    def observe(self, key: RequestKey, record: AnswerRecord) -> None:
        """Write the answer's line. The request's id and the path are properties for searching, not dimensions."""
        names = _dimensions(record, self.stage, self.model_id)
        found = {"requestId": key.request_id, "path": record.path, "scores": record.scores}
        self.write(metric_line(self.clock(), list(_sets(_values(record), names)), names, **found))


def _values(record: AnswerRecord) -> dict[str, tuple[float, str]]:
    """Each metric with its unit. A phase that did not happen has no value.

    `FailedAnswers` and `RefusedModels` are 0 or 1 of every answer, so that their averages are shares of all answers.
    """
    found: dict[str, tuple[float, str]] = {
        _metric_name(name): (value, MILLISECONDS) for name, value in record.timings.items()
    }
    found |= {"InputTokens": (record.input_tokens, COUNT), "OutputTokens": (record.output_tokens, COUNT)}
    failed = bool(record.code) and record.code not in _REFUSALS
    found |= {"FailedAnswers": (int(failed), COUNT), "RefusedModels": (int(_model_was_refused(record)), COUNT)}
    if record.code:
        return found if failed else found | {"RefusedAnswers": (1, COUNT)}
    found["Answers"] = (1, COUNT)
    found["PlanFallbacks"] = (int(any(step.startswith(("plan:rules_", "plan:rules:")) for step in record.path)), COUNT)
    if record.scores:
        found["SearchedAnswers"] = (1, COUNT)
        found["RetriedAnswers"] = (int(len(record.scores) > 1), COUNT)
    return found


def _model_was_refused(record: AnswerRecord) -> bool:
    """Whether Bedrock refused a call for the answer, or a model was not asked because it had just been refused."""
    return record.refused_calls > 0 or any(step.endswith(_SKIPPED) for step in record.path)


def _metric_name(timing: str) -> str:
    """`firstToken` → `TimeToFirstToken`, `total` → `AnswerTime`, `gate` → `GateTime`."""
    return {"firstToken": "TimeToFirstToken", "total": "AnswerTime"}.get(timing, f"{timing.capitalize()}Time")


def _dimensions(record: AnswerRecord, stage: str, model_id: str) -> dict[str, str]:
    known = {"Intent": record.intent, "Strategy": record.strategy, "Code": record.code}
    return {"Stage": stage, "Model": model_id} | {name: value for name, value in known.items() if value}


def _sets(values: Values, names: dict[str, str]) -> Iterator[tuple[list[str], Values]]:
    """All metrics by the stage alone, and the few that are worth it by one name more."""
    by_name = {
        "Model": ("InputTokens", "OutputTokens", "TimeToFirstToken"),
        "Intent": ("Answers",),
        "Strategy": ("Answers", "TimeToFirstToken", "AnswerTime"),
        "Code": ("RefusedAnswers",) if "RefusedAnswers" in values else ("FailedAnswers",),
    }
    yield ["Stage"], values
    for name, metrics in by_name.items():
        chosen = {metric: values[metric] for metric in metrics if metric in values}
        if name in names and chosen:
            yield ["Stage", name], chosen
