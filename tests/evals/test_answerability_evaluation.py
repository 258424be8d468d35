"""Measuring whether it is told what can be answered, on a tiny set."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from cicada.understanding.follow_ups import StandAlone
from cli.__main__ import main
from evals.answerability import run as evaluation
from evals.answerability.dataset import Label, load_labelled_turns
from evals.answerability.report import answerable_auroc, auroc, to_json
from evals.answerability.run import Scored
from evals.lines import DatasetError
from evals.retrieval import embedding
from evals.retrieval.standin import Standin
from tests.evals.retrieval_set import LetterEncoder, write_set

TASKS = [
    {"id": "1", "last_turn": "Is the queen dead?", "history": [], "label": "ANSWERABLE", "gold": ["queen"]},
    {"id": "2", "last_turn": "Who sees a dagger?", "label": "PARTIAL", "history": []},
    {"id": "3", "last_turn": "Quantum flux?", "history": [], "label": "UNANSWERABLE"},
    {
        "id": "4",
        "last_turn": "When was the movie made?",
        "history": [{"role": "user", "text": "Is the queen dead?"}, {"role": "agent", "text": "Yes."}],
        "label": "UNDERSPECIFIED",
    },
]


def write_turns(folder: Path, tasks: Sequence[object] = TASKS) -> Path:
    write_set(folder, gzipped=True)
    text = "".join(f"{json.dumps(task)}\n" for task in tasks)
    (folder / "tasks.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    return folder


LETTERS = LetterEncoder()


@pytest.fixture(autouse=True)
def _letters(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The encoder of these tests, and no cache of an earlier run."""
    monkeypatch.setattr(evaluation, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(Standin, "embedder", lambda self: LETTERS)
    monkeypatch.setattr(embedding.CachedEmbedder, "dimension", LETTERS.dimension)


def test_the_area_is_the_chance_that_a_positive_scores_higher_with_ties_half() -> None:
    assert auroc([0.9, 0.5], [0.5, 0.1]) == pytest.approx((1 + 1 + 0.5 + 1) / 4)
    assert auroc([0.1], [0.9]) == 0.0
    assert auroc([], [0.9]) is None
    assert auroc([0.9], []) is None


def test_partly_answerable_turns_count_as_answerable_and_underspecified_ones_for_neither() -> None:
    scored = [
        Scored(Label.ANSWERABLE, 0.9),
        Scored(Label.PARTIAL, 0.6),
        Scored(Label.UNANSWERABLE, 0.7),
        Scored(Label.UNDERSPECIFIED, 0.0),
    ]
    assert answerable_auroc(scored) == pytest.approx(1 / 2)
    assert json.loads(to_json(scored)) == {
        "auroc": 0.5,
        "n": 4,
        "labels": {"ANSWERABLE": 1, "PARTIAL": 1, "UNANSWERABLE": 1, "UNDERSPECIFIED": 1},
        "reliability": {
            "bins": [
                {"least": 0.6, "number": 1, "confidence": 0.6, "right": 1},
                {"least": 0.7, "number": 1, "confidence": 0.7, "right": 0},
                {"least": 0.9, "number": 1, "confidence": 0.9, "right": 1},
            ],
            "error": pytest.approx(0.375 * 0.4 + 0.25 * 0.7 + 0.375 * 0.1),
        },
    }


def test_the_command_scores_each_turn_by_the_production_search(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(write_turns(tmp_path / "turns"))
    assert main(["eval", "answerability", folder, "--json"]) == 0
    printed, progress = capsys.readouterr()
    found = json.loads(printed)
    assert (found["auroc"], found["n"]) == (1.0, 4)
    assert "4 passages, 4 turns" in progress
    # The earlier name of the command.
    assert main(["eval", "gate", folder]) == 0
    assert "UNANSWERABLE        1" in capsys.readouterr().out


def test_the_stand_alone_question_is_what_is_searched_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Sequence[str]] = []

    def stand_alone(messages: Sequence[str]) -> StandAlone:
        asked.append(messages)
        return StandAlone("Is the queen dead?")

    monkeypatch.setattr(evaluation, "stand_alone", stand_alone)
    scored = evaluation.run(write_turns(tmp_path / "turns"), lambda line: None)
    assert asked[3] == ["Is the queen dead?", "When was the movie made?"]
    assert {each.quality for each in scored} == {scored[0].quality}


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        ({"last_turn": "Who?", "label": "MAYBE"}, "line 1: 'label'"),
        ({"last_turn": "", "label": "PARTIAL"}, "line 1: 'last_turn'"),
    ],
)
def test_a_task_that_cannot_be_read_is_named(tmp_path: Path, task: object, sentence: str) -> None:
    with pytest.raises(DatasetError, match=sentence):
        load_labelled_turns(write_turns(tmp_path / "turns", [task]))


def test_a_folder_without_tasks_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"neither tasks\.jsonl nor"):
        load_labelled_turns(write_set(tmp_path / "turns"))
    with pytest.raises(DatasetError, match="There is no folder"):
        load_labelled_turns(tmp_path / "gone")
    with pytest.raises(DatasetError, match="is empty"):
        load_labelled_turns(write_turns(tmp_path / "turns", []))


def test_a_follow_up_is_asked_as_the_product_asks_it(tmp_path: Path) -> None:
    history = [{"role": "user", "text": "Who was Banquo?"}, {"role": "agent", "text": "A thane."}]
    follow_up = {"last_turn": "Who murdered him?", "history": history, "label": "ANSWERABLE"}
    first_turn = {**follow_up, "history": []}
    folder = write_turns(tmp_path / "turns", [follow_up, first_turn])
    resolved, alone = evaluation.run(folder, lambda line: None)
    assert resolved.quality != alone.quality
