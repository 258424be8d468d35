"""Inverted lists in numpy, and BM25 over them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from cicada.retrieval.bm25 import Bm25, idf

MAX_COUNT = 255

Numbers = NDArray[np.int64]
Terms = NDArray[np.uint64]
Rows = NDArray[np.int32]
# One row for each field. Lengths: terms in the field. Counts: occurrences of one term in it, at most 255.
Lengths = NDArray[np.float32]
Counts = NDArray[np.uint8]
Scores = NDArray[np.float32]


class Segment(Struct, frozen=True):
    """Passages of one language, a row each, in ascending order of their numbers.

    The postings of `terms[i]` are `[starts[i], starts[i + 1])` of `rows` (ascending within a term) and of `counts`.
    """

    language: str
    numbers: Numbers
    lengths: Lengths
    is_alive: NDArray[np.bool_]
    terms: Terms
    starts: NDArray[np.int64]
    rows: Rows
    counts: Counts

    @property
    def size(self) -> int:
        return len(self.numbers)

    def postings(self, term: int) -> tuple[Rows, Counts]:
        """Rows of the live passages that contain the term, and its count in each field."""
        wanted = np.uint64(term)
        index = int(np.searchsorted(self.terms, wanted))
        if index == len(self.terms) or self.terms[index] != wanted:
            return self.rows[:0], self.counts[:, :0]
        found = slice(int(self.starts[index]), int(self.starts[index + 1]))
        rows, counts = self.rows[found], self.counts[:, found]
        living = self.is_alive[rows]
        return (rows, counts) if living.all() else (rows[living], counts[:, living])

    def living(self, numbers: Numbers) -> Segment:
        """A copy in which only the passages in `numbers` are alive."""
        return replace(self, is_alive=self.is_alive & np.isin(self.numbers, numbers, assume_unique=True))

    def without(self, numbers: Numbers) -> Segment:
        """A copy in which the passages in `numbers` are dead, too."""
        hidden = np.isin(self.numbers, numbers, assume_unique=True)
        return replace(self, is_alive=self.is_alive & ~hidden)


def new_segment(
    language: str, numbers: Numbers, lengths: Lengths, terms_of: Sequence[int], terms: Terms, counts: Counts
) -> Segment:
    """`terms` are concatenated: the first `terms_of[0]` belong to passage `numbers[0]`, and so on."""
    rows = np.repeat(np.arange(len(numbers), dtype=np.int32), terms_of)
    return _sorted(language, numbers, lengths, terms, rows, counts)


def merged(segments: Sequence[Segment]) -> Segment:
    """Merge segments of one language, dropping dead passages. Numbers must rise from each segment to the next."""
    terms, rows, counts, before = [], [], [], 0
    for each in segments:
        living = each.is_alive[each.rows]
        new_row = np.cumsum(each.is_alive, dtype=np.int32) + np.int32(before - 1)
        terms.append(np.repeat(each.terms, np.diff(each.starts))[living])
        rows.append(new_row[each.rows[living]])
        counts.append(each.counts[:, living])
        before += int(each.is_alive.sum())
    return _sorted(
        segments[0].language,
        np.concatenate([each.numbers[each.is_alive] for each in segments]),
        np.concatenate([each.lengths[:, each.is_alive] for each in segments], axis=1),
        np.concatenate(terms),
        np.concatenate(rows),
        np.concatenate(counts, axis=1),
    )


def _sorted(language: str, numbers: Numbers, lengths: Lengths, terms: Terms, rows: Rows, counts: Counts) -> Segment:
    order = np.argsort(terms, kind="stable")
    terms = terms[order]
    is_first = np.ones(len(terms), np.bool_)
    np.not_equal(terms[1:], terms[:-1], out=is_first[1:])
    starts = np.flatnonzero(is_first)
    is_alive = np.ones(len(numbers), np.bool_)
    # Field by field: sorting all at once takes five times as long.
    counts = np.stack([field[order] for field in counts])
    return Segment(
        language, numbers, lengths, is_alive, terms[starts], np.append(starts, len(order)), rows[order], counts
    )


class ScoredLanguage(Struct, frozen=True):
    """The segments of one language with their common BM25 statistics.

    For each field: `documents` counts the passages that have it; `norms[s]` holds
    k1 (1 - b + b · length / mean length) for each row of segment s.
    """

    segments: tuple[Segment, ...]
    weights: tuple[float, ...]
    documents: tuple[int, ...]
    norms: tuple[NDArray[np.float32], ...]

    def scores(self, terms: Sequence[int]) -> list[Scores]:
        """BM25 scores by segment and row; 0 where no term occurs."""
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
        factor = np.float32(weight * idf(self.documents[field], documents))
        for total, norms, (rows, counts), held in zip(totals, self.norms, found, holding, strict=True):
            frequencies, held_rows = counts[field][held].astype(np.float32), rows[held]
            # A term has one posting for a row, so `rows` has no duplicates and the indexed addition loses nothing.
            total[held_rows] += factor * frequencies / (frequencies + norms[field][held_rows])


def scored_language(segments: tuple[Segment, ...], bm25: Bm25, weights: tuple[float, ...]) -> ScoredLanguage:
    """`weights`: one for each field; a field without weight is not scored."""
    lengths = np.concatenate([segment.lengths[:, segment.is_alive] for segment in segments], axis=1)
    documents = np.count_nonzero(lengths, axis=1)
    # A field that no passage has is never scored, so its mean does not matter.
    means = np.maximum(lengths.sum(axis=1, dtype=np.float64), 1) / np.maximum(documents, 1)
    norms = tuple(
        (bm25.k1 * (1 - bm25.b + bm25.b * segment.lengths / means[:, None])).astype(np.float32) for segment in segments
    )
    return ScoredLanguage(segments, weights, tuple(documents.tolist()), norms)
