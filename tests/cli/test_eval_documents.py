"""`cicada eval documents`, run as a person or a script runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.documents import run
from tests.cli.conftest import Shell
from tests.evals.document_set import write_documents


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing that an earlier run has embedded; one test runs the encoder."""
    monkeypatch.setattr(run, "CACHE", tmp_path / "cache")


def test_each_signal_and_the_router_are_measured(tmp_path: Path, shell: Shell) -> None:
    folder = write_documents(tmp_path / "store")
    assert shell("eval", "documents", str(folder), "--ablation", "--json") == 0
    shown = shell.read()
    found = json.loads(shown.out)
    measures = {"recall@5", "recall@15", "recall@50", "mrr"}
    assert {name: found[name] for name in measures} == found["signals"]["fused"]
    assert (found["recall@5"], found["signals"]["cards"]["mrr"]) == (1.0, pytest.approx(2 / 3))
    assert (found["n"], found["cards"], found["passages"]) == (3, 3, 4)
    assert found["ms_per_query"] > 0 and found["search_ms_per_query"] > 0
    assert found["signals"]["card_words"]["recall@5"] == pytest.approx(2 / 3)
    assert set(found["without"]) == {"passage_words", "passage_vector", "feedback", "card"}
    assert "3 cards, 4 passages, 3 queries" in shown.err
    assert shell("eval", "documents", str(folder)) == 0
    lines = shell.lines()
    assert lines[2].split() == ["recall@5", "recall@15", "recall@50", "mrr"]
    assert any(line.split()[:2] == ["fused", "1.0000"] for line in lines)
    assert shell("eval", "documents", str(tmp_path / "gone")) == 1
    assert "There is no folder" in shell.err()
