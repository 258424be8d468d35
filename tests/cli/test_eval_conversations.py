"""`cicada eval conversations`, run as a person or a script runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.retrieval import conversations
from tests.cli.conftest import Shell
from tests.evals.retrieval_set import QUERIES, write_set

TURNS = {
    "q1": ["Is the queen dead?"],
    "q2": ["Who sees a dagger?", "Why?"],
    "q3": ["Is the queen dead?", "Was Banquo murdered?"],
}


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing that an earlier run has embedded; one test runs the encoder."""
    monkeypatch.setattr(conversations, "CACHE", tmp_path / "cache")


def test_the_rules_are_measured_between_last_turns_and_rewrites(tmp_path: Path, shell: Shell) -> None:
    folder = _conversations(tmp_path, TURNS)
    assert shell("eval", "conversations", str(folder), "--json") == 0
    found = shell.json()
    assert all(set(found[name]) == {"ndcg@10", "mrr@10"} for name in ("last_turn", "ours", "rewritten"))
    assert (found["conversations"], found["follow_ups"]) == (3, 1)
    # Two of three questions stand alone; "Why?" finds its passage first only with the words of the turn before.
    assert found["last_turn"]["mrr@10"] < found["ours"]["mrr@10"] == found["rewritten"]["mrr@10"] == 1
    assert found["gap_closed"] == 1
    assert shell("eval", "conversations", str(folder)) == 0
    assert shell.out().endswith("gap closed (MRR@10): 1.00\n")


def test_where_the_rewrites_gain_nothing_there_is_no_gap(tmp_path: Path, shell: Shell) -> None:
    folder = _conversations(tmp_path, {key: [text] for key, text in QUERIES.items()})
    assert shell("eval", "conversations", str(folder), "--json") == 0
    assert shell.json()["gap_closed"] is None


@pytest.mark.parametrize(
    ("turns", "sentence"),
    [
        ({"q1": ["Is the queen dead?"]}, "conversations.jsonl has no conversation for the query 'q2'"),
        ({**TURNS, "q1": []}, "conversations.jsonl, line 1: 'turns'"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    tmp_path: Path, shell: Shell, turns: dict[str, list[str]], sentence: str
) -> None:
    assert shell("eval", "conversations", str(_conversations(tmp_path, turns))) == 1
    assert sentence in shell.err()


def _conversations(folder: Path, turns: dict[str, list[str]]) -> Path:
    written = write_set(folder / "plays")
    lines = [json.dumps({"_id": key, "turns": each}) for key, each in turns.items()]
    (written / "conversations.jsonl").write_text("\n".join(lines) + "\n")
    return written
