"""The retriever: one embedding, one search, one order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from cicada.documents.model import AnyOf, DocumentKey, KnowledgeBaseKey, Passage, PassageFilter, SectionLocator
from cicada.errors import ThrottledError, UnavailableError
from cicada.retrieval.model import (
    Candidate,
    EmbeddedPassage,
    EncodedQuery,
    IndexHits,
    IndexQuery,
    RankedPassage,
    Ranking,
    Vector,
)
from cicada.retrieval.strategies.hybrid import HybridSearch
from tests.fakes.passage_index import InMemoryPassageIndex

PLAYS = KnowledgeBaseKey("tenant", "plays")
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
        raise ThrottledError("fewer calls")


class FailingIndex(InMemoryPassageIndex):
    def search(self, query: IndexQuery) -> IndexHits:
        raise UnavailableError("no index")


class RecordingIndex(InMemoryPassageIndex):
    """Remembers the last query."""

    query: IndexQuery | None = None

    def search(self, query: IndexQuery) -> IndexHits:
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
    by_rank = HybridSearch(index, LetterEmbedder(), fusion="rrf").search("dagger ddd", PassageFilter(PLAYS))
    by_score = HybridSearch(index, LetterEmbedder()).search("dagger ddd", PassageFilter(PLAYS))
    assert by_rank[0].passage.text == by_score[0].passage.text == "dagger ddd"
    assert by_rank[0].relevance == pytest.approx(1.0)
    assert by_score[0].relevance == pytest.approx(0.9298, abs=1e-4)


def test_the_question_is_embedded_once_as_it_is() -> None:
    embedder = LetterEmbedder()
    HybridSearch(filled(InMemoryPassageIndex("letters", 4), "a"), embedder).search(
        "Is this a dagger?", PassageFilter(PLAYS)
    )
    assert embedder.asked == ["Is this a dagger?"]


def test_the_index_is_asked_for_the_pool_within_the_filter() -> None:
    index, filter = (
        RecordingIndex("letters", 4),
        PassageFilter(PLAYS, frozenset({"macbeth.json"}), (AnyOf("act", frozenset("1")),)),
    )
    HybridSearch(index, LetterEmbedder(), candidates=37).search("abc", filter)
    assert index.query == IndexQuery(filter, "abc", LetterEmbedder().embed_query("abc"), 37)


def test_no_more_than_the_limit_comes_back() -> None:
    index = filled(InMemoryPassageIndex("letters", 4), *["dagger"] * 12)
    assert len(HybridSearch(index, LetterEmbedder(), limit=5).search("dagger", PassageFilter(PLAYS))) == 5


def test_nothing_comes_back_where_nothing_is_kept() -> None:
    retriever = HybridSearch(InMemoryPassageIndex("letters", 4), LetterEmbedder())
    assert retriever.search("dagger", PassageFilter(PLAYS)) == ()


def test_a_failing_index_is_a_failure_and_not_an_empty_answer() -> None:
    with pytest.raises(UnavailableError):
        HybridSearch(FailingIndex("letters", 4), LetterEmbedder()).search("dagger", PassageFilter(PLAYS))


def test_a_failing_embedder_is_a_failure_and_not_an_empty_answer() -> None:
    with pytest.raises(ThrottledError):
        HybridSearch(InMemoryPassageIndex("letters", 4), FailingEmbedder()).search("dagger", PassageFilter(PLAYS))


class BackwardsReranker:
    """Turns the order round; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[EncodedQuery, Sequence[Candidate]]] = []

    def rerank(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Ranking:
        self.asked.append((query, candidates))
        order = [each.passage for each in reversed(candidates)]
        return Ranking(tuple(RankedPassage(each, 0.9 - place / 10) for place, each in enumerate(order)), "backwards")


def test_the_reranker_gets_the_whole_pool_and_its_order_is_final() -> None:
    index, reranker = filled(InMemoryPassageIndex("letters", 4), "dagger", "dagger a", "dagger b"), BackwardsReranker()
    found = HybridSearch(index, LetterEmbedder(), reranker=reranker).retrieve("dagger", PassageFilter(PLAYS))
    ((query, candidates),) = reranker.asked
    assert (query.text, len(candidates)) == ("dagger", 3)
    assert found.candidates == candidates
    assert [each.passage for each in found.ranking.passages] == [each.passage for each in reversed(candidates)]
    assert found.ranking.by == "backwards"


def test_passages_below_the_threshold_are_left_out_before_the_limit_is_applied() -> None:
    index = filled(InMemoryPassageIndex("letters", 4), *["dagger"] * 8)
    retriever = HybridSearch(index, LetterEmbedder(), reranker=BackwardsReranker(), threshold=0.65, limit=5)
    assert [each.relevance for each in retriever.search("dagger", PassageFilter(PLAYS))] == pytest.approx(
        [0.9, 0.8, 0.7]
    )


def test_a_passage_at_the_threshold_is_kept_and_one_that_was_not_ranked_has_none_to_pass() -> None:
    class Unranked(BackwardsReranker):
        def rerank(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Ranking:
            relevances = (0.5, 0.49, None)
            pairs = zip(candidates, relevances, strict=True)
            return Ranking(tuple(RankedPassage(each.passage, relevance) for each, relevance in pairs), "unranked")

    index = filled(InMemoryPassageIndex("letters", 4), *["dagger"] * 3)
    retriever = HybridSearch(index, LetterEmbedder(), reranker=Unranked(), threshold=0.5)
    assert [each.relevance for each in retriever.search("dagger", PassageFilter(PLAYS))] == [0.5, None]


def test_without_a_reranker_the_fused_order_is_final() -> None:
    index = filled(InMemoryPassageIndex("letters", 4), "dagger", "dagger a")
    found = HybridSearch(index, LetterEmbedder()).retrieve("dagger", PassageFilter(PLAYS))
    assert found.ranking.by == "fusion"
    assert [each.passage for each in found.ranking.passages] == [each.passage for each in found.candidates]
