"""Labelled last turns: `tasks.jsonl` (gzipped or not) beside a `corpus.jsonl` as in BEIR.

A task has `last_turn`, `history` (turns with `role` and `text`, oldest first) and `label`. Other fields are ignored; so
are gold passages, because a task without any would give its label away.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from evals.lines import DatasetError, problem_of, read_lines
from evals.retrieval.dataset import Dataset, Row, read_rows, set_file


class Label(StrEnum):
    """Whether the passages answer a turn: wholly, in part, not at all; or nobody can know what is asked."""

    ANSWERABLE = "ANSWERABLE"
    PARTIAL = "PARTIAL"
    UNANSWERABLE = "UNANSWERABLE"
    UNDERSPECIFIED = "UNDERSPECIFIED"

    @property
    def answerable(self) -> bool:
        """Wholly or in part."""
        return self in (Label.ANSWERABLE, Label.PARTIAL)


class Turn(BaseModel):
    role: str = "user"
    text: str


class Task(BaseModel):
    """The turns before the last one, oldest first, in `history`."""

    id: str = ""
    last_turn: str = Field(min_length=1)
    history: list[Turn] = []
    label: Label


@dataclass(frozen=True, slots=True)
class LabelledTurns:
    """`corpus` has no queries of its own."""

    corpus: Dataset
    tasks: Sequence[Task]


def load_labelled_turns(folder: Path) -> LabelledTurns:
    """Raises DatasetError, which says where and why."""
    if not folder.is_dir():
        raise DatasetError(f"There is no folder {folder}; give one with tasks.jsonl and corpus.jsonl.")
    rows = read_rows(set_file(folder, "corpus.jsonl"), Row)
    return LabelledTurns(Dataset(folder.resolve().name, tuple(rows), (), {}), _tasks(set_file(folder, "tasks.jsonl")))


def _tasks(path: Path) -> list[Task]:
    found = []
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            try:
                found.append(Task.model_validate_json(line))
            except ValidationError as error:
                where, what = problem_of(error)
                raise DatasetError(f"{path}, line {number}: '{where}': {what}.") from error
    if not found:
        raise DatasetError(f"{path} is empty.")
    return found
