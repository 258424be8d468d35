"""BM25 over inverted lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cicada.retrieval.bm25 import Bm25
from cicada_embedded.inverted import FIELDS, Counts, Rows, Segment

Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ScoredLanguage:
    """The segments of one language with what BM25 needs of all of them together.

    By field (in the order of `FIELDS`): `documents` counts passages that have it; `norms[s]` are, for each row of
    segment s, k1 (1 - b + b · length / mean length).
    """

    segments: tuple[Segment, ...]
    weights: tuple[float, ...]
    documents: tuple[int, ...]
    norms: tuple[NDArray[np.float32], ...]

    def scores(self, terms: Sequence[int]) -> list[Scores]:
        """The score of each row of each segment, 0 where no term is found."""
        totals = [np.zeros(segment.size, np.float32) for segment in self.segments]
        for term in terms:
            found = [segment.postings(term) for segment in self.segments]
            for field, weight in enumerate(self.weights):
                if weight > 0:
                    self._add(totals, found, field, weight)
        return totals

    def _add(self, totals: list[Scores], found: list[tuple[Rows, Counts]], field: int, weight: float) -> None:
        holding = [counts[field] > 0 for _, counts in found]
        documents = sum(int(np.count_nonzero(each)) for each in holding)
        if not documents:
            return
        factor = np.float32(weight * _idf(self.documents[field], documents))
        for total, norms, (rows, counts), held in zip(totals, self.norms, found, holding, strict=True):
            often, places = counts[field][held].astype(np.float32), rows[held]
            # A term is in a row once, so that nothing is lost by adding to many rows at a time.
            total[places] += factor * often / (often + norms[field][places])


def scored_language(segments: tuple[Segment, ...], bm25: Bm25) -> ScoredLanguage:
    lengths = np.concatenate([segment.lengths[:, segment.is_alive] for segment in segments], axis=1)
    documents = np.count_nonzero(lengths, axis=1)
    # A field that no passage has is never scored; any mean does.
    means = np.maximum(lengths.sum(axis=1, dtype=np.float64), 1) / np.maximum(documents, 1)
    norms = tuple(
        (bm25.k1 * (1 - bm25.b + bm25.b * segment.lengths / means[:, None])).astype(np.float32) for segment in segments
    )
    weights = tuple(bm25.fields.get(field, 0.0) for field in FIELDS)
    return ScoredLanguage(segments, weights, tuple(documents.tolist()), norms)


def _idf(documents: int, holding: int) -> float:
    """As Lucene's BM25Similarity: never below zero."""
    return float(np.log(1 + (documents - holding + 0.5) / (holding + 0.5)))
