"""A search with conditions on metadata: few matches are filtered first, many are ranked first."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec.structs import replace

from cicada.documents.model import AnyOf, DocumentKey, KnowledgeBaseKey, Passage, PassageFilter, SectionLocator
from cicada.retrieval.model import EmbeddedPassage, IndexHits, IndexQuery
from cicada.retrieval.strategies.hybrid import FilteredSearch, HybridSearch
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.unit.retrieval.test_search import LetterEmbedder

STORE = KnowledgeBaseKey("tenant", "store")
DRAFTS = PassageFilter(STORE, conditions=(AnyOf("status", frozenset({"draft"})),), reader=frozenset({"user:ann"}))


@dataclass
class Scene:
    """A base of documents of one passage; those of `drafts` are drafts, and the first ones match the question best."""

    documents: int
    drafts: range
    filter_first: int
    limit: int = 3
    queries: list[IndexQuery] = field(default_factory=list)

    def search(self) -> FilteredSearch:
        queries = self.queries

        class RecordingIndex(InMemoryPassageIndex):
            def search(self, query: IndexQuery) -> IndexHits:
                queries.append(query)
                return super().search(query)

        index = RecordingIndex("letters", 4)
        for number in range(self.documents):
            document = DocumentKey(STORE, f"d{number:03d}")
            metadata = {"status": "draft" if number in self.drafts else "approved"}
            text = "dagger " * (self.documents - number)
            passage = Passage(
                f"{document.document_id}#0", document, "v1", "T", text, "", SectionLocator(()), metadata=metadata
            )
            [vector] = LetterEmbedder().embed_passages([text + "b" * number])
            index.replace(document, [EmbeddedPassage(passage, vector)])
        inner = HybridSearch(index, LetterEmbedder(), candidates=2, limit=self.limit)
        return FilteredSearch(inner, index, self.filter_first)


def test_few_matches_are_filtered_by_the_engine() -> None:
    scene = Scene(documents=40, drafts=range(30, 34), filter_first=4)
    found = scene.search().retrieve("dagger", DRAFTS)
    assert (found.path, found.matching) == (("filter_first:4",), 4)
    assert [query.filter for query in scene.queries] == [DRAFTS]
    assert [each.passage.document.document_id for each in found.passages] == ["d030", "d031"]


def test_of_many_matches_the_best_of_the_base_are_taken_and_the_others_dropped() -> None:
    scene = Scene(documents=40, drafts=range(1, 40, 2), filter_first=4)
    found = scene.search().retrieve("dagger", DRAFTS)
    assert (found.path, found.matching) == (("rank_first:20",), 20)
    assert [query.filter.conditions for query in scene.queries] == [()]
    assert {query.filter.reader for query in scene.queries} == {DRAFTS.reader}
    assert [each.passage.document.document_id for each in found.passages] == ["d001", "d003"]


def test_more_are_ranked_until_enough_of_them_match() -> None:
    scene = Scene(documents=60, drafts=range(12, 60), filter_first=4)
    found = scene.search().retrieve("dagger", DRAFTS)
    assert [query.limit for query in scene.queries] == [8, 16]
    assert [each.passage.document.document_id for each in found.passages] == ["d012", "d013"]


def test_where_the_best_of_the_base_do_not_match_the_engine_filters_after_all() -> None:
    scene = Scene(documents=80, drafts=range(70, 80), filter_first=4)
    found = replace(scene.search(), most_candidates=16).retrieve("dagger", DRAFTS)
    assert [(query.limit, bool(query.filter.conditions)) for query in scene.queries] == [
        (8, False),
        (16, False),
        (2, True),
    ]
    assert (found.path, found.matching) == (("filter_first:10",), 10)
    assert [each.passage.document.document_id for each in found.passages] == ["d070", "d071"]


def test_a_base_that_is_smaller_than_the_search_is_ranked_as_a_whole() -> None:
    scene = Scene(documents=7, drafts=range(5, 7), filter_first=1)
    found = scene.search().retrieve("dagger", DRAFTS)
    assert found.path == ("rank_first:2",)
    assert [each.passage.document.document_id for each in found.passages] == ["d005", "d006"]


def test_without_a_match_nothing_is_searched() -> None:
    scene = Scene(documents=4, drafts=range(0), filter_first=4)
    found = scene.search().retrieve("dagger", DRAFTS)
    assert (found.passages, found.path, found.matching, scene.queries) == ((), ("filter:0",), 0, [])
