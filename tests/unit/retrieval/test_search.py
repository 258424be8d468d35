"""The retriever: one embedding, one search, one order; with conditions on metadata, and within routed documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from cicada.documents.model import AnyOf, PassageFilter
from cicada.errors import ThrottledError, UnavailableError
from cicada.retrieval.model import (
    Candidate,
    EncodedQuery,
    Hit,
    IndexHits,
    IndexQuery,
    RankedPassage,
    Ranking,
    Retrieval,
    Routed,
    Vector,
)
from cicada.retrieval.strategies.hybrid import REROUTED, FilteredSearch, HybridSearch
from tests.fakes.passages import PLAYS
from tests.fakes.retrieval import LetterEmbedder, LetterIndex

EVERYTHING = PassageFilter(PLAYS)
DRAFTS = PassageFilter(PLAYS, conditions=(AnyOf("status", frozenset({"draft"})),), reader=frozenset({"user:ann"}))


class ByText:
    """The relevance of each text, in rising order of the candidates where none is given; keeps the candidates."""

    def __init__(self, relevances: dict[str, float | None] | None = None) -> None:
        self.relevances = relevances
        self.asked: list[tuple[str, Sequence[Candidate]]] = []

    def rerank(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Ranking:
        self.asked.append((query.text, candidates))
        backwards = {each.passage.text: 0.9 - place / 10 for place, each in enumerate(reversed(candidates))}
        known = backwards if self.relevances is None else self.relevances
        ranked = [RankedPassage(each.passage, known.get(each.passage.text)) for each in candidates]
        return Ranking(tuple(sorted(ranked, key=lambda each: -(each.relevance or 0))), "by text")


def found(search: HybridSearch | FilteredSearch, text: str = "dagger", filter: PassageFilter = EVERYTHING) -> Retrieval:
    return search.retrieve(text, filter, ("weapons",))


def documents(found: Retrieval) -> list[str]:
    return [each.passage.document.document_id for each in found.passages]


def test_a_passage_that_both_lanes_find_comes_first() -> None:
    index, embedder = LetterIndex("dagger cab", "dagger ddd", "cab cab"), LetterEmbedder()
    for fusion, relevance in (("rrf", 1.0), ("zscore", 0.9298)):
        [best, *_] = found(HybridSearch(index, embedder, fusion=fusion), "dagger ddd").passages  # type: ignore[arg-type]
        assert best.passage.text == "dagger ddd"
        assert best.relevance == pytest.approx(relevance, abs=1e-4)
    assert embedder.asked == ["dagger ddd"] * 2


def test_the_index_is_asked_for_the_pool_within_the_filter() -> None:
    index, filter = LetterIndex("dagger"), PassageFilter(PLAYS, frozenset({"d0"}), (AnyOf("act", frozenset("1")),))
    found(HybridSearch(index, LetterEmbedder(), candidates=37), "abc", filter)
    assert index.queries == [IndexQuery(filter, "abc", LetterEmbedder().embed_query("abc"), 37)]


@pytest.mark.parametrize(("count", "left"), [(12, 5), (0, 0)])
def test_no_more_than_the_limit_and_what_is_kept_comes_back(count: int, left: int) -> None:
    search = HybridSearch(LetterIndex(*["dagger"] * count), LetterEmbedder(), limit=5)
    assert len(found(search).passages) == left


def test_a_failure_is_no_empty_answer() -> None:
    class FailingEmbedder(LetterEmbedder):
        def embed_query(self, text: str) -> Vector:
            raise ThrottledError("fewer calls")

    class FailingIndex(LetterIndex):
        def search(self, query: IndexQuery) -> IndexHits:
            raise UnavailableError("no index")

    with pytest.raises(UnavailableError):
        found(HybridSearch(FailingIndex(), LetterEmbedder()))
    with pytest.raises(ThrottledError):
        found(HybridSearch(LetterIndex(), FailingEmbedder()))


def test_the_reranker_gets_the_whole_pool_and_its_order_is_final() -> None:
    reranker = ByText()
    result = found(HybridSearch(LetterIndex("dagger", "dagger a", "dagger b"), LetterEmbedder(), reranker=reranker))
    assert reranker.asked == [("dagger", result.candidates)]
    assert [each.passage for each in result.ranking.passages] == [each.passage for each in result.candidates[::-1]]
    assert (len(result.candidates), result.ranking.by) == (3, "by text")


def test_passages_below_the_threshold_are_left_out_before_the_limit_is_applied() -> None:
    index = LetterIndex(*(f"dagger {'x' * number}" for number in range(8)))
    search = HybridSearch(index, LetterEmbedder(), reranker=ByText(), threshold=0.65, limit=5)
    assert [each.relevance for each in found(search).passages] == pytest.approx([0.9, 0.8, 0.7])


def test_a_passage_at_the_threshold_is_kept_and_one_that_was_not_ranked_has_none_to_pass() -> None:
    reranker = ByText({"dagger": 0.5, "dagger a": 0.49, "dagger b": None})
    index = LetterIndex("dagger", "dagger a", "dagger b")
    search = HybridSearch(index, LetterEmbedder(), reranker=reranker, threshold=0.5)
    assert [each.relevance for each in found(search).passages] == [0.5, None]


def test_without_a_reranker_the_fused_order_is_final() -> None:
    result = found(HybridSearch(LetterIndex("dagger", "dagger a"), LetterEmbedder()))
    assert result.ranking.by == "fusion"
    assert [each.passage for each in result.ranking.passages] == [each.passage for each in result.candidates]


def filtered(count: int, drafts: range, filter_first: int) -> tuple[FilteredSearch, LetterIndex]:
    """A base of documents of one passage, the first of which match the question best."""
    index = LetterIndex()
    for number in range(count):
        status = "draft" if number in drafts else "approved"
        index.put(f"d{number:03d}", "dagger " * (count - number) + "b" * number, metadata={"status": status})
    return FilteredSearch(HybridSearch(index, LetterEmbedder(), candidates=2, limit=3), index, filter_first), index


@pytest.mark.parametrize(
    ("count", "drafts", "filter_first", "path", "limits", "shown"),
    [
        (40, range(30, 34), 4, "filter_first:4", [2], ["d030", "d031"]),
        (40, range(1, 40, 2), 4, "rank_first:20", [8], ["d001", "d003"]),
        (60, range(12, 60), 4, "rank_first:48", [8, 16], ["d012", "d013"]),
        (80, range(70, 80), 4, "filter_first:10", [8, 16, 2], ["d070", "d071"]),
        (7, range(5, 7), 1, "rank_first:2", None, ["d005", "d006"]),
        (4, range(0), 4, "filter:0", [], []),
    ],
    ids=["few match", "many match", "more are ranked", "the best do not match", "a small base", "none matches"],
)
def test_few_matches_are_filtered_first_and_many_are_ranked_first(
    count: int, drafts: range, filter_first: int, path: str, limits: list[int] | None, shown: list[str]
) -> None:
    search, index = filtered(count, drafts, filter_first)
    result = found(replace(search, most_candidates=16), filter=DRAFTS)
    assert (result.path, result.matching, documents(result)) == ((path,), len(drafts), shown)
    if limits is not None:
        assert [query.limit for query in index.queries] == limits
    # The engine filters where it is asked for two candidates, and never forgets who asks.
    assert all((query.filter == DRAFTS) == (query.limit == 2) for query in index.queries)
    assert {query.filter.reader for query in index.queries} <= {DRAFTS.reader}


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


RELEVANCES: dict[str, float | None] = {"a dagger": 0.5, "the best dagger": 1.0, "a crown": 0.1, "the very best": 1.0}


def routed(routing: FixedRouting | None, threshold: float = 0.0) -> HybridSearch:
    index = LetterIndex()
    for name, text in {"one": "a dagger", "two": "the best dagger", "three": "a crown"}.items():
        index.put(name, text)
    reranker = ByText(RELEVANCES)
    return HybridSearch(index, LetterEmbedder(), reranker=reranker, routing=routing, threshold=threshold)


@pytest.mark.parametrize(
    ("to", "threshold", "shown", "path"),
    [
        ({"one", "three"}, 0.0, ["one", "three"], ("route",)),
        ({"three"}, 0.3, ["two", "one"], ("route", REROUTED)),
        ({"one", "two", "three"}, 1.1, [], ("route",)),
    ],
    ids=["relevant", "nothing relevant is left", "nothing to widen to"],
)
def test_only_the_documents_routed_to_are_used_if_they_have_something_relevant(
    to: set[str], threshold: float, shown: list[str], path: tuple[str, ...]
) -> None:
    routing = FixedRouting(Routed(frozenset(to), path=("route",)))
    result = found(routed(routing, threshold))
    assert (documents(result), result.path) == (shown, path)
    assert [each.passage.document.document_id for each in result.nearest][: len(shown)] == shown
    # All candidates are ranked, so that a relevance does not depend on the routing.
    assert len(result.candidates) == 3
    assert routing.asked == [("dagger", EVERYTHING, 3, ("weapons",))]


@pytest.mark.parametrize(
    ("permitted", "shown", "nearest"),
    [
        ({"one", "two", "three"}, ["two"], ["two", "one"]),
        ({"one", "three"}, ["one"], ["one"]),
        ({"three"}, [], ["three"]),
        ({"four", "three"}, ["four"], ["four", "three"]),
    ],
    ids=["all", "the next", "too weak", "nothing is left of the documents routed to"],
)
def test_what_is_taken_out_is_replaced_by_the_next_that_is_relevant(
    permitted: set[str], shown: list[str], nearest: list[str]
) -> None:
    search = replace(routed(FixedRouting(Routed(frozenset({"one", "two"}))), 0.3), limit=1)
    search.index.put("four", "the very best")  # type: ignore[attr-defined]
    result = found(search)
    kept = result.of(frozenset(key for key in result.documents if key.document_id in permitted))
    assert documents(kept) == shown
    assert [each.passage.document.document_id for each in kept.nearest] == nearest


def test_passages_that_only_the_routing_found_are_ranked_with_the_others() -> None:
    best = LetterIndex().put("four", "the very best")
    hits = IndexHits((Hit(best, 9.0),), (Hit(best, 0.1),))
    result = found(routed(FixedRouting(Routed(frozenset({"one", "four"}), hits))))
    assert documents(result) == ["four", "one"]
    scores = [hit.score for hit in result.hits.lexical]
    assert (scores, result.hits.lexical[0].passage) == (sorted(scores, reverse=True), best)


def test_where_nothing_is_routed_the_search_is_as_before() -> None:
    assert found(routed(FixedRouting(Routed()))) == found(routed(None))


@pytest.mark.parametrize("filter_first", [0, 1000])
def test_a_search_with_conditions_is_routed_too(filter_first: int) -> None:
    routing = FixedRouting(Routed(frozenset({"one"}), path=("route:1/3",)))
    search = routed(routing)
    result = found(FilteredSearch(search, search.index, filter_first))  # type: ignore[arg-type]
    assert (documents(result), result.path[1:], routing.asked[0][3]) == (["one"], ("route:1/3",), ("weapons",))
