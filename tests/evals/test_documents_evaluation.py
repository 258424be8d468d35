"""Measuring the document router on a tiny set."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from cicada.documents.catalogue import CardSection, Related
from cicada_embedded.passage_index import SqlitePassageIndex
from evals.documents.dataset import load_documents
from evals.documents.index import indexed, passages_of
from evals.documents.routings import Routed, rankings_of, route_all
from evals.documents.run import MEASURES
from evals.retrieval.dataset import DatasetError
from evals.retrieval.measures import means, scores_of
from tests.evals.document_set import CARDS, write_documents
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


def routed(folder: Path) -> dict[str, Routed]:
    documents = load_documents(folder)
    with indexed(documents, LetterEncoder(), quiet) as index:
        return route_all(documents, index, LetterEncoder(), quiet)


def test_a_set_is_read(folder: Path) -> None:
    documents = load_documents(folder)
    assert documents.documents == ("travel", "expenses", "leave", "visitors")
    card = documents.cards["travel"]
    assert (card.title, card.topic_tags, card.related) == (
        "Travel policy", ("flights", "hotels"), (Related("expenses", 0.5),),
    )  # fmt: skip
    assert card.sections == (CardSection("Booking a flight", 0, 0), CardSection("Hotels", 1, 1))
    assert [each.id for each in documents.passages["travel"]] == ["t1", "t2"]
    assert documents.judgements == {"q1": {"travel": 1}, "q2": {"leave": 1}, "q3": {"visitors": 1}}
    assert [each.id for each in documents.queries] == ["q1", "q2", "q3"]


def test_files_may_be_gzipped_and_passages_missing(folder: Path) -> None:
    (folder / "passages.jsonl").unlink()
    for name in ("cards", "queries"):
        text = (folder / f"{name}.jsonl").read_bytes()
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(text))
        (folder / f"{name}.jsonl").unlink()
    documents = load_documents(folder)
    assert (len(documents.cards), documents.passage_count) == (len(CARDS), 0)
    assert sorted(documents.judgements) == ["q1", "q2"]


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


def test_every_signal_is_ranked_alone_and_all_together(folder: Path) -> None:
    rankings = rankings_of(routed(folder))
    assert set(rankings) == {
        "card_words", "card_vector", "card", "concepts", "passage_words", "passage_vector", "passages", "feedback",
        "seed", "cards", "fused",
    }  # fmt: skip
    assert [rankings["fused"][query][0] for query in ("q1", "q3")] == ["travel", "visitors"]
    assert [rankings["cards"][query][0] for query in ("q1", "q2")] == ["travel", "leave"]
    assert "leave" in rankings["fused"]["q2"]
    assert rankings["card_words"]["q2"] == ["leave"]
    assert rankings["card_words"]["q3"] == []
    assert rankings["seed"]["q1"][0] == "travel"
    assert "visitors" not in rankings["cards"]["q3"]


def test_a_set_without_passages_is_routed_by_cards(tmp_path: Path) -> None:
    found = rankings_of(routed(write_documents(tmp_path / "cards", passages=False)))
    assert not found.keys() & {"passage_words", "visitors"}
    assert (found["fused"]["q1"][0], found["fused"]["q2"][0]) == ("travel", "leave")


def test_recall_is_the_share_of_right_documents_among_the_first() -> None:
    ranking = [f"n{number}" for number in range(10)] + ["x"] + [f"m{number}" for number in range(30)] + ["y"]
    found = means(scores_of({"a": ranking, "b": []}, {"a": {"x": 1, "y": 1}, "b": {"x": 1}}, MEASURES))
    assert found == {"recall@5": 0.0, "recall@15": 0.25, "recall@50": 0.5, "mrr": pytest.approx(1 / 22)}
