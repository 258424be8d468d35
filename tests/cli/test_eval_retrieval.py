"""`cicada eval retrieval`, run as a person or a script runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from evals.retrieval import run
from tests.cli.conftest import Shell
from tests.evals.retrieval_set import write_set

MEASURES = {"ndcg@10", "recall@100", "mrr@10"}


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing that an earlier run has embedded; one test runs the encoder."""
    monkeypatch.setattr(run, "CACHE", tmp_path / "cache")


def test_a_set_is_measured_beside_the_peers_and_against_a_stored_run(tmp_path: Path, shell: Shell) -> None:
    folder, stored = str(write_set(tmp_path / "plays", gzipped=True)), str(tmp_path / "run.json")
    assert shell("eval", "retrieval", folder, "--save", stored) == 0
    table, progress = shell.read()
    assert table.startswith("plays: 4 passages, 3 queries\n")
    assert re.search(r"^always +1\.00 +1\.00 +1\.00 +\$1\.00 +\$2\.00$", table, re.MULTILINE)
    assert "4 of 4 passages embedded" in progress
    command = ["eval", "retrieval", folder, "--json", "--peers", "--against", stored, "--plot", str(tmp_path / "p.svg")]
    assert shell(*command) == 0
    printed, progress = shell.read()
    found = json.loads(printed)
    assert "embedded" not in progress
    assert found.keys() >= MEASURES
    assert {name: set(each) for name, each in found["lanes"].items()} == dict.fromkeys(
        ["bm25", "knn", "fused", "reranked"], MEASURES
    )
    assert found["ndcg@10"] == found["lanes"]["reranked"]["ndcg@10"] > 0.9
    assert found["second_opinion"].keys() == {"asked", "gain", "held", "most", "dollars"}
    assert set(found["peers"]) == {"bm25s", "minilm", "rrf", "minmax"}
    assert found["differences"][stored]["ties"] == 3
    assert (tmp_path / "p.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["gone"], "There is no folder"),
        (["plays", "--queries", "gone.jsonl"], "gone.jsonl cannot be read"),
        (["plays", "--against", "gone.json"], "holds no run"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shell: Shell,
    arguments: list[str],
    sentence: str,
) -> None:
    write_set(tmp_path / "plays")
    monkeypatch.chdir(tmp_path)
    assert shell("eval", "retrieval", *arguments) == 1
    printed, said = shell.read()
    assert printed == ""
    assert sentence in said
