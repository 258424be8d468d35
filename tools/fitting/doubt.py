"""`python -m tools.fitting.doubt DIR DIR…`: fits when a ranking is unsure enough to ask a paid reranker.

Each set is measured with usual values and a threshold of the others. The last lines are the fit on all sets, as
`cicada/retrieval/rerank/conditional.py` has it.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cicada.errors import CicadaError
from cicada.knowledge_bases.calibrations import Standard
from cicada.retrieval.rerank.conditional import STANDARDS, Signals, Standards, doubt, signals
from evals.retrieval.dataset import load_dataset
from evals.retrieval.embedding import local_embedder
from evals.retrieval.measures import scores_of
from evals.retrieval.pipeline import Pipeline, rankings_of, retriever, search_all
from evals.retrieval.report import FINAL
from evals.retrieval.second_opinion import gains_of

# The share of the questions that may be asked.
ASKED = 0.35

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Observed:
    """The signals of a set's rankings, and what a perfect order of their candidates would gain."""

    name: str
    found: list[Signals]
    gains: Floats


def observe(folder: Path) -> Observed:
    dataset = load_dataset(folder)
    with local_embedder(print) as embedder, retriever(dataset, embedder, Pipeline()) as search:
        retrievals = search_all(dataset, search)
    rankings = rankings_of(dataset, retrievals)
    gains = gains_of(rankings["fused"], scores_of(rankings[FINAL], dataset.judgements), dataset.judgements)
    found = [signals(retrievals[query].candidates, retrievals[query].ranked) for query in gains]
    return Observed(dataset.name, found, np.array(list(gains.values())))


def fit(sets: Sequence[Observed]) -> tuple[Standards, float]:
    """The standards, and the doubt that `ASKED` of the rankings exceed; every set has the same weight."""
    weights = np.concatenate([np.full(len(one.found), 1 / len(one.found) / len(sets)) for one in sets])
    fitted = Standards(
        *(_standard([each[column] for one in sets for each in one.found], weights) for column in range(len(STANDARDS)))
    )
    doubts = np.array([doubt(each, fitted) for one in sets for each in one.found])
    order = np.argsort(-doubts)
    return fitted, float(doubts[order][np.searchsorted(np.cumsum(weights[order]), ASKED)])


def _standard(values: Sequence[float | None], weights: Floats) -> Standard:
    known = np.array([value is not None for value in values])
    x = np.array([value for value in values if value is not None])
    share = weights[known] / weights[known].sum()
    mean = float(share @ x)
    return Standard(mean, float(np.sqrt(share @ (x - mean) ** 2)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    sets = [observe(folder) for folder in parser.parse_args().folders]
    for left_out in sets:
        standards, threshold = fit([one for one in sets if one is not left_out] or sets)
        doubts = np.array([doubt(each, standards) for each in left_out.found])
        print(left_out.name, *_line(left_out.gains, doubts, doubts > threshold))
    standards, threshold = fit(sets)
    print(*standards, f"threshold {threshold:.2f}", sep="\n")
    return 0


def _line(gains: Floats, doubts: Floats, asked: NDArray[np.bool_]) -> list[str]:
    """Shares of the gain: at the threshold, and of the least sure questions by how many are asked."""
    line = [f"asked {asked.mean():.2f}, of the gain {gains[asked].sum() / gains.sum():.2f}; least sure"]
    for share in (0.1, 0.2, ASKED, 0.5, 0.65, 0.8):
        count = round(share * len(gains))
        held, most = (gains[np.argsort(-by, kind="stable")[:count]].sum() / gains.sum() for by in (doubts, gains))
        line.append(f"{share:.2f}: {held:.2f} of at most {most:.2f}")
    return line


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CicadaError as error:
        sys.exit(str(error))
