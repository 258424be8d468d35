"""How well the scores separate the labels."""

import json
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from statistics import median

from evals.answerability.dataset import Label
from evals.answerability.run import Scored
from evals.evidence_fit import ANSWERABLE
from evals.reliability import Reliability, reliability, rows


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """The chance that a positive scores above a negative, ties half; None without one of both.

    Source: Hanley and McNeil, The meaning and use of the area under a ROC curve, 1982.
    """
    if not positive or not negative:
        return None
    order = sorted(negative)
    below = sum(bisect_left(order, score) + bisect_right(order, score) for score in positive)
    return below / 2 / len(positive) / len(negative)


def answerable_auroc(scored: Sequence[Scored]) -> float | None:
    """Answerable and partly answerable turns against unanswerable ones, by the quality of their evidence."""
    return auroc(
        [each.quality for each in scored if each.label.answerable],
        [each.quality for each in scored if each.label is Label.UNANSWERABLE],
    )


def answerable_reliability(scored: Sequence[Scored]) -> Reliability | None:
    """The quality of the evidence as a probability that a turn can be answered, wholly or in part.

    Turns are weighted as if as many could be answered as the map assumes.
    """
    judged = [(each.quality, each.label.answerable) for each in scored if each.label is not Label.UNDERSPECIFIED]
    return reliability(judged, ANSWERABLE)


def to_json(scored: Sequence[Scored]) -> str:
    """One object: `auroc`, `n`, the number of turns of each label, and the `reliability` of the scores."""
    found = answerable_reliability(scored)
    return json.dumps(
        {
            "auroc": answerable_auroc(scored),
            "n": len(scored),
            "labels": _counts(scored),
            "reliability": asdict(found) if found else None,
        },
        indent=2,
    )


def render(scored: Sequence[Scored]) -> str:
    """The report as plain text, with each label's median score."""
    lines = [
        f"{len(scored)} turns",
        f"answerable or partly, against unanswerable: AUROC {_shown(answerable_auroc(scored))}",
        "",
        f"{'label':16}{'n':>5}{'quality':>10}",
    ]
    for label, count in _counts(scored).items():
        quality = median(each.quality for each in scored if each.label == label)
        lines.append(f"{label:16}{count:>5}{quality:>10.2f}")
    lines += ["", "Of each label the medians."]
    if found := answerable_reliability(scored):
        lines += ["", *rows(found)]
    return "\n".join(lines)


def _counts(scored: Sequence[Scored]) -> dict[str, int]:
    counts = Counter(each.label for each in scored)
    return {label.value: counts[label] for label in Label if counts[label]}


def _shown(value: float | None) -> str:
    return "– (a label is missing)" if value is None else f"{value:.3f}"
