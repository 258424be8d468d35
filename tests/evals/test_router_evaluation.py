"""Scoring the classifier on labelled messages."""

from pathlib import Path

import pytest

from cicada.understanding.intent.model import load_model
from cicada.understanding.plan import Intent
from evals.lines import DatasetError
from evals.router import Judgement, evaluate_router, load_messages, render, run

S, P, T, G = Intent.SCRIPT_QUERY, Intent.PROFILE_REQUEST, Intent.THEORY_REQUEST, Intent.GENERAL

ROWS = [
    Judgement(S, S, "plain", 0.9),
    Judgement(S, S, "trap", 0.5),
    Judgement(S, T, "trap"),
    Judgement(T, T, "plain"),
    Judgement(G, S, None, 0.3),
]


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_the_report_scores_classes_slices_and_confident_decisions() -> None:
    report = evaluate_router(ROWS, 0.9)
    none = {"n": 0, "recall": 0, "precision": 0, "f1": 0}
    assert report["n"] == 5
    assert report["accuracy"] == pytest.approx(3 / 5)
    assert report["by_class"] == {
        "script_query": pytest.approx({"n": 3, "recall": 2 / 3, "precision": 2 / 3, "f1": 2 / 3}),
        "theory_request": pytest.approx({"n": 1, "recall": 1, "precision": 1 / 2, "f1": 2 / 3}),
        "general": none | {"n": 1},
        "profile_request": none,
    }
    assert report["by_slice"] == {"plain": {"n": 2, "accuracy": 1.0}, "trap": {"n": 2, "accuracy": 0.5}}
    assert report["confusion"]["script_query"] == {S: 2, P: 0, T: 1, G: 0}
    assert report["confident"] == {"coverage": 3 / 5, "accuracy": pytest.approx(2 / 3), "threshold": 0.9}


def test_without_messages_or_decisions_the_scores_are_zero() -> None:
    assert evaluate_router([], 0.9)["accuracy"] == 0
    assert evaluate_router(ROWS, 1.1)["confident"] == {"coverage": 0, "accuracy": 0, "threshold": 1.1}


def test_a_file_is_scored_with_the_packaged_model(tmp_path: Path) -> None:
    path = write(
        tmp_path / "messages.jsonl",
        '{"id": "1", "text": "list my profiles", "label": "profile_request", "slice": "canonical"}',
        "",
        '{"text": "good morning", "label": "script_query"}',
    )

    report = run(path)

    assert (report["n"], report["accuracy"]) == (2, 0.5)
    assert report["confusion"]["script_query"]["general"] == 1
    assert report["confident"]["threshold"] == load_model().threshold


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("not json", "line 2: the line: Invalid JSON"),
        ('{"text": "hi"}', "line 2: 'label': Field required"),
        ('{"text": "", "label": "general"}', "line 2: 'text': String should have at least 1 character"),
        ('{"text": "hi", "label": "smalltalk"}', "the label is one of script_query, profile_request"),
        ("[]", "line 2: the line: Input should be an object"),
    ],
)
def test_a_bad_line_is_reported_with_its_number(tmp_path: Path, line: str, advice: str) -> None:
    path = write(tmp_path / "messages.jsonl", '{"text": "hi", "label": "general"}', line)

    with pytest.raises(DatasetError) as caught:
        load_messages(path)

    assert advice in str(caught.value)


def test_a_file_without_messages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="holds no messages; write one JSON object"):
        load_messages(write(tmp_path / "empty.jsonl", "", " "))


def test_a_missing_file_is_reported_as_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"nowhere\.jsonl does not exist; give the path of a JSONL file"):
        load_messages(tmp_path / "nowhere.jsonl")


def test_the_text_report_holds_every_table() -> None:
    lines = render(evaluate_router(ROWS, 0.9)).splitlines()

    assert lines[0].startswith("5 messages, accuracy 0.600; decided without a model from 0.90 on: 0.600 of them")
    assert "script_query     3   0.667      0.667  0.667" in lines
    assert "trap   2     0.500" in lines
    assert lines[-1].split() == ["general", "1", "0", "0", "0"]
