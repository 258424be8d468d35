"""The document router: what each signal is worth, and which scores mean the same in bases of any size."""

from __future__ import annotations

from collections.abc import Mapping

from evals.documents.calibration import SIZES, ambiguities, normalisations, observe, part_of
from evals.documents.dataset import DocumentSet, load_documents
from evals.documents.report import FINAL
from evals.documents.run import measured
from evals.figures.cells import bold, mean, score, share
from evals.figures.record import Table
from evals.figures.sets import Sets
from evals.retrieval.measures import Scores, means

# Folder of DATA.
SET = "documents"


def _quiet(line: str) -> None:
    """The command reports figures, not their steps."""


_MEASURES = ("recall@5", "recall@15", "recall@50", "mrr")
_NAMES = {
    "card_words": "BM25 on the card",
    "card_vector": "vector of the card",
    "concepts": "key concepts and topics (Jaccard)",
    "graph": "neighbours in the graph",
    "seed": "0.5 BM25, 0.3 concepts, 0.2 graph",
    "cards": "all of the cards",
    "passage_words": "best passage by BM25",
    "passage_vector": "best passage by vector",
    "passages": "passages",
    "feedback": "feedback from the best passage",
    FINAL: "the router",
}


def signals(sets: Sets) -> Table:
    """Each signal alone, all of them, and all but one."""
    documents = load_documents(sets.folder(SET))
    found = measured(documents, sets.embedder, True, _quiet)
    parts = _parts(documents)
    rows = [_row(name, found.signals[key], parts) for key, name in _NAMES.items() if key in found.signals]
    rows = [bold(row) if row[0] == _NAMES[FINAL] else row for row in rows]
    rows += [_row(f"without {_NAMES[key]}", each, parts) for key, each in found.without.items()]
    header = ["", "Recall@5", "Recall@15", "Recall@50", "MRR", *(f"Recall@15, {part}" for part in parts)]
    return Table(header, rows, {part: len(queries) for part, queries in parts.items()})


def scores(sets: Sets) -> Table:
    """Normalisations by the size of the base."""
    seen = observe(load_documents(sets.folder(SET)), sets.embedder)
    rows = [
        [name, score(value), *(f"{share(right)} / {share(none)}" for right, none in sizes)]
        for name, value, sizes in normalisations(seen)
    ]
    return Table(["", "AUROC", *(f"{size:,} documents" for size in SIZES)], rows, {"routings": len(seen)})


def ambiguity(sets: Sets) -> Table:
    seen = observe(load_documents(sets.folder(SET)), sets.embedder)
    rows = [[name, score(value)] for name, value in ambiguities(seen).items()]
    return Table(["", "AUROC"], rows, {"routings": len(seen)})


def _parts(documents: DocumentSet) -> Mapping[str, list[str]]:
    """The queries' ids by the part of their documents' ids before the first colon."""
    found: dict[str, list[str]] = {}
    for query, grades in documents.judgements.items():
        found.setdefault(part_of(min(grades)), []).append(query)
    return found


def _row(name: str, measures: Scores, parts: Mapping[str, list[str]]) -> list[str]:
    values = means(measures)
    by_part = [mean([measures["recall@15"][query] for query in queries]) for queries in parts.values()]
    return [name, *(score(values[each]) for each in _MEASURES), *map(score, by_part)]
