"""The benchmark of cards: what it fills an index with, and how it sums its measurements up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cicada.documents.filter import PassageFilter
from cicada.retrieval.cards import card_texts
from cicada.retrieval.model import CardQuery
from cicada_embedded.passage_index import SqlitePassageIndex
from evals.retrieval_bench import cards
from evals.retrieval_bench.corpus import DIMENSION, Corpus
from evals.retrieval_bench.ours import BASE, MODEL

WORDS = [f"word{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(120)]
CORPUS = Corpus(
    [" ".join([f"first{chr(97 + at)}", *WORDS]) for at in range(4)],
    np.eye(4, DIMENSION, dtype=np.float32),
    [],
)


def test_a_card_has_the_words_of_its_document() -> None:
    card = cards.card_of(CORPUS, 2)
    assert set(" ".join(card_texts(card, "").values()).split()) == {"firstc", *WORDS}
    assert (len(card.topic_tags), len(card.question_hints), len(card.related)) == (8, 3, 8)


def test_copied_documents_are_found_as_those_that_were_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cards, "_COPIED", 4)
    bench = cards._embedded(tmp_path, CORPUS)
    for numbers in (range(3), range(3, 11)):
        bench.fill(numbers)
    bench.upsert(1)
    index = SqlitePassageIndex(tmp_path / "cards.sqlite", MODEL, DIMENSION)
    hits = index.find_cards(CardQuery(PassageFilter(BASE), "firstb", CORPUS.vectors[1].tolist()))
    assert {hit.row.document.document_id for hit in hits.lexical} == {"report-1", "report-5", "report-9"}
    assert {hit.row.document.document_id for hit in hits.semantic[:3]} == {"report-1", "report-5", "report-9"}
    everything = PassageFilter(BASE)
    assert (index.count_documents(everything), index.count(everything), len(hits.semantic)) == (11, 11, 11)
    assert index.passages_with(PassageFilter(BASE), ["firsta", "firstd"]) == {"firsta": 3, "firstd": 2}
    index.close()


def test_times_are_summed_up_by_median_and_the_processor_by_its_mean() -> None:
    assert cards.spread([(float(at), 2.0 * at) for at in range(1, 20)]) == cards.Spread(10.0, 19.0, 20.0)
