"""One measurement from a folder to a report."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evals.lines import DatasetError
from evals.retrieval.comparison import Difference, load_run, paired_bootstrap, save_run
from evals.retrieval.dataset import Dataset, load_dataset
from evals.retrieval.embedding import CACHE, local_embedder
from evals.retrieval.measures import Scores, scores_of
from evals.retrieval.pipeline import Pipeline, rankings_of, retriever, search_all
from evals.retrieval.report import FINAL, Report
from evals.retrieval.second_opinion import SecondOpinion, second_opinion
from evals.retrieval.standin import Say


@dataclass(frozen=True, slots=True)
class Order:
    """What to measure. `save` and `against` are files of runs."""

    folder: Path
    queries: Path | None = None
    pipeline: Pipeline = field(default_factory=Pipeline)
    peers: bool = False
    save: Path | None = None
    against: Path | None = None


def run(order: Order, say: Say) -> Report:
    """Raises DatasetError, and `DependencyError`s of the encoder and the index."""
    dataset = load_dataset(order.folder, order.queries)
    stored = load_run(order.against) if order.against else None
    say(f"{dataset.name}: {len(dataset.rows):,} passages, {len(dataset.queries):,} queries")
    stages, opinion, peers = _measured(dataset, order, say)
    if order.save:
        save_run(order.save, dataset.name, {**stages, **peers})
    others = {str(order.against): stored.scores.get(FINAL, {})} if stored else {}
    differences = _differences(stages[FINAL], {**peers, **others})
    return Report(dataset.name, len(dataset.rows), len(dataset.queries), stages, opinion, peers, differences)


def _measured(dataset: Dataset, order: Order, say: Say) -> tuple[dict[str, Scores], SecondOpinion, dict[str, Scores]]:
    """Scores of the stages, the second opinion on the last one, and scores of the peers."""
    with local_embedder(say, CACHE) as embedder:
        with retriever(dataset, embedder, order.pipeline) as search:
            found = search_all(dataset, search)
        rankings = rankings_of(dataset, found)
        stages = {name: scores_of(each, dataset.judgements) for name, each in rankings.items()}
        opinion = second_opinion(found, rankings["fused"], stages[FINAL], dataset.judgements)
        if not order.peers:
            return stages, opinion, {}
        from evals.retrieval.peers import peer_rankings  # imported here: only a comparison needs bm25s

        peers = peer_rankings(dataset, embedder)
        return stages, opinion, {name: scores_of(each, dataset.judgements) for name, each in peers.items()}


def _differences(final: Scores, others: Mapping[str, Scores]) -> dict[str, Difference]:
    try:
        return {name: paired_bootstrap(final["ndcg@10"], each.get("ndcg@10", {})) for name, each in others.items()}
    except ValueError as error:
        raise DatasetError("The stored run shares no query with this one; it is of another set.") from error
