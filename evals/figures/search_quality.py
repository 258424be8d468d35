"""Retrieval quality: each stage of the search compared with the alternatives (peers)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evals.figures.cells import bold, mean, score, signed
from evals.figures.record import Table
from evals.figures.sets import LAST_TURN, TUNED_ON, Sets
from evals.plays.dataset import PLAYS
from evals.retrieval.comparison import Difference, paired_bootstrap
from evals.retrieval.measures import MEASURES, Scores, means, scores_of
from evals.retrieval.peers import peer_rankings
from evals.retrieval.pipeline import Pipeline

DEFAULT = "reranked (the local reranker)"
# Rows of the table: which stage of which pipeline.
_STAGES: Mapping[str, tuple[str, Pipeline]] = {
    "BM25": ("bm25", Pipeline()),
    "kNN": ("knn", Pipeline()),
    "fused, RRF": ("fused", Pipeline(fusion="rrf", depth=0)),
    "fused, z-scores": ("fused", Pipeline()),
    DEFAULT: ("reranked", Pipeline()),
}
_PEERS = {
    "bm25s": "bm25s, stemmed",
    "minilm": "MiniLM alone",
    "rrf": "RRF of these two",
    "minmax": "min-max .5/.5 of these two",
}


def quality(sets: Sets) -> Table:
    rows = [
        _row(name, [means(sets.scores(each, pipeline)[stage]) for each in TUNED_ON])
        for name, (stage, pipeline) in _STAGES.items()
    ]
    peers = {each: _peers(sets, each) for each in TUNED_ON}
    rows += [_row(name, [means(peers[each][key]) for each in TUNED_ON]) for key, name in _PEERS.items()]
    shown = [bold(row) if row[0] == DEFAULT else row for row in rows]
    return Table(["", *TUNED_ON, "mean nDCG@10"], shown, sets.samples(*TUNED_ON))


def differences(sets: Sets) -> Table:
    """The default against the best peer, min-max."""
    names = (*TUNED_ON, PLAYS, LAST_TURN)
    rows = [[_evidence(each), *_cells(_difference(sets, each))] for each in names]
    header = ["against min-max", "nDCG@10", "95 % interval", "better / worse / equal"]
    return Table(header, rows, sets.samples(*names))


def _peers(sets: Sets, name: str) -> Mapping[str, Scores]:
    dataset = sets.dataset(name)
    return {key: scores_of(each, dataset.judgements) for key, each in peer_rankings(dataset, sets.embedder).items()}


def _difference(sets: Sets, name: str) -> Difference:
    return paired_bootstrap(sets.scores(name)["reranked"]["ndcg@10"], _peers(sets, name)["minmax"]["ndcg@10"])


def _cells(found: Difference) -> list[str]:
    interval = f"{signed(found.low)} to {signed(found.high)}"
    return [signed(found.mean), interval, f"{found.wins} / {found.losses} / {found.ties}"]


def _evidence(name: str) -> str:
    if name in TUNED_ON:
        return f"{name} (tuned on)"
    return f"{name} (not tuned on; {'our own questions' if name == PLAYS else 'a tuned-on corpus'})"


def _row(name: str, found: Sequence[Mapping[str, float]]) -> list[str]:
    cells = [" / ".join(score(each[measure]) for measure in MEASURES) for each in found]
    return [name, *cells, score(mean([each["ndcg@10"] for each in found]))]
