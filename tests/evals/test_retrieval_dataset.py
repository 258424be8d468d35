"""Reading retrieval sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.lines import DatasetError
from evals.retrieval.dataset import load_dataset
from tests.evals.retrieval_set import CORPUS, write_set


@pytest.mark.parametrize("gzipped", [True, False])
@pytest.mark.parametrize("qrels", ["qrels.tsv", "qrels/test.tsv"])
def test_a_set_in_beir_layout_is_read(tmp_path: Path, gzipped: bool, qrels: str) -> None:
    dataset = load_dataset(write_set(tmp_path / "plays", gzipped, qrels))
    assert dataset.name == "plays"
    assert [row.id for row in dataset.rows] == list(CORPUS)
    assert dataset.rows[0].title == "Act 5"
    assert dataset.judgements == {"q1": {"queen": 2, "witches": 0}, "q2": {"dagger": 1}, "q3": {"banquo": 1}}


def test_other_queries_replace_the_folders_own(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "plays")
    (tmp_path / "other.jsonl").write_text(
        '{"_id": "q2", "text": "A dagger?"}\n\n{"_id": "q9", "text": "Nobody judged"}\n'
    )
    dataset = load_dataset(folder, tmp_path / "other.jsonl")
    assert [(query.id, query.text) for query in dataset.queries] == [("q2", "A dagger?")]
    assert list(dataset.judgements) == ["q2"]


def test_judgements_without_a_relevant_passage_of_the_corpus_are_left_out(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "plays")
    (folder / "qrels.tsv").write_text("q1\tgone\t1\nq2\tdagger\t0\nq3\tbanquo\t1\n")
    assert [query.id for query in load_dataset(folder).queries] == ["q3"]


def test_the_header_of_the_judgements_may_be_missing_and_quotes_are_text(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "plays")
    (folder / "queries.jsonl").write_text('{"_id": "\\"q", "text": "?"}\n')
    (folder / "qrels.tsv").write_text('"q\tqueen\t1\n')
    assert load_dataset(folder).judgements == {'"q': {"queen": 1}}


@pytest.mark.parametrize(
    ("file", "content", "sentence"),
    [
        ("corpus.jsonl", None, "has neither corpus.jsonl nor corpus.jsonl.gz"),
        ("queries.jsonl", None, "has neither queries.jsonl"),
        ("qrels.tsv", None, "without judgements nothing can be measured"),
        ("corpus.jsonl", "", "corpus.jsonl is empty"),
        ("corpus.jsonl", "?", "corpus.jsonl, line 1: the line"),
        ("corpus.jsonl", '{"_id": "a"}', "corpus.jsonl, line 1: 'text'"),
        ("queries.jsonl", '{"_id": "q", "text": "a"}\n{"_id": "q", "text": "b"}', "line 2: the _id 'q' is there twice"),
        ("queries.jsonl", '{"_id": "q9", "text": "a"}', "None of the queries of .* has a relevant passage"),
        ("qrels.tsv", "q1 queen 1", "line 1: write query-id, corpus-id and a whole score"),
        ("qrels.tsv", "q1\tqueen\tgood", "line 1: write"),
        ("qrels.tsv", "q1\tqueen\t0", "None of the queries"),
    ],
)
def test_what_is_wrong_with_a_set_is_said_in_a_sentence(
    tmp_path: Path, file: str, content: str | None, sentence: str
) -> None:
    folder = write_set(tmp_path / "plays")
    (folder / file).unlink()
    if content is not None:
        (folder / file).write_text(content)
    with pytest.raises(DatasetError, match=sentence):
        load_dataset(folder)


def test_a_missing_folder_and_broken_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="There is no folder"):
        load_dataset(tmp_path / "gone")
    folder = write_set(tmp_path / "plays")
    with pytest.raises(DatasetError, match="cannot be read"):
        load_dataset(folder, tmp_path / "gone.jsonl")
    (folder / "corpus.jsonl").unlink()
    (folder / "corpus.jsonl.gz").write_bytes(b"no gzip")
    with pytest.raises(DatasetError, match=r"corpus\.jsonl\.gz cannot be read"):
        load_dataset(folder)
