"""What the local reranker's depth gains."""

from __future__ import annotations

from evals.figures.cells import mean, score
from evals.figures.record import Table
from evals.figures.sets import TUNED_ON, Sets
from evals.retrieval.pipeline import Pipeline

DEPTHS = (30, 50, 100, 200)


def depths(sets: Sets) -> Table:
    found = [[_ndcg(sets, name, depth) for name in TUNED_ON] for depth in DEPTHS]
    rows = [[str(depth), *map(score, values), score(mean(values))] for depth, values in zip(DEPTHS, found, strict=True)]
    return Table(["passages reranked", *TUNED_ON, "mean nDCG@10"], rows, sets.samples(*TUNED_ON))


def _ndcg(sets: Sets, name: str, depth: int) -> float:
    return mean(list(sets.scores(name, Pipeline(depth=depth))["reranked"]["ndcg@10"].values()))
