"""Scoring the check of sentences on judged texts."""

import gzip
import json
from pathlib import Path

import pytest

from evals.changed_claims import Claim, changed_claims
from evals.grounding import evaluate, load_claims, render, run
from evals.lines import DatasetError


def test_domains_are_scored_alone_and_together() -> None:
    rows = [
        (Claim("news-a", "", "", supported), score)
        for supported, score in ((True, 0.9), (False, 0.1), (True, 0.2), (False, 0.3))
    ]
    rows += [(Claim("news-b", "", "", True), 0.5), (Claim("talk", "", "", False), 0.4)]
    by_set = evaluate(rows)["by_set"]
    assert {name: score["auroc"] for name, score in by_set.items()} == {
        "news": pytest.approx(5 / 6),
        "news-a": 0.75,
        "news-b": None,
        "talk": None,
    }
    assert "0.833" in render(evaluate(rows))


def test_changed_sentences_of_the_samples_are_told_from_true_ones(tmp_path: Path) -> None:
    file = tmp_path / "claims.jsonl.gz"
    line = {"source": "It rains.", "text": "It rains.", "supported": True, "set": "weather", "more": 1}
    file.write_bytes(gzip.compress(json.dumps(line).encode()))
    samples = run(file)["by_set"]["samples"]
    assert samples["n"] > 4_000
    assert samples["auroc"] is not None and samples["auroc"] >= 0.93
    assert changed_claims() == changed_claims()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [("", "is empty"), ("{", "line 1"), ('{"source": "a", "text": "", "supported": true, "set": "s"}', "'text'")],
)
def test_a_file_that_cannot_be_read_is_refused_with_a_sentence(tmp_path: Path, content: str, sentence: str) -> None:
    file = tmp_path / "claims.jsonl"
    file.write_text(content, "utf-8")
    with pytest.raises(DatasetError, match=sentence):
        load_claims(file)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="does not exist"):
        load_claims(tmp_path / "none.jsonl")
