"""Which passages a relevance threshold keeps, in knowledge bases of thousands of passages and of a few."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from cicada.documents.filter import PassageFilter
from cicada.knowledge_bases.settings import KnowledgeBase
from cicada.retrieval.ports import Embedder
from evals.figures.cells import mean, share
from evals.figures.record import Table
from evals.figures.sets import TUNED_ON, Sets
from evals.plays.dataset import PLAYS, load_questions
from evals.retrieval.calibration import SetObservations, fit, observe, shares_kept
from evals.retrieval.dataset import Dataset, Row
from evals.retrieval.pipeline import CORPUS_BASE, Pipeline, retriever

SHOWN = (0.0, 0.15, 0.3, 0.5)
BASE_SIZES = (1, 3, 10, 30)
DEFAULT = KnowledgeBase("").score_threshold


def thresholds(sets: Sets) -> Table:
    """Each set by a map that was fitted on the other two."""
    observed = {name: _observed(sets, name) for name in TUNED_ON}
    rows = []
    for name, one in observed.items():
        calibration = fit([each for other, each in observed.items() if other != name])
        for threshold in SHOWN:
            values = shares_kept(one, calibration, threshold)
            rows.append([name, share(threshold) if threshold else "none", *map(share, values)])
    return Table(["base", "threshold", "relevant", "others", "empty", "foreign"], rows, sets.samples(*TUNED_ON))


def small_bases(sets: Sets) -> Table:
    """How many questions the default threshold leaves without a passage, by how many passages the base has."""
    dataset = sets.dataset(PLAYS)
    holders = {query.text: set(dataset.judgements[query.id]) for query in dataset.queries}
    strangers: dict[str, set[str]] = {text: set() for text in load_questions().all_unanswerable}
    rows = [
        [f"{name} ({len(asked)})", *(share(value) for value in _shares(dataset, asked, sets.embedder))]
        for name, asked in (("answerable", holders), ("unanswerable", strangers))
    ]
    header = ["nothing above the default threshold", *_sizes(BASE_SIZES), f"all {len(dataset.rows)}"]
    return Table(header, rows, {"answerable": len(holders), "unanswerable": len(strangers)})


def _sizes(sizes: Iterable[int]) -> Iterable[str]:
    return (f"{size} passage{'s' if size > 1 else ''}" for size in sizes)


def _shares(dataset: Dataset, asked: dict[str, set[str]], embedder: Embedder) -> Iterable[float]:
    draw = random.Random(7)  # noqa: S311 - which passages stand beside the right one
    for size in BASE_SIZES:
        yield mean(
            [_is_empty(_base(dataset, right, size, draw), [text], embedder) == [True] for text, right in asked.items()]
        )
    yield mean(_is_empty(dataset, list(asked), embedder))


def _base(dataset: Dataset, right: set[str], size: int, draw: random.Random) -> Dataset:
    """One answering passage, if there is one, and others drawn at random."""
    first = [row for row in dataset.rows if row.id in right][:1]
    others: Sequence[Row] = [row for row in dataset.rows if row.id not in right]
    return dataclasses.replace(dataset, rows=(*first, *draw.sample(others, size - len(first))))


def _is_empty(dataset: Dataset, asked: Sequence[str], embedder: Embedder) -> list[bool]:
    with retriever(dataset, embedder, Pipeline()) as search:
        above = replace(search, threshold=DEFAULT)
        return [not above.search(text, PassageFilter(CORPUS_BASE)) for text in asked]


def _observed(sets: Sets, name: str) -> SetObservations:
    with sets.searching(name) as search:
        return observe(sets.dataset(name), [sets.dataset(each) for each in TUNED_ON if each != name], search)
