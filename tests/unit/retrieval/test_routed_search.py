"""A search within the documents that the question is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cicada.documents.model import DocumentKey, Passage, PassageFilter, SectionLocator
from cicada.retrieval.model import (
    Candidate,
    EmbeddedPassage,
    EncodedQuery,
    Hit,
    IndexHits,
    RankedPassage,
    Ranking,
    Routed,
)
from cicada.retrieval.strategies.hybrid import REROUTED, FilteredSearch, HybridSearch
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.unit.retrieval.test_search import PLAYS, LetterEmbedder


@dataclass
class FixedRouting:
    """Routes every question to the same documents; keeps what it was asked."""

    routes_to: Routed
    asked: list[tuple[str, PassageFilter, int, tuple[str, ...]]] = field(default_factory=list)

    def routed(
        self, query: EncodedQuery, filter: PassageFilter, candidates: Sequence[Candidate], concepts: Sequence[str] = ()
    ) -> Routed:
        self.asked.append((query.text, filter, len(candidates), tuple(concepts)))
        return self.routes_to


class WordReranker:
    """Relevance 1 for a passage that has the word "best", else 0.5; of those without "dagger" 0.1."""

    def rerank(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Ranking:
        def relevance(text: str) -> float:
            return 1.0 if "best" in text else 0.5 if "dagger" in text else 0.1

        ranked = [RankedPassage(each.passage, relevance(each.passage.text)) for each in candidates]
        return Ranking(tuple(sorted(ranked, key=lambda each: -(each.relevance or 0))), "words")


def put(index: InMemoryPassageIndex, document: str, text: str) -> Passage:
    key = DocumentKey(PLAYS, document)
    passage = Passage(f"{document}#0", key, "1", document, text, "", SectionLocator(()))
    index.replace(key, [EmbeddedPassage(passage, LetterEmbedder().embed_passages([text])[0])])
    return passage


def shelf() -> InMemoryPassageIndex:
    index = InMemoryPassageIndex("letters", 4)
    for name, text in {"one": "a dagger", "two": "the best dagger", "three": "a crown"}.items():
        put(index, name, text)
    return index


def search(routed: Routed, **settings: float) -> tuple[HybridSearch, FixedRouting]:
    routing = FixedRouting(routed)
    return HybridSearch(
        shelf(),
        LetterEmbedder(),
        reranker=WordReranker(),
        routing=routing,
        **settings,  # type: ignore[arg-type]
    ), routing


def test_only_passages_of_the_documents_routed_to_are_used() -> None:
    retriever, routing = search(Routed(frozenset({"one", "three"}), path=("route:2/3",)))
    found = retriever.retrieve("dagger", PassageFilter(PLAYS), ("weapons",))
    assert [each.passage.document.document_id for each in found.passages] == ["one", "three"]
    assert [each.passage.document.document_id for each in found.nearest] == ["one", "three"]
    assert found.path == ("route:2/3",)
    # All candidates are ranked, so that a relevance does not depend on the routing.
    assert len(found.candidates) == 3
    assert routing.asked == [("dagger", PassageFilter(PLAYS), 3, ("weapons",))]


def test_if_nothing_relevant_is_left_all_documents_count_again_and_the_path_says_so() -> None:
    retriever, _ = search(Routed(frozenset({"three"}), path=("route:1/3",)), threshold=0.3)
    found = retriever.retrieve("dagger", PassageFilter(PLAYS))
    assert [each.passage.document.document_id for each in found.passages] == ["two", "one"]
    assert found.nearest[0].passage.document.document_id == "two"
    assert found.path == ("route:1/3", REROUTED)


def test_without_anything_to_widen_to_nothing_is_routed_again() -> None:
    everything = frozenset({"one", "two", "three"})
    retriever, _ = search(Routed(everything, path=("route:3/3",)), threshold=1.1)
    assert retriever.retrieve("dagger", PassageFilter(PLAYS)).path == ("route:3/3",)


def test_passages_that_only_the_routing_found_are_ranked_with_the_others() -> None:
    other = InMemoryPassageIndex("letters", 4)
    best = put(other, "four", "the very best")
    hits = IndexHits((Hit(best, 9.0),), (Hit(best, 0.1),))
    retriever, _ = search(Routed(frozenset({"one", "four"}), hits))
    found = retriever.retrieve("dagger", PassageFilter(PLAYS))
    assert [each.passage.document.document_id for each in found.passages] == ["four", "one"]
    assert [hit.score for hit in found.hits.lexical] == sorted([hit.score for hit in found.hits.lexical], reverse=True)
    assert found.hits.lexical[0].passage == best


def test_where_nothing_is_routed_the_search_is_as_before() -> None:
    retriever, _ = search(Routed())
    plain = HybridSearch(shelf(), LetterEmbedder(), reranker=WordReranker())
    assert retriever.retrieve("dagger", PassageFilter(PLAYS)) == plain.retrieve("dagger", PassageFilter(PLAYS))


def test_a_search_with_conditions_is_routed_too() -> None:
    for filter_first in (0, 1000):
        retriever, routing = search(Routed(frozenset({"one"}), path=("route:1/3",)))
        filtered = FilteredSearch(retriever, shelf(), filter_first)
        found = filtered.retrieve("dagger", PassageFilter(PLAYS), ("weapons",))
        assert [each.passage.document.document_id for each in found.passages] == ["one"]
        assert found.path[1:] == ("route:1/3",)
        assert routing.asked[0][3] == ("weapons",)
