"""Fitting the quality of the evidence on retrieval sets whose answers are taken away."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cicada.documents.model import PassageFilter
from cicada.retrieval.model import IndexQuery
from cicada.retrieval.quality import STANDARDS
from evals.retrieval.dataset import load_dataset
from evals.retrieval.pipeline import CORPUS_BASE, Pipeline, retriever
from tests.evals.retrieval_set import LetterEncoder, write_set
from tools.fitting.evidence_quality import Fit, Observed, Without, documents_of, fit, observe, report

SIGNALS = len(STANDARDS)


def observed(answerable: float = 1.0, other: float = -1.0) -> Observed:
    """Twenty questions of each kind, around these values in every signal."""
    draw = np.random.default_rng(1)

    def rows(middle: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        return middle + draw.normal(0, 1, (20, SIGNALS))

    return Observed(rows(answerable), rows(other), rows(3 * other))


def chances(fitted: Fit, one: Observed) -> list[float]:
    """The mean probability of each kind."""
    return [
        float(np.mean(1 / (1 + np.exp(-(fitted.constant + fitted.slope * fitted.points(rows))))))
        for rows in (one.own, one.removed, one.foreign)
    ]


def test_the_fit_tells_answerable_questions_from_the_others() -> None:
    one = observed()
    own, removed, foreign = chances(fit([one]), one)
    assert own > 0.8 > removed > foreign


def test_signals_that_say_nothing_leave_the_assumed_share_of_answerable_questions() -> None:
    one = observed(0.0, 0.0)
    assert chances(fit([one]), one) == pytest.approx([0.75] * 3, abs=0.1)


def test_a_missing_signal_has_no_points() -> None:
    fitted = Fit(np.zeros(SIGNALS), np.ones(SIGNALS), 0.0, 1.0)
    signals = np.full((1, SIGNALS), np.nan)
    assert fitted.points(signals).tolist() == [0.0]
    signals[0, 0] = 9.0
    assert fitted.points(signals).tolist() == [2.0 * STANDARDS.relevance.weight]


def test_passages_out_of_reach_are_not_found_and_others_take_their_place(tmp_path: Path) -> None:
    dataset = load_dataset(write_set(tmp_path / "plays"))
    with retriever(dataset, LetterEncoder(), Pipeline()) as search:
        (ids, *_) = documents_of(dataset)
        reachable = Without(search.index, ids)
        assert ids == frozenset({"00000000"})
        asked = IndexQuery(PassageFilter(CORPUS_BASE), "queen", LetterEncoder().embed_query("queen"), 3)
        assert "00000000" in {hit.passage.passage_id for hit in search.index.search(asked).lexical}
        found = reachable.search(asked)
        assert "00000000" not in {hit.passage.passage_id for hit in (*found.lexical, *found.semantic)}
        assert len(found.semantic) == 3


def test_the_passages_of_a_document_go_together(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "plays")
    rows = [f'{{"_id": "d_{number}", "title": "T", "text": "queen {number}"}}' for number in range(3)]
    (folder / "corpus.jsonl").write_text("\n".join([*rows, '{"_id": "e_0", "title": "U", "text": "dagger"}']))
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td_1\t1\nq2\te_0\t1\nq2\td_0\t0\n")
    assert list(documents_of(load_dataset(folder))) == [
        frozenset({"00000000", "00000001", "00000002"}),
        frozenset({"00000003"}),
    ]


def test_each_set_is_observed_with_its_own_and_with_other_sets_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset, other = (load_dataset(write_set(tmp_path / name)) for name in ("plays", "others"))
    with retriever(dataset, LetterEncoder(), Pipeline()) as search:
        one = observe(dataset, [other], search)
    assert [rows.shape for rows in (one.own, one.removed, one.foreign)] == [(3, SIGNALS)] * 3
    assert one.own[0, 3] > one.removed[0, 3]
    report({"plays": observed(), "others": observed()})
    printed = capsys.readouterr().out
    assert "CONSTANT, SLOPE = " in printed
    assert "concentration  mean" in printed
