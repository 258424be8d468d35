"""Measuring the document router on a tiny set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cicada_embedded.passage_index import SqlitePassageIndex
from evals.documents.dataset import load_documents
from evals.documents.index import indexed, passages_of
from evals.documents.run import MEASURES
from evals.lines import DatasetError
from evals.retrieval.measures import means, scores_of
from tests.evals.document_set import write_documents
from tests.evals.retrieval_set import LetterEncoder


def quiet(line: str) -> None:
    """Progress that nobody reads."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_documents(tmp_path / "store")


@pytest.fixture
def index(folder: Path) -> Iterator[SqlitePassageIndex]:
    with indexed(load_documents(folder), LetterEncoder(), quiet) as index:
        yield index


@pytest.mark.parametrize(
    ("file", "content", "sentence"),
    [
        ("cards.jsonl", None, "has neither cards.jsonl nor cards.jsonl.gz"),
        ("queries.jsonl", None, "has neither queries.jsonl"),
        ("qrels.tsv", None, "without judgements nothing can be measured"),
        ("cards.jsonl", '{"doc_id": "a", "title": "A"}\n\n?\n', "cards.jsonl, line 3: the line"),
        ("cards.jsonl", '{"doc_id": "a"}\n', "cards.jsonl, line 1: 'title'"),
        ("cards.jsonl", '{"title": "A"}\n', "cards.jsonl, line 1: 'doc_id'"),
        ("cards.jsonl", '{"doc_id": "a", "title": "A"}\n{"doc_id": "a", "title": "B"}\n', "line 2: .* 'a' is there"),
        ("passages.jsonl", '{"_id": "p", "text": "A"}\n', "passages.jsonl, line 1: 'document_id'"),
        ("qrels.tsv", "q1\ttravel\n", "qrels.tsv, line 1: write query-id"),
        ("qrels.tsv", "q1\tgone\t1\n", "None of the queries of .* has a right document"),
    ],
)
def test_what_is_wrong_with_a_set_is_said_in_a_sentence(
    folder: Path, file: str, content: str | None, sentence: str
) -> None:
    (folder / file).unlink()
    if content is not None:
        (folder / file).write_text(content)
    with pytest.raises(DatasetError, match=sentence):
        load_documents(folder)


def test_passages_are_as_ingest_makes_them(folder: Path) -> None:
    documents = load_documents(folder)
    first, second = passages_of(documents, "travel")
    assert (first.title, first.context, first.text) == (
        "Travel policy", "Travel policy", "Flights are booked in economy class.",
    )  # fmt: skip
    assert second.text == "Hotels cost at most ninety euros."
    (paid,) = passages_of(documents, "expenses")
    assert paid.text == "are paid when receipts are there."
    (badge,) = passages_of(documents, "visitors")
    assert (badge.title, badge.text) == ("", "Every visitor wears a badge.")


def test_recall_is_the_share_of_right_documents_among_the_first() -> None:
    ranking = [f"n{number}" for number in range(10)] + ["x"] + [f"m{number}" for number in range(30)] + ["y"]
    found = means(scores_of({"a": ranking, "b": []}, {"a": {"x": 1, "y": 1}, "b": {"x": 1}}, MEASURES))
    assert found == {"recall@5": 0.0, "recall@15": 0.25, "recall@50": 0.5, "mrr": pytest.approx(1 / 22)}
