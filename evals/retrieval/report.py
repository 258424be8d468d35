"""A measurement as a table and as JSON."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from cicada.adapters.bedrock.reranker import BILLED_DOCUMENTS
from evals.retrieval.comparison import Difference
from evals.retrieval.measures import MEASURES, Scores, mean_rows, means, means_by_name
from evals.retrieval.second_opinion import PRICES, SecondOpinion
from evals.table import table

FINAL = "reranked"


@dataclass(frozen=True, slots=True)
class Report:
    """`stages`: scores of both retrievers, their fusion and the final order. `differences`: of the final order.

    `second_opinion`: what a paid reranker would cost, and could gain on the final order.
    """

    dataset: str
    passages: int
    queries: int
    stages: Mapping[str, Scores]
    second_opinion: SecondOpinion
    peers: Mapping[str, Scores] = field(default_factory=dict)
    differences: Mapping[str, Difference] = field(default_factory=dict)


def to_json(report: Report) -> str:
    """One object: the measures of the final order, and those of every stage as `hits`."""
    opinion = {**asdict(report.second_opinion), "dollars": report.second_opinion.dollars}
    values: dict[str, object] = {
        **means(report.stages[FINAL]),
        "lanes": means_by_name(report.stages),
        "second_opinion": opinion,
    }
    if report.peers:
        values["peers"] = means_by_name(report.peers)
    if report.differences:
        values["differences"] = {name: _difference(each) for name, each in report.differences.items()}
    return json.dumps(
        {**values, "dataset": report.dataset, "passages": report.passages, "queries": report.queries}, indent=2
    )


def render(report: Report) -> str:
    """The report as plain text tables."""
    lines = [f"{report.dataset}: {report.passages:,} passages, {report.queries:,} queries", ""]
    lines += table(["", *MEASURES], mean_rows(report.stages))
    lines += ["", *_second_opinion(report.second_opinion)]
    if report.peers:
        lines += ["", *table(["peers", *MEASURES], mean_rows(report.peers))]
    if report.differences:
        header = [f"{FINAL} against", "ndcg@10", "95 % interval", "better", "worse", "equal"]
        lines += ["", *table(header, (_difference_row(*each) for each in report.differences.items()))]
    return "\n".join(lines)


def _second_opinion(found: SecondOpinion) -> list[str]:
    """What asking a paid reranker would cost, only where the first ranking is unsure and always."""
    rows = [
        [
            "unsure",
            f"{found.asked:.2f}",
            f"{found.held:.2f}",
            f"{found.most:.2f}",
            *map(_dollars, found.dollars.values()),
        ],
        ["always", "1.00", "1.00", "1.00", *map(_dollars, PRICES.values())],
    ]
    header = ["second opinion", "asked", "of the gain", "at most", *(f"{each}, 1,000 turns" for each in PRICES)]
    gain = f"gain: nDCG@10 {found.gain:+.4f} if the {BILLED_DOCUMENTS} best candidates were in a perfect order"
    return [*table(header, rows), gain]


def _dollars(price: float) -> str:
    return f"${price:.2f}"


def _difference(each: Difference) -> dict[str, float]:
    return {
        "ndcg@10": each.mean,
        "low": each.low,
        "high": each.high,
        "wins": each.wins,
        "losses": each.losses,
        "ties": each.ties,
    }


def _difference_row(name: str, each: Difference) -> list[str]:
    interval = f"{each.low:+.4f} to {each.high:+.4f}"
    return [name, f"{each.mean:+.4f}", interval, str(each.wins), str(each.losses), str(each.ties)]
