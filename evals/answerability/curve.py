"""The precision/recall curve as text."""

from collections.abc import Iterator, Sequence

from evals.answerability.sweep import Point, Thresholds

WIDTH, HEIGHT = 51, 16


def render(points: Sequence[Point], chosen: Thresholds) -> str:
    """The curve, and a table of all thresholds with the chosen ones marked."""
    return "\n".join([*_curve(points, chosen), "", *_table(points, chosen)])


def _curve(points: Sequence[Point], chosen: Thresholds) -> Iterator[str]:
    """Recall to the right and precision upwards, from the lowest precision to 1."""
    least = min(0.9, min(point.precision for point in points))
    cells = [[" "] * WIDTH for _ in range(HEIGHT)]
    for point in points:
        mark = _mark(point, chosen)
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


def _table(points: Sequence[Point], chosen: Thresholds) -> Iterator[str]:
    yield f"{'threshold':>9}{'precision':>11}{'recall':>8}{'unanswerable kept':>19}"
    for point in points:
        mark = _mark(point, chosen).strip("·")
        line = f"{point.threshold:9.2f}{point.precision:11.3f}{point.recall:8.3f}{point.false:19.3f}  {mark}"
        yield line.rstrip()


def _mark(point: Point, chosen: Thresholds) -> str:
    threshold, floor = point.threshold == chosen.quality_threshold, point.threshold == chosen.quality_floor
    return "B" if threshold and floor else "T" if threshold else "F" if floor else "·"
