"""The retriever: one embedding, one search, one order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from cicada.documents.model import Collection, DocumentKey, Passage, SectionLocator
from cicada.errors import Throttled, Unavailable
from cicada.retrieval.model import EmbeddedPassage, IndexQuery, LaneHits, PassageFilter, Vector
from cicada.retrieval.search import Retriever
from tests.fakes.passage_index import InMemoryPassageIndex

PLAYS = Collection("tenant", "plays")
DOCUMENT = DocumentKey(PLAYS, "macbeth.json")


@dataclass(slots=True)
class LetterEmbedder:
    """Counts of the letters a to d as a vector; remembers what it was asked."""

    model_id: str = "letters"
    dimension: int = 4
    asked: list[str] = field(default_factory=list)

    def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        return self.embed_passages([text])[0]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [[1e-6 + text.count(letter) for letter in "abcd"] for text in texts]


class FailingEmbedder(LetterEmbedder):
    def embed_query(self, text: str) -> Vector:
        raise Throttled("fewer calls")


class FailingIndex(InMemoryPassageIndex):
    def search(self, query: IndexQuery) -> LaneHits:
        raise Unavailable("no index")


class RecordingIndex(InMemoryPassageIndex):
    """Remembers the last query."""

    query: IndexQuery | None = None

    def search(self, query: IndexQuery) -> LaneHits:
        self.query = query
        return super().search(query)


def filled(index: InMemoryPassageIndex, *texts: str) -> InMemoryPassageIndex:
    passages = [
        Passage(f"p{number:03d}", DOCUMENT, "v1", "Macbeth", text, "", SectionLocator(()))
        for number, text in enumerate(texts)
    ]
    vectors = LetterEmbedder().embed_passages(texts)
    index.replace(DOCUMENT, [EmbeddedPassage(*pair) for pair in zip(passages, vectors, strict=True)])
    return index


def test_a_passage_that_both_lanes_find_comes_first() -> None:
    index = filled(InMemoryPassageIndex("letters", 4), "dagger cab", "dagger ddd", "cab cab")
    found = Retriever(index, LetterEmbedder()).search("dagger ddd", PassageFilter(PLAYS))
    assert found[0].passage.text == "dagger ddd"
    assert found[0].relevance == pytest.approx(1.0)


def test_the_question_is_embedded_once_as_it_is() -> None:
    embedder = LetterEmbedder()
    Retriever(filled(InMemoryPassageIndex("letters", 4), "a"), embedder).search(
        "Is this a dagger?", PassageFilter(PLAYS)
    )
    assert embedder.asked == ["Is this a dagger?"]


def test_the_index_is_asked_for_the_pool_within_the_filter() -> None:
    index, filter = (
        RecordingIndex("letters", 4),
        PassageFilter(PLAYS, frozenset({"macbeth.json"}), {"act": frozenset("1")}),
    )
    Retriever(index, LetterEmbedder(), pool=37).search("abc", filter)
    assert index.query == IndexQuery(filter, "abc", LetterEmbedder().embed_query("abc"), 37)


def test_no_more_than_the_limit_comes_back() -> None:
    index = filled(InMemoryPassageIndex("letters", 4), *["dagger"] * 12)
    assert len(Retriever(index, LetterEmbedder(), limit=5).search("dagger", PassageFilter(PLAYS))) == 5


def test_nothing_comes_back_where_nothing_is_kept() -> None:
    retriever = Retriever(InMemoryPassageIndex("letters", 4), LetterEmbedder())
    assert retriever.search("dagger", PassageFilter(PLAYS)) == ()


def test_a_failing_index_is_a_failure_and_not_an_empty_answer() -> None:
    with pytest.raises(Unavailable):
        Retriever(FailingIndex("letters", 4), LetterEmbedder()).search("dagger", PassageFilter(PLAYS))


def test_a_failing_embedder_is_a_failure_and_not_an_empty_answer() -> None:
    with pytest.raises(Throttled):
        Retriever(InMemoryPassageIndex("letters", 4), FailingEmbedder()).search("dagger", PassageFilter(PLAYS))
