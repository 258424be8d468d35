"""How much of the gain of a perfect rewrite the rules for follow-ups reach, on conversations in BEIR layout."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from cicada.understanding.follow_ups import stand_alone
from evals.retrieval.dataset import Dataset, Query, load_conversations, load_dataset
from evals.retrieval.embedding import CACHE, local_embedder
from evals.retrieval.measures import Scores, means, scores_of
from evals.retrieval.pipeline import Pipeline, rankings_of, retriever, search_all
from evals.retrieval.report import FINAL
from evals.retrieval.standin import Say
from evals.table import table

MEASURES = ("ndcg@10", "mrr@10")


@dataclass(frozen=True, slots=True)
class Report:
    """Scores of the last turns, of what the resolution makes of them, and of the perfect rewrites.

    `follow_ups`: of how many conversations something was carried over.
    """

    dataset: str
    passages: int
    conversations: int
    follow_ups: int
    last_turn: Scores
    ours: Scores
    rewritten: Scores

    @property
    def gap_closed(self) -> float | None:
        """The share of the distance in MRR@10 from last turn to rewrite; None if the rewrite gains nothing."""
        last, ours, rewritten = (means(each)["mrr@10"] for each in (self.last_turn, self.ours, self.rewritten))
        return (ours - last) / (rewritten - last) if rewritten > last else None


def run(folder: Path, say: Say) -> Report:
    """Search the folder's corpus for each form of the questions. Raises DatasetError and `DependencyError`s."""
    dataset = load_dataset(folder)
    conversations = load_conversations(folder, dataset)
    say(f"{dataset.name}: {len(dataset.rows):,} passages, {len(conversations):,} conversations")
    ours = {each.id: stand_alone(each.turns) for each in conversations}
    forms = {
        "last_turn": {each.id: each.turns[-1] for each in conversations},
        "ours": {key: found.query for key, found in ours.items()},
        "rewritten": {query.id: query.text for query in dataset.queries},
    }
    scores = _scores(dataset, forms, say)
    follow_ups = sum(bool(each.carried) for each in ours.values())
    return Report(dataset.name, len(dataset.rows), len(conversations), follow_ups, **scores)


def to_json(report: Report) -> str:
    """One object: the measures of each form of the questions, and `gap_closed`."""
    values: dict[str, object] = {name: _means(scores) for name, scores in _forms(report).items()}
    counts = {"conversations": report.conversations, "follow_ups": report.follow_ups, "passages": report.passages}
    return json.dumps({**values, "gap_closed": report.gap_closed, "dataset": report.dataset, **counts}, indent=2)


def render(report: Report) -> str:
    """The report as a plain text table."""
    rows = [[name, *(f"{value:.4f}" for value in _means(each).values())] for name, each in _forms(report).items()]
    gap = "the rewrites gain nothing" if report.gap_closed is None else f"{report.gap_closed:.2f}"
    lines = [
        f"{report.dataset}: {report.passages:,} passages, {report.conversations:,} conversations,"
        f" {report.follow_ups:,} of them resolved as follow-ups",
        "",
        *table(["", *MEASURES], rows),
        "",
        f"gap closed (MRR@10): {gap}",
    ]
    return "\n".join(lines)


def _scores(dataset: Dataset, forms: Mapping[str, Mapping[str, str]], say: Say) -> dict[str, Scores]:
    with local_embedder(say, CACHE) as embedder, retriever(dataset, embedder, Pipeline()) as search:
        return {
            name: scores_of(
                rankings_of(dataset, search_all(_asking(dataset, texts.items()), search))[FINAL], dataset.judgements
            )
            for name, texts in forms.items()
        }


def _asking(dataset: Dataset, texts: Iterable[tuple[str, str]]) -> Dataset:
    return replace(dataset, queries=tuple(Query.model_validate({"_id": key, "text": text}) for key, text in texts))


def _forms(report: Report) -> dict[str, Scores]:
    return {"last_turn": report.last_turn, "ours": report.ours, "rewritten": report.rewritten}


def _means(scores: Scores) -> dict[str, float]:
    return {name: value for name, value in means(scores).items() if name in MEASURES}
