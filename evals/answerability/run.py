"""Scores the evidence for labelled last turns, by the production search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from cicada.documents.model import PassageFilter
from cicada.retrieval.ports import Embedder
from cicada.retrieval.quality import evidence_quality
from cicada.retrieval.strategies.hybrid import HybridSearch
from cicada.understanding.follow_ups import stand_alone
from evals.answerability.dataset import Label, LabelledTurns, Task, load_labelled_turns
from evals.retrieval.embedding import CACHE, local_embedder
from evals.retrieval.pipeline import CORPUS_BASE, Pipeline, retriever
from evals.retrieval.standin import Say

Standalone: TypeAlias = Callable[[Sequence[str]], str]
"""The user's messages, oldest first, to a question that asks what the last one asks without needing the others."""


@dataclass(frozen=True, slots=True)
class Scored:
    """`quality`: of the evidence, 0 to 1."""

    label: Label
    quality: float


def resolved(messages: Sequence[str]) -> str:
    """The last message as the product searches for it, with what it leaves out carried over."""
    return stand_alone(messages).query


def run(folder: Path, say: Say, standalone: Standalone = resolved, cache: Path | None = None) -> list[Scored]:
    """One score for each task. Raises DatasetError, and `DependencyError`s of the encoder and the index."""
    turns = load_labelled_turns(folder)
    say(f"{turns.corpus.name}: {len(turns.corpus.rows):,} passages, {len(turns.tasks):,} turns")
    with local_embedder(say, cache or CACHE) as embedder:
        return score_turns(turns, embedder, standalone)


def score_turns(turns: LabelledTurns, embedder: Embedder, standalone: Standalone = resolved) -> list[Scored]:
    """The scores of all tasks, in their order."""
    with retriever(turns.corpus, embedder, Pipeline()) as search:
        return [_scored(task, search, standalone) for task in turns.tasks]


def _scored(task: Task, search: HybridSearch, standalone: Standalone) -> Scored:
    asked = [turn.text for turn in task.history if turn.role == "user"]
    question = standalone([*asked, task.last_turn])
    found = search.retrieve(question, PassageFilter(CORPUS_BASE))
    return Scored(task.label, evidence_quality(question, found))
