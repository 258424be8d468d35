"""`python -m tools.fitting.evidence_quality DIR DIR…`: fits the standards and the map of the quality of the evidence.

The folders are retrieval sets in BEIR's layout. Their queries are answerable; the same queries are not once the
documents with the relevant passages are out of reach, nor are other sets' queries. Each set is judged with a fit on the
others. The last lines are the fit on all sets, as `cicada/retrieval/quality.py` has it.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from cicada.documents.model import PassageFilter
from cicada.errors import CicadaError
from cicada.retrieval.model import IndexHits, IndexQuery, Retrieval, Vector
from cicada.retrieval.ports import PassageIndex
from cicada.retrieval.quality import CLIP, STANDARDS, features
from cicada.retrieval.rerank.local import LocalReranker
from cicada.retrieval.strategies.hybrid import HybridSearch
from evals.answerability.report import auroc
from evals.retrieval.dataset import Dataset, load_dataset
from evals.retrieval.embedding import local_embedder
from evals.retrieval.pipeline import CORPUS_BASE, Pipeline, retriever

FOREIGN_QUERIES = 120
# The share of questions to a base that can be answered; of the others, half are about another subject.
ANSWERABLE, FOREIGN = 0.75, 0.5
WEIGHTS = np.array([standard.weight for standard in STANDARDS])

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Without:
    """An index of which some passages are out of reach."""

    index: PassageIndex
    ids: frozenset[str]

    def search(self, query: IndexQuery) -> IndexHits:
        found = self.index.search(replace(query, limit=query.limit + len(self.ids)))
        kept = (
            [hit for hit in hits if hit.passage.passage_id not in self.ids] for hits in (found.lexical, found.semantic)
        )
        lexical, semantic = (tuple(hits[: query.limit]) for hits in kept)
        return IndexHits(lexical, semantic)

    def vectors_of(self, *arguments: object) -> Mapping[str, Vector]:
        return self.index.vectors_of(*arguments)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Observed:
    """The signals of a set's queries, one row each: answerable, without their documents, and other sets' queries."""

    own: Floats
    removed: Floats
    foreign: Floats


class Fit(Struct, frozen=True):
    """Mean and deviation of each signal, and the map from the sum of their points to a probability."""

    means: Floats
    deviations: Floats
    constant: float
    slope: float

    def points(self, signals: Floats) -> Floats:
        clipped = np.clip((signals - self.means) / self.deviations, -CLIP, CLIP)
        return np.asarray(np.nansum(clipped * WEIGHTS, axis=1))


def observe(dataset: Dataset, others: Sequence[Dataset], search: HybridSearch) -> Observed:
    draw = np.random.default_rng(7)
    foreign = [
        other.queries[at].text for other in others for at in draw.permutation(len(other.queries))[:FOREIGN_QUERIES]
    ]
    removed = [
        _signals(query.text, _without(search, ids))
        for query, ids in zip(dataset.queries, documents_of(dataset), strict=True)
    ]
    return Observed(
        np.array([_signals(query.text, search) for query in dataset.queries]),
        np.array(removed),
        np.array([_signals(text, search) for text in foreign]),
    )


def fit(sets: Sequence[Observed]) -> Fit:
    """The fit in which every set has the same weight."""
    means = np.mean([_middle(one) for one in sets], axis=0)
    deviations = np.mean([np.nanstd(np.vstack([one.own, one.removed]), axis=0) for one in sets], axis=0)
    fitted = Fit(means, deviations, 0.0, 1.0)
    parts = [
        (fitted.points(rows), label, share)
        for one in sets
        for rows, label, share in (
            (one.own, 1.0, ANSWERABLE),
            (one.removed, 0.0, (1 - ANSWERABLE) * (1 - FOREIGN)),
            (one.foreign, 0.0, (1 - ANSWERABLE) * FOREIGN),
        )
    ]
    constant, slope = _logistic_fit(parts)
    return replace(fitted, constant=constant, slope=slope)


def _middle(one: Observed) -> Floats:
    """Between answerable and not: the usual value of evidence that could be either."""
    own, removed, foreign = (np.nanmean(rows, axis=0) for rows in (one.own, one.removed, one.foreign))
    return np.asarray(0.5 * own + 0.35 * removed + 0.15 * foreign)


def _logistic_fit(parts: Sequence[tuple[Floats, float, float]]) -> tuple[float, float]:
    """Constant and slope, by Newton's method."""
    x = np.concatenate([np.c_[np.ones(len(points)), points] for points, _, _ in parts])
    y = np.concatenate([np.full(len(points), label) for points, label, _ in parts])
    weights = np.concatenate([np.full(len(points), share / len(points)) for points, _, share in parts])
    found = np.zeros(2)
    for _ in range(30):
        chance = 1 / (1 + np.exp(-(x @ found)))
        curvature = (x.T * (weights * chance * (1 - chance))) @ x
        found -= np.linalg.solve(curvature, x.T @ (weights * (chance - y)))
    return float(found[0]), float(found[1])


def _signals(text: str, search: HybridSearch) -> list[float]:
    found: Retrieval = search.retrieve(text, PassageFilter(CORPUS_BASE))
    return [np.nan if value is None else value for value in features(text, found)]


def _without(search: HybridSearch, ids: frozenset[str]) -> HybridSearch:
    reachable: PassageIndex = Without(search.index, ids)  # type: ignore[assignment]  # It is only searched.
    return replace(search, index=reachable, reranker=LocalReranker(reachable))


def documents_of(dataset: Dataset) -> Iterator[frozenset[str]]:
    """The passages of the documents relevant to each query; a document is what ids share before an underscore."""
    documents: dict[str, set[str]] = {}
    for number, row in enumerate(dataset.rows):
        documents.setdefault(row.id.partition("_")[0], set()).add(f"{number:08d}")
    for query in dataset.queries:
        relevant = [key for key, grade in dataset.judgements[query.id].items() if grade > 0]
        yield frozenset(each for key in relevant for each in documents[key.partition("_")[0]])


def report(observed: Mapping[str, Observed]) -> None:
    """Prints how well each set is told apart by a fit on the others, and the fit on all."""
    print(f"{'left-out set':20}{'removed':>10}{'foreign':>10}   AUROC against the set's own queries")
    for name, one in observed.items():
        fitted = fit([each for other, each in observed.items() if other != name] or [one])
        own, removed, foreign = (fitted.points(rows).tolist() for rows in (one.own, one.removed, one.foreign))
        print(f"{name:20}{auroc(own, removed) or 0:>10.3f}{auroc(own, foreign) or 0:>10.3f}")
    fitted = fit(list(observed.values()))
    for name, mean, deviation in zip(STANDARDS._fields, fitted.means, fitted.deviations, strict=True):
        print(f"{name:14} mean {mean:.3f}, deviation {deviation:.3f}")
    print(f"CONSTANT, SLOPE = {fitted.constant:.3f}, {fitted.slope:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.fitting.evidence_quality", description=__doc__)
    parser.add_argument("folders", metavar="DIR", type=Path, nargs="+")
    options = parser.parse_args()
    try:
        sets = [load_dataset(folder) for folder in options.folders]
        observed = {}
        with local_embedder(lambda line: print(line, file=sys.stderr)) as embedder:
            for dataset in sets:
                with retriever(dataset, embedder, Pipeline()) as search:
                    observed[dataset.name] = observe(dataset, [each for each in sets if each is not dataset], search)
    except CicadaError as error:
        raise SystemExit(str(error)) from error
    report(observed)


if __name__ == "__main__":
    main()
