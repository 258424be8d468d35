"""A measurement as a table and as JSON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evals.retrieval.comparison import Difference
from evals.retrieval.measures import MEASURES, Scores, means

FINAL = "reranked"


@dataclass(frozen=True, slots=True)
class Report:
    """`stages`: scores of both retrievers, their fusion and the final order. `differences`: of the final order."""

    dataset: str
    passages: int
    queries: int
    stages: Mapping[str, Scores]
    peers: Mapping[str, Scores] = field(default_factory=dict)
    differences: Mapping[str, Difference] = field(default_factory=dict)


def to_json(report: Report) -> str:
    """One object: the measures of the final order, and those of every stage as `hits`."""
    values: dict[str, object] = {**means(report.stages[FINAL]), "lanes": _means(report.stages)}
    if report.peers:
        values["peers"] = _means(report.peers)
    if report.differences:
        values["differences"] = {name: _difference(each) for name, each in report.differences.items()}
    return json.dumps(
        {**values, "dataset": report.dataset, "passages": report.passages, "queries": report.queries}, indent=2
    )


def render(report: Report) -> str:
    """The report as plain text tables."""
    lines = [f"{report.dataset}: {report.passages:,} passages, {report.queries:,} queries", ""]
    lines += table(["", *MEASURES], _rows(report.stages))
    if report.peers:
        lines += ["", *table(["peers", *MEASURES], _rows(report.peers))]
    if report.differences:
        header = [f"{FINAL} against", "ndcg@10", "95 % interval", "better", "worse", "equal"]
        lines += ["", *table(header, (_difference_row(*each) for each in report.differences.items()))]
    return "\n".join(lines)


def _means(stages: Mapping[str, Scores]) -> dict[str, dict[str, float]]:
    return {name: means(scores) for name, scores in stages.items()}


def _difference(each: Difference) -> dict[str, float]:
    return {
        "ndcg@10": each.mean,
        "low": each.low,
        "high": each.high,
        "wins": each.wins,
        "losses": each.losses,
        "ties": each.ties,
    }


def _rows(stages: Mapping[str, Scores]) -> Iterable[list[str]]:
    for name, scores in stages.items():
        yield [name, *(f"{value:.4f}" for value in means(scores).values())]


def _difference_row(name: str, each: Difference) -> list[str]:
    interval = f"{each.low:+.4f} to {each.high:+.4f}"
    return [name, f"{each.mean:+.4f}", interval, str(each.wins), str(each.losses), str(each.ties)]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    cells = [header, *rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    return [
        "  ".join(cell.rjust(width) if at else cell.ljust(width) for at, (cell, width) in enumerate(pairs)).rstrip()
        for pairs in (list(zip(row, widths, strict=True)) for row in cells)
    ]
