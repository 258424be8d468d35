"""A measurement of the document router as a table and as JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from evals.retrieval.measures import Scores, mean_rows, means, means_by_name
from evals.table import table

FINAL = "fused"


@dataclass(frozen=True, slots=True)
class Report:
    """`signals`: scores of each signal alone, of the baseline, and of the router (`FINAL`).

    `without`: of the router without each signal, if measured. `milliseconds`: the median of a routing;
    `search_milliseconds`: that of the search whose passages it is given.
    """

    dataset: str
    cards: int
    passages: int
    queries: int
    signals: Mapping[str, Scores]
    without: Mapping[str, Scores]
    milliseconds: float
    search_milliseconds: float


def to_json(report: Report) -> str:
    """One object: the measures of the router, and those of each signal."""
    values: dict[str, object] = {
        **means(report.signals[FINAL]),
        "ms_per_query": report.milliseconds,
        "search_ms_per_query": report.search_milliseconds,
        "n": report.queries,
        "signals": means_by_name(report.signals),
    }
    if report.without:
        values["without"] = means_by_name(report.without)
    return json.dumps(
        {**values, "dataset": report.dataset, "cards": report.cards, "passages": report.passages}, indent=2
    )


def render(report: Report) -> str:
    """The report as plain text tables."""
    measures = list(report.signals[FINAL])
    lines = [f"{report.dataset}: {report.cards:,} cards, {report.passages:,} passages, {report.queries:,} queries", ""]
    lines += table(["", *measures], mean_rows(report.signals))
    if report.without:
        lines += ["", *table(["without", *measures], mean_rows(report.without))]
    lines += [
        "",
        f"{report.milliseconds:.1f} ms a routing, beside {report.search_milliseconds:.1f} ms for the search (medians)",
    ]
    return "\n".join(lines)
