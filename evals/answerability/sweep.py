"""What each threshold on the quality of the evidence keeps, the two that a base is given, and the curve as text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evals.answerability.dataset import Label
from evals.answerability.run import Scored
from evals.lines import DatasetError

STEPS = 20
WIDTH, HEIGHT = 51, 16


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


def render(points: Sequence[Point], thresholds: Thresholds) -> str:
    """The curve, and a table of all thresholds with the chosen ones marked."""
    return "\n".join([*_curve(points, thresholds), "", *_table(points, thresholds)])


def _curve(points: Sequence[Point], thresholds: Thresholds) -> Iterator[str]:
    """Recall to the right and precision upwards, from the lowest precision to 1."""
    least = min(0.9, min(point.precision for point in points))
    cells = [[" "] * WIDTH for _ in range(HEIGHT)]
    for point in points:
        mark = _mark(point, thresholds)
        row = round((1 - point.precision) / (1 - least) * (HEIGHT - 1))
        column = round(point.recall * (WIDTH - 1))
        if mark != "·" or cells[row][column] == " ":
            cells[row][column] = mark
    for number, row_cells in enumerate(cells):
        level = 1 - number / (HEIGHT - 1) * (1 - least)
        label = f"{level:.2f}" if number % 5 == 0 else "    "
        yield f"{label} │{''.join(row_cells).rstrip()}"
    yield f"     └{'─' * WIDTH}"
    yield f"      0{'recall':^{WIDTH - 2}}1"
    yield "precision upwards; T: quality_threshold, F: quality_floor, B: both"


def _table(points: Sequence[Point], thresholds: Thresholds) -> Iterator[str]:
    yield f"{'threshold':>9}{'precision':>11}{'recall':>8}{'unanswerable kept':>19}"
    for point in points:
        mark = _mark(point, thresholds).strip("·")
        line = f"{point.threshold:9.2f}{point.precision:11.3f}{point.recall:8.3f}{point.false:19.3f}  {mark}"
        yield line.rstrip()


def _mark(point: Point, thresholds: Thresholds) -> str:
    threshold, floor = point.threshold == thresholds.quality_threshold, point.threshold == thresholds.quality_floor
    return "B" if threshold and floor else "T" if threshold else "F" if floor else "·"
