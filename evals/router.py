"""How well messages are classified: the packaged model scored against labelled messages.

A file holds one JSON object a line: `text`, `label` (an intent) and perhaps `slice`; other fields are ignored.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from pydantic import BaseModel, Field

from cicada.understanding.classifier import classify
from cicada.understanding.intent.model import load_model
from cicada.understanding.plan import Intent
from evals.lines import DatasetError, parsed
from evals.table import table


class LabelledMessage(BaseModel):
    text: str = Field(min_length=1)
    label: Intent
    slice: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The expected and the actual intent of a message, and the classifier's confidence in the latter."""

    label: Intent
    predicted: Intent
    slice: str | None = None
    confidence: float = 1.0


class ClassScore(TypedDict):
    n: int
    recall: float
    precision: float
    f1: float


class SliceScore(TypedDict):
    n: int
    accuracy: float


class ConfidentScore(TypedDict):
    """The messages that are decided without asking a model: their share of all, and how many of them are right."""

    coverage: float
    accuracy: float
    threshold: float


class RouterReport(TypedDict):
    """Shares lie between 0 and 1, 0 where nothing was counted; `confusion` is by label, then by actual intent."""

    n: int
    accuracy: float
    by_class: dict[str, ClassScore]
    by_slice: dict[str, SliceScore]
    confusion: dict[str, dict[str, int]]
    confident: ConfidentScore


def evaluate_router(rows: Sequence[Judgement], threshold: float) -> RouterReport:
    """Accuracy, scores per label and per slice, confusion, and the score of the rows from `threshold` on.

    Rows without a slice count in no slice.
    """
    confusion = {
        label.value: {predicted.value: _count(rows, label, predicted) for predicted in Intent} for label in Intent
    }
    return RouterReport(
        n=len(rows),
        accuracy=_accuracy(rows),
        by_class={label.value: _class_score(confusion, label) for label in Intent},
        by_slice={name: _slice_score(rows, name) for name in sorted({row.slice for row in rows if row.slice})},
        confusion=confusion,
        confident=_confident(rows, threshold),
    )


def load_messages(path: Path) -> list[LabelledMessage]:
    """The labelled messages of a JSONL file; blank lines are skipped. Raises DatasetError."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError as error:
        raise DatasetError(f"{path} does not exist; give the path of a JSONL file.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read as UTF-8 text ({error}); give the path of a JSONL file.") from error
    advice = f" Write a JSON object with text and label; the label is one of {', '.join(Intent)}."
    messages = [message for _, message in parsed(lines, LabelledMessage, path, advice)]
    if not messages:
        raise DatasetError(f"{path} holds no messages; write one JSON object with text and label on each line.")
    return messages


def run(path: Path) -> RouterReport:
    """Score the packaged model on a file. Raises DatasetError."""
    model = load_model()
    messages = load_messages(path)
    found = [classify(message.text, model.probabilities) for message in messages]
    rows = [
        Judgement(message.label, each.intent, message.slice, each.confidence)
        for message, each in zip(messages, found, strict=True)
    ]
    return evaluate_router(rows, model.threshold)


def to_json(report: RouterReport) -> str:
    return json.dumps(report, indent=2)


def render(report: RouterReport) -> str:
    """The report as plain text tables."""
    sure = report["confident"]
    lines = [
        f"{report['n']} messages, accuracy {report['accuracy']:.3f}; decided without a model from"
        f" {sure['threshold']:.2f} on: {sure['coverage']:.3f} of them, accuracy {sure['accuracy']:.3f}",
        "",
    ]
    lines += table(["route", "n", "recall", "precision", "f1"], _class_rows(report))
    if report["by_slice"]:
        scores = report["by_slice"].items()
        lines += ["", *table(["slice", "n", "accuracy"], ([k, s["n"], f"{s['accuracy']:.3f}"] for k, s in scores))]
    header = ["labelled as, routed to", *report["confusion"]]
    lines += ["", *table(header, ([label, *counts.values()] for label, counts in report["confusion"].items()))]
    return "\n".join(lines)


def _count(rows: Iterable[Judgement], label: Intent, predicted: Intent) -> int:
    return Counter((row.label, row.predicted) for row in rows)[label, predicted]


def _accuracy(rows: Sequence[Judgement]) -> float:
    return _share(sum(row.label is row.predicted for row in rows), len(rows))


def _class_score(confusion: dict[str, dict[str, int]], label: Intent) -> ClassScore:
    hits = confusion[label][label]
    n = sum(confusion[label].values())
    claimed = sum(counts[label] for counts in confusion.values())
    return ClassScore(n=n, recall=_share(hits, n), precision=_share(hits, claimed), f1=_share(2 * hits, n + claimed))


def _confident(rows: Sequence[Judgement], threshold: float) -> ConfidentScore:
    sure = [row for row in rows if row.confidence >= threshold]
    return ConfidentScore(coverage=_share(len(sure), len(rows)), accuracy=_accuracy(sure), threshold=threshold)


def _slice_score(rows: Sequence[Judgement], name: str) -> SliceScore:
    inside = [row for row in rows if row.slice == name]
    return SliceScore(n=len(inside), accuracy=_accuracy(inside))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _class_rows(report: RouterReport) -> Iterable[list[object]]:
    for label, score in report["by_class"].items():
        yield [label, score["n"], *(f"{share:.3f}" for share in (score["recall"], score["precision"], score["f1"]))]
