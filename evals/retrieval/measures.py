"""nDCG@10, Recall@100 and MRR@10, by ir-measures."""

from collections.abc import Mapping, Sequence

import ir_measures
from ir_measures import RR, R, nDCG

from evals.retrieval.dataset import Judgements

MEASURES = {"ndcg@10": nDCG @ 10, "recall@100": R @ 100, "mrr@10": RR @ 10}
_NAMES = {measure: name for name, measure in MEASURES.items()}

# For each query the passages' ids, best first.
Rankings = Mapping[str, Sequence[str]]
# For each measure its value by query.
Scores = dict[str, dict[str, float]]


def scores_of(rankings: Rankings, judgements: Judgements) -> Scores:
    """Every judged query counts; one without results counts as 0."""
    run = {
        query: {passage: float(len(ranking) - rank) for rank, passage in enumerate(ranking)}
        for query, ranking in rankings.items()
    }
    qrels = {query: dict(grades) for query, grades in judgements.items()}
    scores: Scores = {name: dict.fromkeys(qrels, 0.0) for name in MEASURES}
    for metric in ir_measures.iter_calc(list(MEASURES.values()), qrels, run):
        scores[_NAMES[metric.measure]][metric.query_id] = float(metric.value)
    return scores


def means(scores: Scores) -> dict[str, float]:
    """The mean of each measure over the queries."""
    return {name: sum(by_query.values()) / len(by_query) for name, by_query in scores.items()}
