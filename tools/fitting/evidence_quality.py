"""`python -m tools.fitting.evidence_quality DIR DIR…`: fits the standards and the map of the quality of the evidence.

The folders are retrieval sets in BEIR's layout. Their queries are answerable; the same queries are not once the
documents with the relevant passages are out of reach, nor are other sets' queries. Each set is judged with a fit on the
others. The last lines are two fits on all sets, as `cicada/knowledge_bases/calibrations.py` has them: of all signals,
and of those in which no embedder has a part, where the search is by words alone.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from cicada.documents.model import PassageFilter
from cicada.errors import CicadaError
from cicada.retrieval.model import IndexHits, IndexQuery, Vector
from cicada.retrieval.ports import Embedder, PassageIndex
from cicada.retrieval.quality import Features, features
from cicada.retrieval.rerank.local import LocalReranker
from cicada.retrieval.strategies.hybrid import HybridSearch
from evals.answerability.report import auroc
from evals.evidence_fit import Fit, Observed, fit, rows_of
from evals.retrieval.dataset import Dataset, load_dataset
from evals.retrieval.embedding import local_embedder
from evals.retrieval.pipeline import CORPUS_BASE, Pipeline, retriever

FOREIGN_QUERIES = 120
# The signals in which no embedder has a part, and the share of questions that can be answered that is assumed of them.
OF_NO_EMBEDDER, CONSERVATIVE = ("lexical", "coverage", "names", "concentration"), 2 / 3


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


class SilentEmbedder:
    """The same vector for every text: what is found, and its order, is by words alone."""

    model_id, dimension = "silent", 2

    def embed_query(self, text: str) -> Vector:  # noqa: ARG002 - it says nothing of it
        return (1.0, 0.0)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [self.embed_query(text) for text in texts]


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
        rows_of([_signals(query.text, search) for query in dataset.queries]),
        rows_of(removed),
        rows_of([_signals(text, search) for text in foreign]),
    )


def _signals(text: str, search: HybridSearch) -> Features:
    return features(text, search.retrieve(text, PassageFilter(CORPUS_BASE)))


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
    _print(fit([*observed.values()]))


def _print(fitted: Fit) -> None:
    for name, standard in fitted.standards.items():
        print(f"{name:14} mean {standard.mean:.3f}, deviation {standard.deviation:.3f}")
    print(f"constant {fitted.constant:.3f}, slope {fitted.slope:.3f}")


def _observed(sets: Sequence[Dataset], embedder: Embedder) -> dict[str, Observed]:
    observed = {}
    for dataset in sets:
        with retriever(dataset, embedder, Pipeline()) as search:
            observed[dataset.name] = observe(dataset, [each for each in sets if each is not dataset], search)
    return observed


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.fitting.evidence_quality", description=__doc__)
    parser.add_argument("folders", metavar="DIR", type=Path, nargs="+")
    options = parser.parse_args()
    try:
        sets = [load_dataset(folder) for folder in options.folders]
        by_words = _observed(sets, SilentEmbedder())
        with local_embedder(lambda line: print(line, file=sys.stderr)) as embedder:
            observed = _observed(sets, embedder)
    except CicadaError as error:
        raise SystemExit(str(error)) from error
    report(observed)
    print("no embedder:")
    _print(fit([*by_words.values()], CONSERVATIVE, OF_NO_EMBEDDER))


if __name__ == "__main__":
    main()
