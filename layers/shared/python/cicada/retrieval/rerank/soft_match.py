"""Soft token match: BM25's shape over the encoder's own token vectors (docs/retrieval.md).

The only part of the local reranker that needs numpy. It is imported when a passage with token vectors is ranked. Only
the local encoder gives token vectors, so the deployed functions need no numpy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cicada.retrieval.rerank.multivector import Rows

# On a wide plateau on scifact, cranfield and mtrag-clapnq: K1 from .1 to .4 and B from .2 to .6 rank as well. The mean
# length is a constant, so that a passage's match does not depend on the rest of the base.
K1, B = 0.3, 0.3
MEAN_LENGTH = 180


def soft_matches(query: Rows, passages: Sequence[Rows]) -> list[float]:
    """For each passage, 0 to 1: the weighted share of the question's word pieces that the passage matches.

    Σ w_i · tf_i / (tf_i + K1 · (1 - B + B · length / MEAN_LENGTH)) / Σ w_i, with
    tf_i = Σ_j max(0, cos(q_i, d_j))⁶ over the passage's word pieces d_j.
    """
    weights = np.asarray(query.weights, dtype=np.float32)
    total = float(weights.sum())
    counts = [rows.count for rows in passages]
    if not total or not any(counts):
        return [0.0] * len(passages)
    frequencies = _frequencies(_unit(query), [rows for rows in passages if rows.count])
    lengths = np.array([count for count in counts if count], dtype=np.float32)
    saturation = K1 * (1 - B + B * lengths / MEAN_LENGTH)
    matches = iter((frequencies / (frequencies + saturation[:, None]) @ weights / total).tolist())
    return [next(matches) if count else 0.0 for count in counts]


def _frequencies(query: NDArray[np.float32], passages: Sequence[Rows]) -> NDArray[np.float32]:
    """tf_i of each passage, one row a passage and one column a word piece of the question."""
    pieces = np.concatenate([_unit(rows) for rows in passages])
    likeness = np.maximum(pieces @ query.T, 0)
    likeness *= likeness * likeness
    likeness *= likeness
    starts = np.cumsum([0, *(rows.count for rows in passages[:-1])])
    return np.add.reduceat(likeness, starts)


def _unit(rows: Rows) -> NDArray[np.float32]:
    vectors = np.frombuffer(rows.values, np.int8).reshape(-1, rows.columns).astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return np.asarray(vectors / np.maximum(lengths, 1e-6)[:, None], dtype=np.float32)
