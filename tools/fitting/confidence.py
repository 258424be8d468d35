"""`python -m tools.fitting.confidence DIR DIR…`: fits the map from the local reranker's score to a relevance.

Each set is evaluated with a map fitted on the others. Queries of the other sets serve as questions that nothing in the
knowledge base answers. The last line is the map fitted on all sets, as `cicada/retrieval/rerank/local.py` has it.
"""

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cicada.documents.model import PassageFilter
from cicada.errors import CicadaError
from cicada.retrieval.rerank.local import LocalReranker, RelevanceMap, Signals
from cicada.retrieval.strategies.hybrid import HybridSearch, encode_query
from evals.retrieval.dataset import Dataset, load_dataset
from evals.retrieval.embedding import local_embedder
from evals.retrieval.pipeline import CORPUS_BASE, Pipeline, retriever

FOREIGN_QUERIES = 100
SHOWN = 15
THRESHOLDS = (0.05, 0.1, 0.15, 0.3, 0.5)
# Odds are doubled: judgements cover only some of the helpful passages, and a lost answer costs more than an extra
# passage.
LENIENCE = 2.0
# Keeps the map finite where one signal separates perfectly; otherwise too weak to matter.
RIDGE = 1e-5

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Observations:
    """The reranker's signals for one query's passages, in the final order. `relevant`: 1 or 0 for each."""

    signals: tuple[Signals, ...]
    relevant: Floats
    candidate_count: int


@dataclass(frozen=True, slots=True)
class SetObservations:
    """A set's own queries, and other sets' queries on its corpus."""

    own: list[Observations]
    foreign: list[Observations]


def observe(dataset: Dataset, others: Sequence[Dataset], search: HybridSearch) -> SetObservations:
    draw = np.random.default_rng(7)
    foreign = [
        other.queries[position].text
        for other in others
        for position in draw.permutation(len(other.queries))[:FOREIGN_QUERIES]
    ]
    ids = [row.id for row in dataset.rows]
    relevant = {key: {row for row, grade in grades.items() if grade > 0} for key, grades in dataset.judgements.items()}
    return SetObservations(
        [_observed(search, query.text, relevant[query.id], ids) for query in dataset.queries],
        [_observed(search, text, set(), ids) for text in foreign],
    )


def fit(sets: Sequence[SetObservations]) -> RelevanceMap:
    """Logistic regression by Newton's method; every set has the same weight.

    A set's foreign queries count half as much as its own.
    """
    parts = [(one.own, 1.0) for one in sets] + [(one.foreign, 0.5) for one in sets]
    rows = [(each, share / len(part) / len(each.relevant)) for part, share in parts for each in part]
    x = np.array([_row(signals) for each, _ in rows for signals in each.signals])
    relevant = np.concatenate([each.relevant for each, _ in rows])
    weights = np.concatenate([np.full(len(each.relevant), weight) for each, weight in rows])
    constant, score, cosine = _regression(x, relevant, weights / weights.sum()).tolist()
    typical = float(np.mean([np.mean([each.signals[0].score for each in one.own]) for one in sets]))
    return RelevanceMap(constant + math.log(LENIENCE), score, cosine, typical)


def shares_kept(observed: SetObservations, calibration: RelevanceMap, threshold: float) -> list[float]:
    """What a threshold does to the first 15 passages.

    The shares of relevant and other ones that are kept, of queries left with none, and of foreign ones left with some.
    """
    own = [(_relevances(each, calibration) >= threshold, each.relevant[:SHOWN]) for each in observed.own]
    foreign = [(_relevances(each, calibration) >= threshold).any() for each in observed.foreign]
    return [
        float(np.mean([(over * relevant).sum() for over, relevant in own])),
        float(np.mean([(over * (1 - relevant)).sum() for over, relevant in own])),
        float(np.mean([not over.any() for over, _ in own])),
        float(np.mean(foreign)) if foreign else 0.0,
    ]


def _regression(x: Floats, y: Floats, weights: Floats) -> Floats:
    """A constant signal gets weight 0."""
    used = np.append(True, x[:, 1:].std(axis=0) > 0)
    found, x = np.zeros(len(used)), x[:, used]
    penalty = RIDGE * np.diag([0.0] + [1.0] * (x.shape[1] - 1))
    for _ in range(30):
        chance = 1 / (1 + np.exp(-(x @ found[used])))
        gradient = x.T @ (weights * (chance - y)) + penalty @ found[used]
        found[used] -= np.linalg.solve((x.T * (weights * chance * (1 - chance))) @ x + penalty, gradient)
    return found


def _row(signals: Signals) -> tuple[float, ...]:
    return (1.0, signals.score, signals.cosine)


def _relevances(observed: Observations, calibration: RelevanceMap) -> Floats:
    return np.array(calibration.relevances(observed.signals, observed.candidate_count)[:SHOWN])


def _observed(search: HybridSearch, text: str, relevant: set[str], ids: Sequence[str]) -> Observations:
    reranker = search.reranker
    if not isinstance(reranker, LocalReranker):
        raise TypeError("Only the local reranker is calibrated here.")
    candidates = search.retrieve(text, PassageFilter(CORPUS_BASE)).candidates
    found = reranker.signals(encode_query(search.embedder, text), candidates)
    labels = [float(ids[int(each.passage.passage_id)] in relevant) for each, _ in found]
    return Observations(tuple(signals for _, signals in found), np.array(labels), len(candidates))


def report(observed: Mapping[str, SetObservations]) -> None:
    """Prints what each threshold keeps, and the map."""
    print(f"{'set':16}{'threshold':>10}{'relevant':>10}{'others':>10}{'empty':>10}{'foreign':>10}")
    for name, one in observed.items():
        calibration = fit([each for other, each in observed.items() if other != name] or [one])
        for threshold in (0.0, *THRESHOLDS):
            values = shares_kept(one, calibration, threshold)
            print(f"{name:16}{threshold:>10}" + "".join(f"{value:10.2f}" for value in values))
    print(f"all sets: {fit(list(observed.values()))}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.fitting.confidence", description=__doc__)
    parser.add_argument("folders", metavar="DIR", type=Path, nargs="+")
    options = parser.parse_args()
    try:
        sets = [load_dataset(folder) for folder in options.folders]
        observed = {}
        with local_embedder(lambda line: print(line, file=sys.stderr)) as embedder:
            for dataset in sets:
                with ExitStack() as opened:
                    search = opened.enter_context(retriever(dataset, embedder, Pipeline()))
                    observed[dataset.name] = observe(dataset, [each for each in sets if each is not dataset], search)
    except CicadaError as error:
        raise SystemExit(str(error)) from error
    report(observed)


if __name__ == "__main__":
    main()
