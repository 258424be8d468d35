"""Measuring the production search on a tiny set."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from cicada.documents.model import DocumentKey
from evals.lines import DatasetError
from evals.retrieval.comparison import load_run, paired_bootstrap, save_run
from evals.retrieval.dataset import Dataset, load_dataset
from evals.retrieval.measures import scores_of
from evals.retrieval.pipeline import CORPUS_BASE, Pipeline, retriever
from tests.evals.retrieval_set import LetterEncoder, write_set


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return load_dataset(write_set(tmp_path / "plays"))


def test_the_measures_are_those_of_the_literature() -> None:
    judgements = {"a": {"x": 2, "y": 1}, "b": {"x": 1}}
    rankings = {"a": ["n", "y", "x"], "b": [f"n{number}" for number in range(99)] + ["x"]}
    scores = scores_of(rankings, judgements)
    ideal = 2 + 1 / math.log2(3)
    assert scores["ndcg@10"]["a"] == pytest.approx((1 / math.log2(3) + 2 / math.log2(4)) / ideal)
    assert (scores["mrr@10"]["a"], scores["recall@100"]["a"]) == (0.5, 1.0)
    assert (scores["ndcg@10"]["b"], scores["mrr@10"]["b"], scores["recall@100"]["b"]) == (0.0, 0.0, 1.0)


def test_the_title_is_searched_as_ingest_has_it_searched(dataset: Dataset) -> None:
    encoder = LetterEncoder()
    with retriever(dataset, encoder, Pipeline()) as search:
        assert "Act 5\nThe queen, my lord, is dead." in encoder.texts
        (first, *_) = search.index.passages_of(DocumentKey(CORPUS_BASE, "corpus"))
    assert (first.title, first.context, first.text) == ("Act 5", "Act 5", "The queen, my lord, is dead.")


def test_a_difference_is_judged_query_by_query() -> None:
    run = {f"q{number}": 0.5 for number in range(100)}
    better = dict.fromkeys(run, 0.6)
    mixed = {query: value + (0.3 if number % 2 else -0.3) for number, (query, value) in enumerate(run.items())}
    sure = paired_bootstrap(better, run)
    assert [sure.mean, sure.low, sure.high] == pytest.approx([0.1] * 3)
    assert (sure.wins, sure.losses) == (100, 0)
    unsure = paired_bootstrap(mixed, run)
    assert unsure.low < 0 < unsure.high
    assert (unsure.wins, unsure.losses, unsure.ties) == (50, 50, 0)
    assert paired_bootstrap(run, run).ties == 100


def test_only_queries_of_both_runs_are_compared() -> None:
    assert paired_bootstrap({"a": 1.0, "b": 1.0}, {"b": 0.0, "c": 0.0}).wins == 1
    with pytest.raises(ValueError, match="share no query"):
        paired_bootstrap({"a": 1.0}, {"b": 1.0})


def test_a_run_that_was_saved_is_read_again(tmp_path: Path) -> None:
    scores = {"reranked": {"ndcg@10": {"q1": 0.5}}}
    save_run(tmp_path / "run.json", "plays", scores)
    assert load_run(tmp_path / "run.json").scores == scores
    with pytest.raises(DatasetError, match="holds no run"):
        load_run(write_set(tmp_path / "plays") / "qrels.tsv")
    with pytest.raises(DatasetError, match="cannot be saved"):
        save_run(tmp_path / "gone" / "run.json", "plays", scores)
