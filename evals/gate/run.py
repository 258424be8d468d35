"""Scores the evidence for labelled last turns, by the production search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from cicada.documents.filter import PassageFilter
from cicada.retrieval.quality.score import evidence_quality
from cicada.retrieval.quality.underspecified import underspecified
from evals.gate.dataset import Label, LabelledTurns, Task, load_labelled_turns
from evals.retrieval.embedding import CACHE, local_embedder
from evals.retrieval.pipeline import CORPUS_BASE, Pipeline, retriever
from evals.retrieval.standin import Say

Standalone: TypeAlias = Callable[[Sequence[str]], str]
"""The user's messages, oldest first, to a question that asks what the last one asks without needing the others."""


@dataclass(frozen=True, slots=True)
class Scored:
    """`quality`: of the evidence. `underspecified`: how likely nobody can know what is asked. Both 0 to 1."""

    label: Label
    quality: float
    underspecified: float


def last_message(messages: Sequence[str]) -> str:
    """The last message as it is."""
    return messages[-1]


def run(folder: Path, say: Say, standalone: Standalone = last_message, cache: Path | None = None) -> list[Scored]:
    """One score for each task. Raises DatasetError, and `DependencyError`s of the encoder and the index."""
    turns = load_labelled_turns(folder)
    say(f"{turns.corpus.name}: {len(turns.corpus.rows):,} passages, {len(turns.tasks):,} turns")
    return _scored(turns, say, standalone, cache or CACHE)


def _scored(turns: LabelledTurns, say: Say, standalone: Standalone, cache: Path) -> list[Scored]:
    with local_embedder(say, cache) as embedder, retriever(turns.corpus, embedder, Pipeline()) as search:

        def score(task: Task) -> Scored:
            asked = [turn.text for turn in task.history if turn.role == "user"]
            question = standalone([*asked, task.last_turn])
            found = search.retrieve(question, PassageFilter(CORPUS_BASE))
            history = [turn.text for turn in task.history]
            return Scored(task.label, evidence_quality(question, found), underspecified(task.last_turn, history))

        return [score(task) for task in turns.tasks]
