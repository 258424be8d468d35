"""What each threshold on the quality of the evidence keeps, and the two that a base is given."""

from collections.abc import Sequence
from dataclasses import dataclass

from evals.answerability.dataset import Label
from evals.answerability.run import Scored
from evals.lines import DatasetError

STEPS = 20


@dataclass(frozen=True, slots=True)
class Point:
    """A threshold. `recall` and `false`: shares of the answerable and of the unanswerable turns that are kept.

    `precision`: share of the kept turns that are answerable, 1 if none is kept.
    """

    threshold: float
    precision: float
    recall: float
    false: float


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The base's settings of the same names."""

    quality_threshold: float
    quality_floor: float


def sweep(scored: Sequence[Scored], steps: int = STEPS) -> list[Point]:
    """A point for each threshold from 0 to 1. Underspecified turns count for neither side.

    Raises DatasetError without turns of both sides.
    """
    answerable = [each.quality for each in scored if each.label.answerable]
    unanswerable = [each.quality for each in scored if each.label is Label.UNANSWERABLE]
    if not answerable or not unanswerable:
        raise DatasetError("Thresholds need answerable turns (or PARTIAL ones) and UNANSWERABLE ones; add the others.")
    return [_point(step / steps, answerable, unanswerable) for step in range(steps + 1)]


def chosen(points: Sequence[Point], keep: float, at_once: float) -> Thresholds:
    """The highest floor and the highest threshold that keep at least `keep` and `at_once` of the answerable turns.

    Above the threshold a turn is answered without another search.

    Both are about the answerable turns alone: what an unanswerable one costs differs from base to base, and the curve
    shows it.
    """
    return Thresholds(_highest(points, min(at_once, keep)), _highest(points, keep))


def _highest(points: Sequence[Point], recall: float) -> float:
    return max(point.threshold for point in points if point.recall >= recall)


def _point(threshold: float, answerable: Sequence[float], unanswerable: Sequence[float]) -> Point:
    kept = sum(quality >= threshold for quality in answerable)
    wrong = sum(quality >= threshold for quality in unanswerable)
    precision = kept / (kept + wrong) if kept + wrong else 1.0
    return Point(threshold, precision, kept / len(answerable), wrong / len(unanswerable))
