"""nDCG@10, Recall@100 and MRR@10, by ir-measures."""

from collections.abc import Mapping, Sequence

import ir_measures
from ir_measures import RR, Measure, R, nDCG

from evals.retrieval.dataset import Judgements

MEASURES = {"ndcg@10": nDCG @ 10, "recall@100": R @ 100, "mrr@10": RR @ 10}

# The ids of the passages for each query, best first.
Rankings = Mapping[str, Sequence[str]]
# The value of each measure by query.
Scores = dict[str, dict[str, float]]


def scores_of(rankings: Rankings, judgements: Judgements, measures: Mapping[str, Measure] = MEASURES) -> Scores:
    """Every judged query counts; one without results counts as 0."""
    run = {
        query: {passage: float(len(ranking) - rank) for rank, passage in enumerate(ranking)}
        for query, ranking in rankings.items()
    }
    qrels = {query: dict(grades) for query, grades in judgements.items()}
    scores: Scores = {name: dict.fromkeys(qrels, 0.0) for name in measures}
    names = {measure: name for name, measure in measures.items()}
    for metric in ir_measures.iter_calc(list(names), qrels, run):
        scores[names[metric.measure]][metric.query_id] = float(metric.value)
    return scores


def means(scores: Scores) -> dict[str, float]:
    """The mean of each measure over the queries."""
    return {name: sum(by_query.values()) / len(by_query) for name, by_query in scores.items()}


def means_by_name(systems: Mapping[str, Scores]) -> dict[str, dict[str, float]]:
    """The means of each system."""
    return {name: means(scores) for name, scores in systems.items()}


def mean_rows(systems: Mapping[str, Scores]) -> list[list[str]]:
    """The means of each system as a row of a table."""
    return [[name, *(f"{value:.4f}" for value in each.values())] for name, each in means_by_name(systems).items()]
