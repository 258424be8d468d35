"""Retrieval that finds what it is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, PassageFilter
from cicada.errors import CicadaError
from cicada.retrieval.model import EmbeddedPassage, Hit, IndexHits, IndexQuery, Vector
from cicada.retrieval.search import KnowledgeSearch
from cicada.retrieval.strategies import DEFAULT, FILTERED
from cicada.retrieval.strategies.hybrid import FilteredSearch, HybridSearch
from tests.fakes.passage_index import InMemoryPassageIndex


class FixedIndex:
    """Finds the same passages for every query, in both retrievers; keeps the queries. `failure` is raised while set."""

    def __init__(self, *passages: Passage) -> None:
        self._hits = tuple(Hit(passage, 1.0) for passage in passages)
        self.queries: list[IndexQuery] = []
        self.failure: CicadaError | None = None

    def search(self, query: IndexQuery) -> IndexHits:
        self.queries.append(query)
        if self.failure:
            raise self.failure
        return IndexHits(self._hits, self._hits)

    def replace(
        self,
        document: DocumentKey,
        passages: Sequence[EmbeddedPassage],
        row: DocumentRow | None = None,
        card_vector: Vector = (),
    ) -> None:
        raise NotImplementedError

    def delete(self, document: DocumentKey) -> None:
        raise NotImplementedError

    def count(self, filter: PassageFilter) -> int:
        return len(self._hits)

    def passages_with(self, filter: PassageFilter, terms: Sequence[str]) -> Mapping[str, int]:
        return dict.fromkeys(terms, len(self._hits))

    def passages_of(self, document: DocumentKey) -> tuple[Passage, ...]:
        return tuple(hit.passage for hit in self._hits if hit.passage.document == document)

    def vectors_of(self, base_key: KnowledgeBaseKey, passage_ids: Sequence[str]) -> Mapping[str, Vector]:
        return {}


class OneDocument(InMemoryPassageIndex):
    """A catalogue in which one document matches every filter."""

    def __init__(self) -> None:
        super().__init__("fixed", 1)

    def count_documents(self, filter: PassageFilter) -> int:
        return 1


class FixedEmbedder:
    """One vector for every text; `failure` is raised while set."""

    model_id = "fixed"
    dimension = 1

    def __init__(self) -> None:
        self.failure: CicadaError | None = None

    def embed_query(self, text: str) -> Vector:
        if self.failure:
            raise self.failure
        return [1.0]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [self.embed_query(text) for text in texts]


def search_of(retriever: HybridSearch) -> KnowledgeSearch:
    """Every knowledge base is searched by this retriever."""
    filtered = FilteredSearch(retriever, OneDocument())
    return KnowledgeSearch({DEFAULT: lambda base: retriever, FILTERED: lambda base: filtered})


def fixed_search(*passages: Passage) -> KnowledgeSearch:
    return search_of(HybridSearch(FixedIndex(*passages), FixedEmbedder()))
