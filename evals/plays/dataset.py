"""The sample plays as a retrieval set: their passages as ingest makes them, and questions that a line of the plays
answers.

The questions were written for this project, by people who knew the plays and the search. No weight was chosen on them,
but questions by the author of a search are easier for it than other people's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel

from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage
from cicada.ingest.chunks import Chunking
from cicada.ingest.episodes import parse_episodes
from cicada.ingest.model import SourceFile, version_of
from cicada.ingest.script_parser import ScriptParser
from evals.retrieval.dataset import Dataset, Query, Row
from local.stage.settings import ROOT

PLAYS = "sample plays"
QUESTIONS = Path(__file__).with_name("questions.json")


class Question(BaseModel):
    """`expect`: words of lines that answer it, any of them."""

    play: str
    question: str
    expect: list[str]


class Questions(BaseModel):
    """The questions that the stand-in's weights were fitted on, and the held-out ones."""

    answerable: list[Question]
    unanswerable: list[str]
    held_out_answerable: list[Question]
    held_out_unanswerable: list[str]

    @property
    def all_answerable(self) -> list[Question]:
        return [*self.answerable, *self.held_out_answerable]

    @property
    def all_unanswerable(self) -> list[str]:
        return [*self.unanswerable, *self.held_out_unanswerable]


def load_questions() -> Questions:
    return Questions.model_validate_json(QUESTIONS.read_text("utf-8"))


def passages(play: str, chunking: Chunking) -> Sequence[Passage]:
    """The play's passages as ingest makes them."""
    episodes = parse_episodes((ROOT / "functions/ingest_document/episodes.toml").read_text("utf-8"))
    content = (ROOT / f"samples/{play}.json").read_bytes()
    key = DocumentKey(KnowledgeBaseKey("default", "scripts"), f"{play}.json")
    return (
        ScriptParser(episodes, chunking).parse(SourceFile(key, f"{play}.json", content, version_of(content))).passages
    )


def plays_dataset(chunking: Chunking | None = None) -> Dataset:
    """Both plays. A passage with an expected line is relevant; questions whose line is cut in two are left out."""
    found = {play: passages(play, chunking or Chunking()) for play in ("macbeth", "hamlet")}
    rows = {
        play: [Row.model_validate({"_id": each.passage_id, "title": each.context, "text": each.text}) for each in parts]
        for play, parts in found.items()
    }
    questions = {f"q{number}": each for number, each in enumerate(load_questions().all_answerable)}
    judgements = {key: _relevant(each, rows[each.play]) for key, each in questions.items()}
    return Dataset(
        PLAYS,
        tuple(row for each in rows.values() for row in each),
        tuple(
            Query.model_validate({"_id": key, "text": each.question})
            for key, each in questions.items()
            if judgements[key]
        ),
        {key: grades for key, grades in judgements.items() if grades},
    )


def _relevant(question: Question, rows: Sequence[Row]) -> Mapping[str, int]:
    return {row.id: 1 for row in rows if any(words in row.text for words in question.expect)}
