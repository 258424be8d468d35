"""Retrieval quality by chunk size of a script."""

from __future__ import annotations

from collections.abc import Sequence

from cicada.ingest.chunks import Chunking
from evals.figures.cells import share
from evals.figures.record import Table
from evals.figures.sets import Sets
from evals.plays.dataset import PLAYS, plays_dataset
from evals.retrieval.dataset import Dataset
from evals.retrieval.pipeline import Pipeline, rankings_of, retriever, search_all

FIRST, CHARACTERS = 10, 9_000
_CHUNKINGS = (
    Chunking(600, 1),
    Chunking(900, 1),
    Chunking(1200, 1),
    Chunking(900, 0),
    Chunking(900, 2),
)


def sizes(sets: Sets) -> Table:
    """Questions with an answering passage among the best ten, and within the same number of characters of the best."""
    rows = [_row(sets, chunking) for chunking in _CHUNKINGS]
    header = ["limit, overlap", "passages", f"among the best {FIRST}", f"among the best {CHARACTERS:,} characters"]
    return Table(header, rows, sets.samples(PLAYS))


def _row(sets: Sets, chunking: Chunking) -> list[str]:
    dataset = plays_dataset(chunking)
    with retriever(dataset, sets.embedder, Pipeline()) as search:
        rankings = rankings_of(dataset, search_all(dataset, search))["reranked"]
    asked = len(sets.dataset(PLAYS).queries)
    found = [_places(dataset, query, rankings[query]) for query in rankings]
    within = [sum(each) / asked for each in zip(*found, strict=True)]
    used = " (used)" if chunking == Chunking() else ""
    return [f"{chunking.limit}, {chunking.overlap}{used}", str(len(dataset.rows)), *map(share, within)]


def _places(dataset: Dataset, query: str, ranking: Sequence[str]) -> tuple[bool, bool]:
    right = dataset.judgements[query]
    texts = {row.id: row.text for row in dataset.rows}
    length, fitting = 0, []
    for each in ranking:
        length += len(texts[each])
        if length > CHARACTERS:
            break
        fitting.append(each)
    return any(each in right for each in ranking[:FIRST]), any(each in right for each in fitting)
