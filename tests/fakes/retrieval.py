"""Retrieval that finds what it is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from cicada.documents.catalogue import Card, DocumentRow, row_of
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, PassageFilter, meets
from cicada.errors import CicadaError
from cicada.retrieval.model import EmbeddedPassage, Hit, IndexHits, IndexQuery, Vector
from cicada.retrieval.search import KnowledgeSearch
from cicada.retrieval.strategies import DEFAULT, FILTERED
from cicada.retrieval.strategies.hybrid import FilteredSearch, HybridSearch
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.fakes.passages import PLAYS, passage


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
        return sum(meets(hit.passage.metadata, filter.conditions) for hit in self._hits)

    def passages_with(self, filter: PassageFilter, terms: Sequence[str]) -> Mapping[str, int]:
        return dict.fromkeys(terms, len(self._hits))

    def passages_of(self, document: DocumentKey, numbers: range | None = None) -> tuple[Passage, ...]:
        return tuple(hit.passage for hit in self._hits if hit.passage.document == document)

    def vectors_of(self, base_key: KnowledgeBaseKey, passage_ids: Sequence[str]) -> Mapping[str, Vector]:
        return {}


class OneDocument(InMemoryPassageIndex):
    """A catalogue in which one document matches every filter, or as many as `matching` says."""

    def __init__(self, matching: int = 1) -> None:
        super().__init__("fixed", 1)
        self.matching = matching

    def count_documents(self, filter: PassageFilter) -> int:
        return self.matching


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


class LetterEmbedder:
    """Counts of the letters a to d as a vector; keeps the queries."""

    model_id, dimension = "letters", 4

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        return self.embed_passages([text])[0]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [[1e-6 + text.count(letter) for letter in "abcd"] for text in texts]


class LetterIndex(InMemoryPassageIndex):
    """An index of the vectors of `LetterEmbedder`, with a document for each text; keeps the queries."""

    def __init__(self, *texts: str) -> None:
        super().__init__(LetterEmbedder.model_id, LetterEmbedder.dimension)
        self.queries: list[IndexQuery] = []
        for number, text in enumerate(texts):
            self.put(f"d{number}", text)

    def put(self, name: str, text: str, about: str | None = None, **fields: Any) -> Passage:
        """Store a document of one passage; with a card of its name and of what it is about."""
        kept = passage(DocumentKey(PLAYS, name), text=text, **fields)
        vector, card_vector = LetterEmbedder().embed_passages([text, about or ""])
        row = row_of([kept])
        assert row
        described = replace(row, card=None if about is None else Card(name, about))
        self.replace(kept.document, [EmbeddedPassage(kept, vector)], described, () if about is None else card_vector)
        return kept

    def search(self, query: IndexQuery) -> IndexHits:
        self.queries.append(query)
        return super().search(query)
