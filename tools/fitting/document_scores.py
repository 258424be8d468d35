"""`python -m tools.fitting.document_scores DIR`: fits the map from a document's signals to its score.

It is compared with other normalisations on bases of 5 to 5,000 documents.

The queries are split by the part of their documents' ids before the first colon. Each part is tested with a map fitted
on the others. In a base of a given size, drawn at random, some queries find their documents and the others do not.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import numpy as np

from cicada.document_routing import scoring
from cicada.document_routing.router import DocumentRouter
from cicada.document_routing.scoring import RoutedDocument
from cicada.errors import CicadaError
from cicada.languages.terms import query_terms
from cicada.permissions import every_document
from cicada.retrieval.fusion import fuse
from cicada.retrieval.ports import Embedder
from cicada.retrieval.rerank.local import RelevanceMap, Signals
from cicada.retrieval.strategies.hybrid import encode_query
from evals.documents.dataset import DocumentSet, load_documents
from evals.documents.index import BASE, indexed
from evals.documents.routings import found
from evals.retrieval.dataset import Query
from evals.retrieval.embedding import local_embedder
from tools.fitting.confidence import Observations, SetObservations, fit

# Documents of a base, and how many bases of this size are drawn.
SIZES = {5: 30, 20: 15, 100: 6, 1000: 2, 5000: 1}
FIRST = 15


@dataclass(frozen=True, slots=True)
class Seen:
    """The first documents of one routing: their signals, and whether each is right. `found`: documents in all.

    `ambiguity`: as the router tells it.
    """

    part: str
    size: int
    signals: tuple[Signals, ...]
    relevant: tuple[bool, ...]
    found: int
    ambiguity: float = 0.0

    @property
    def observations(self) -> Observations:
        return Observations(self.signals, np.array(self.relevant, float), self.found)


@dataclass(frozen=True, slots=True)
class Bases:
    """Draws bases from a set, and routes queries in them."""

    documents: DocumentSet
    embedder: Embedder
    draw: Random

    def seen(self) -> list[Seen]:
        return [each for size, count in SIZES.items() for _ in range(count) for each in self._of_base(size)]

    def _of_base(self, size: int) -> Iterator[Seen]:
        """Equal numbers of queries that find their documents in the base and that do not, at most 60 of each."""
        known = [each for each in self.documents.documents if each in self.documents.passages]
        base = set(self.draw.sample(known, min(size, len(known))))
        # A random base of five documents answers no query: one of them is drawn from those that a query asks for.
        base |= {self.draw.choice(sorted(relevant_to(self.documents, self.draw.choice(self.documents.queries))))}
        own = [each for each in self.documents.queries if relevant_to(self.documents, each) & base]
        foreign = [each for each in self.documents.queries if not relevant_to(self.documents, each) & base]
        asked = self.draw.sample(own, min(60, len(own)))
        asked += self.draw.sample(foreign, min(len(asked), len(foreign)))
        with indexed(_restricted(self.documents, base), self.embedder, lambda _: None) as index:
            router = DocumentRouter(index)
            for query in asked:
                encoded, filter = encode_query(self.embedder, query.text), every_document(BASE)
                candidates = fuse(found(index, encoded, 100), "zscore")
                routed = router.route(encoded, query_terms(query.text), filter, candidates).documents
                yield self._observed(query, size, routed)

    def _observed(self, query: Query, size: int, routed: Sequence[RoutedDocument]) -> Seen:
        relevant = relevant_to(self.documents, query)
        first = routed[:FIRST]
        signals = tuple(Signals(each.signals["fused"], scoring.nearness(each.signals)) for each in first)
        right = tuple(each.document.document_id in relevant for each in first)
        return Seen(part_of(min(relevant)), size, signals, right, len(routed), scoring.ambiguity_of(routed))


def relevant_to(documents: DocumentSet, query: Query) -> set[str]:
    return {each for each, grade in documents.judgements[query.id].items() if grade > 0}


def part_of(document_id: str) -> str:
    return document_id.partition(":")[0]


def fitted(seen: Sequence[Seen]) -> RelevanceMap:
    """The map that is fitted on bases of 1,000 documents and more."""
    large = [each for each in seen if each.size >= 1000]
    sets = [
        SetObservations(
            [each.observations for each in large if each.part == part and any(each.relevant)],
            [each.observations for each in large if each.part == part and not any(each.relevant)],
        )
        for part in sorted({each.part for each in large})
    ]
    return fit(sets)


Normalisation = Callable[[Seen], Sequence[float]]


def min_max(seen: Seen) -> Sequence[float]:
    scores = [each.score for each in seen.signals]
    return [(each - min(scores)) / ((max(scores) - min(scores)) or 1.0) for each in scores]


def quantile(seen: Seen) -> Sequence[float]:
    return [1 - rank / seen.found for rank in range(len(seen.signals))]


def auroc(values: Sequence[float], relevant: Sequence[bool]) -> float:
    """The chance that a right document has a higher score than a wrong one; ties count half."""
    ordered = np.sort(np.array([value for value, is_right in zip(values, relevant, strict=True) if not is_right]))
    right = np.array([value for value, is_right in zip(values, relevant, strict=True) if is_right])
    below, upto = np.searchsorted(ordered, right, "left"), np.searchsorted(ordered, right, "right")
    return float(((below + upto) / 2 / len(ordered)).mean())


def normalisations(seen: Sequence[Seen]) -> list[tuple[str, float, list[tuple[float, float]]]]:
    """The rows: a name, the AUROC over the bases of all sizes, and by size two mean scores of the first document.

    They are those where it is right, and where no right one was found.
    """
    maps = _maps(seen)

    def calibrated(each: Seen) -> Sequence[float]:
        return maps[each.part].relevances(each.signals, each.found)

    compared: dict[str, Normalisation] = {"min-max": min_max, "quantile": quantile, "calibrated": calibrated}
    rows = []
    for name, normalised in compared.items():
        values = [(each, normalised(each)) for each in seen if each.signals]
        flat = [value for _, scores in values for value in scores]
        labels = [is_right for each, _ in values for is_right in each.relevant]
        rows.append((name, auroc(flat, labels), [_first(values, size) for size in SIZES]))
    return rows


def ambiguities(seen: Sequence[Seen]) -> dict[str, float]:
    """How well measures of ambiguity tell that the first document is wrong, where a right one was found (AUROC)."""
    maps = _maps(seen)
    shown = [each for each in seen if any(each.relevant) and len(each.signals) > 1]
    wrong = [not each.relevant[0] for each in shown]
    scores = [maps[each.part].relevances(each.signals, each.found) for each in shown]
    measures = {
        "1 − first score": [1 - each[0] for each in scores],
        "second score / first": [each[1] / each[0] for each in scores],
        "distance of the first two, best passages": [each.ambiguity for each in shown],
        "distance of the first two, fused": [each.signals[1].score - each.signals[0].score for each in shown],
        "distance of first and 15th, fused": [each.signals[-1].score - each.signals[0].score for each in shown],
    }
    return {name: auroc(values, wrong) for name, values in measures.items()}


def _maps(seen: Sequence[Seen]) -> dict[str, RelevanceMap]:
    """The maps by part, each fitted on the other parts."""
    parts = sorted({each.part for each in seen})
    return {part: fitted([each for each in seen if each.part != part] or seen) for part in parts}


def _first(values: Sequence[tuple[Seen, Sequence[float]]], size: int) -> tuple[float, float]:
    right = [scores[0] for each, scores in values if each.size == size and each.relevant[0]]
    wrong = [scores[0] for each, scores in values if each.size == size and not any(each.relevant)]
    return float(np.mean(right)), float(np.mean(wrong))


def _restricted(documents: DocumentSet, base: set[str]) -> DocumentSet:
    return replace(
        documents,
        cards={name: card for name, card in documents.cards.items() if name in base},
        passages={name: found for name, found in documents.passages.items() if name in base},
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.fitting.document_scores", description=__doc__)
    parser.add_argument("folder", metavar="DIR", type=Path)
    options = parser.parse_args()
    try:
        documents = load_documents(options.folder)
        with local_embedder(lambda line: print(line, file=sys.stderr)) as embedder:
            seen = observe(documents, embedder)
    except CicadaError as error:
        raise SystemExit(str(error)) from error
    print(fitted(seen))
    for row in (*normalisations(seen), *ambiguities(seen).items()):
        print(*row)


def observe(documents: DocumentSet, embedder: Embedder) -> list[Seen]:
    """The routings in bases of all sizes, the same ones each time."""
    return Bases(documents, embedder, Random(7)).seen()  # noqa: S311 - a draw for a measurement


if __name__ == "__main__":
    main()
