"""What the local reranker's weights and depth gain, and how much of it remains on a set that they were not chosen
on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cicada.retrieval.model import Candidate, EncodedQuery, Vector
from cicada.retrieval.rerank.local import LocalReranker, multivector_matches
from cicada.retrieval.rerank.multivector import Kind
from cicada.retrieval.rerank.scores import (
    FEEDBACK_WEIGHT,
    MATCH_WEIGHTS,
    Matches,
    retriever_scores,
    with_feedback,
    with_matches,
)
from cicada.retrieval.strategies.hybrid import encode_query
from evals.figures.cells import mean, score
from evals.figures.record import Table
from evals.figures.sets import TUNED_ON, Sets
from evals.retrieval.measures import scores_of
from evals.retrieval.pipeline import CORPUS_BASE, Pipeline

MATCH_GRID = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
FEEDBACK_GRID = (0.0, 0.5, 1.0, 1.5, 2.0)
DEPTHS = (30, 50, 100, 200)
SHIPPED = (MATCH_WEIGHTS[Kind.TOKENS], FEEDBACK_WEIGHT)

# Weights of the soft token match and of feedback.
Weights = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Parts:
    """The components of the scores of one query's candidates."""

    query: EncodedQuery
    candidates: Sequence[Candidate]
    hits: Sequence[float]
    matches: Matches | None
    vectors: Sequence[Vector | None]

    def order(self, weights: Weights) -> list[Candidate]:
        matched = with_matches(self.hits, self.matches, {Kind.TOKENS: weights[0]})
        scores = with_feedback(matched, self.query.vector, self.vectors, weights[1])
        positions = sorted(range(len(scores)), key=lambda position: -scores[position])
        return [*(self.candidates[position] for position in positions), *self.candidates[len(scores) :]]


def leave_one_out(sets: Sets) -> Table:
    """The weights that are best on the mean of two sets, tested on the third."""
    grid = {name: _grid(sets, name) for name in TUNED_ON}
    chosen = {name: _best([grid[each] for each in TUNED_ON if each != name]) for name in TUNED_ON}
    names = [*TUNED_ON, "mean"]
    rows = [
        ["weights chosen on the other two", *(f"{chosen[name][0]:g}, {chosen[name][1]:g}" for name in TUNED_ON), ""],
        ["nDCG@10 with these", *_with_mean([grid[name][chosen[name]] for name in TUNED_ON])],
        [f"nDCG@10 with {SHIPPED[0]:g}, {SHIPPED[1]:g} (shipped)", *_with_mean([grid[n][SHIPPED] for n in TUNED_ON])],
        ["lowest and highest with both parts", *("" for _ in TUNED_ON), _range(grid)],
    ]
    return Table(["soft token match, feedback", *names], rows, sets.samples(*TUNED_ON))


def depths(sets: Sets) -> Table:
    found = [[_ndcg(sets, name, depth) for name in TUNED_ON] for depth in DEPTHS]
    rows = [[str(depth), *_with_mean(values)] for depth, values in zip(DEPTHS, found, strict=True)]
    return Table(["passages reranked", *TUNED_ON, "mean nDCG@10"], rows, sets.samples(*TUNED_ON))


def _ndcg(sets: Sets, name: str, depth: int) -> float:
    return mean(list(sets.scores(name, Pipeline(depth=depth))["reranked"]["ndcg@10"].values()))


def _grid(sets: Sets, name: str) -> Mapping[Weights, float]:
    dataset = sets.dataset(name)
    ids = [row.id for row in dataset.rows]
    parts = _parts(sets, name)
    found = {}
    for weights in ((match, feedback) for match in MATCH_GRID for feedback in FEEDBACK_GRID):
        rankings = {
            query: [ids[int(candidate.passage.passage_id)] for candidate in each.order(weights)[:100]]
            for query, each in parts.items()
        }
        found[weights] = mean(list(scores_of(rankings, dataset.judgements)["ndcg@10"].values()))
    return found


def _parts(sets: Sets, name: str) -> dict[str, Parts]:
    with sets.searching(name) as search:
        depth = LocalReranker(search.index).depth
        found = {}
        for query in sets.dataset(name).queries:
            candidates = sets.retrievals(name)[query.id].candidates
            stored = search.index.vectors_of(CORPUS_BASE, [each.passage.passage_id for each in candidates[:depth]])
            vectors = [stored.get(each.passage.passage_id) for each in candidates[:depth]]
            encoded = encode_query(search.embedder, query.text)
            found[query.id] = Parts(
                encoded,
                candidates,
                retriever_scores(candidates)[:depth],
                multivector_matches(encoded, vectors),
                [each.vector if each else None for each in vectors],
            )
    return found


def _best(grids: Sequence[Mapping[Weights, float]]) -> Weights:
    return max(grids[0], key=lambda weights: mean([grid[weights] for grid in grids]))


def _with_mean(values: Sequence[float]) -> list[str]:
    return [*map(score, values), score(mean(values))]


def _range(grid: Mapping[str, Mapping[Weights, float]]) -> str:
    both = [(match, feedback) for match in MATCH_GRID[1:] for feedback in FEEDBACK_GRID[1:]]
    means = [mean([grid[name][weights] for name in TUNED_ON]) for weights in both]
    return f"{score(min(means))} – {score(max(means))}"
