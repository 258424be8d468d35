"""Multivectors for reranking: their size in an index and the quality that they bring."""

from __future__ import annotations

import numpy as np

from cicada.knowledge_bases.settings import MultiVector
from evals.figures.cells import mean, score
from evals.figures.record import Table
from evals.figures.sets import TUNED_ON, Sets
from evals.retrieval.pipeline import Pipeline, passage_text


def sizes(sets: Sets) -> Table:
    """Kilobytes (1,000 bytes) a passage: the middle nine tenths of all passages, the mean, the greatest."""
    header = ["`multivector`", "KB a passage, 5 – 95 %", "mean", "most", "mean nDCG@10"]
    return Table(header, [_row(sets, multivector) for multivector in MultiVector], sets.samples(*TUNED_ON))


def _row(sets: Sets, multivector: MultiVector) -> list[str]:
    found = [mean(list(_ndcg(sets, name, multivector).values())) for name in TUNED_ON]
    if multivector is MultiVector.NONE:
        return [f"`{multivector}`", "0", "0", "0", score(mean(found))]
    stored = np.concatenate([_bytes(sets, name, multivector) for name in TUNED_ON]) / 1000
    low, high = np.percentile(stored, [5, 95])
    return [
        f"`{multivector}`",
        f"{low:.1f} – {high:.1f}",
        f"{stored.mean():.1f}",
        f"{stored.max():.1f}",
        score(mean(found)),
    ]


def _ndcg(sets: Sets, name: str, multivector: MultiVector) -> dict[str, float]:
    return sets.scores(name, Pipeline(multivector=multivector))["reranked"]["ndcg@10"]


def _bytes(sets: Sets, name: str, multivector: MultiVector) -> np.typing.NDArray[np.int64]:
    texts = [passage_text(row) for row in sets.dataset(name).rows]
    return np.array([len(each) for _, each in sets.embedder.embed_passages_with_multivectors(texts, multivector)])
