"""Scores the evidence for labelled last turns, by the production search."""

from dataclasses import dataclass
from pathlib import Path

from cicada.documents.model import PassageFilter
from cicada.retrieval.quality import evidence_quality
from cicada.retrieval.strategies.hybrid import HybridSearch
from cicada.understanding.follow_ups import stand_alone
from evals.answerability.dataset import Label, Task, load_labelled_turns
from evals.retrieval.embedding import CACHE, local_embedder
from evals.retrieval.pipeline import CORPUS_BASE, Pipeline, retriever
from evals.retrieval.standin import Say


@dataclass(frozen=True, slots=True)
class Scored:
    """`quality`: of the evidence, 0 to 1."""

    label: Label
    quality: float


def run(folder: Path, say: Say) -> list[Scored]:
    """One score for each task, in their order. Raises DatasetError, and `DependencyError`s of encoder and index."""
    turns = load_labelled_turns(folder)
    say(f"{turns.corpus.name}: {len(turns.corpus.rows):,} passages, {len(turns.tasks):,} turns")
    with local_embedder(say, CACHE) as embedder, retriever(turns.corpus, embedder, Pipeline()) as search:
        return [_scored(task, search) for task in turns.tasks]


def _scored(task: Task, search: HybridSearch) -> Scored:
    """The last message is searched for as the product does it, with what it leaves out carried over."""
    asked = [turn.text for turn in task.history if turn.role == "user"]
    question = stand_alone([*asked, task.last_turn]).query
    found = search.retrieve(question, PassageFilter(CORPUS_BASE))
    return Scored(task.label, evidence_quality(question, found))
