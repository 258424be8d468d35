"""The two engines check each other: on random documents, both rank nearly the same passages first."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path
from statistics import mean

import pytest

from cicada.documents.model import DocumentKey, PassageFilter
from cicada.retrieval.model import EmbeddedPassage, Hit
from cicada.retrieval.ports import PassageIndex
from cicada_embedded.passage_index import SqlitePassageIndex
from tests.contract.passage_indexes import DIMENSION, MODEL, OpenSearchUnderTest, eventually
from tests.contract.passages import PLAYS, asking, passage, random_vector


def overlap(one: tuple[Hit, ...], other: tuple[Hit, ...]) -> float:
    """Share of the first ten of one ranking that are among the first ten of the other."""
    first, second = ({hit.passage.passage_id for hit in retriever[:10]} for retriever in (one, other))
    return len(first & second) / max(len(first), len(second), 1)


@pytest.mark.parametrize("seed", [1, 2])
def test_both_engines_rank_random_documents_alike(
    tmp_path: Path, opensearch_under_test: OpenSearchUnderTest, seed: int
) -> None:
    """Lucene rounds lengths and has fewer English stop words."""
    rng = random.Random(seed)
    words = [f"{first}{second}" for first in "bdfglmprt" for second in ("alon", "erid", "imus", "okan", "urel")]
    likelihood = [1 / (place + 2) for place in range(len(words))]

    def text(low: int, high: int) -> str:
        return " ".join(rng.choices(words, likelihood, k=rng.randint(low, high)))

    with closing(SqlitePassageIndex(tmp_path / "index.sqlite", MODEL, DIMENSION)) as embedded:
        engines: list[PassageIndex] = [embedded, opensearch_under_test.open()]
        for document in (DocumentKey(PLAYS, f"d{number:02d}") for number in range(20)):
            title = text(1, 5)
            texts = [text(5, 80) for _ in range(rng.randint(1, 12))]
            kept = [passage(document, n, each, title=title, context=title) for n, each in enumerate(texts)]
            passages = [EmbeddedPassage(each, random_vector(rng)) for each in kept]
            for index in engines:
                index.replace(document, passages)
        assert eventually(lambda: len({index.count(PassageFilter(PLAYS)) for index in engines}) == 1)
        questions = [asking(text(1, 6), random_vector(rng)) for _ in range(30)]
        pairs = [[index.search(question) for index in engines] for question in questions]
        assert mean(overlap(one.lexical, other.lexical) for one, other in pairs) >= 0.8
        assert mean(overlap(one.semantic, other.semantic) for one, other in pairs) >= 0.95
