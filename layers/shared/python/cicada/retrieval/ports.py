"""What retrieval needs from the outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from cicada.documents.aggregates import MOST_GROUPS, Aggregation
from cicada.documents.catalogue import Aggregate, DocumentRow, RowPage, Sort
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, PassageFilter
from cicada.knowledge_bases.settings import KnowledgeBase, RerankMode
from cicada.retrieval.model import (
    Candidate,
    CardHits,
    CardQuery,
    EmbeddedPassage,
    EncodedQuery,
    IndexHits,
    IndexQuery,
    Ranking,
    Retrieval,
    Routed,
    Vector,
)

MOST_SETTLED = 1000
"""What S3 lists in one call."""


class PassageIndex(Protocol):
    """Passages searchable by BM25 and by vector. Failures are `DependencyError`s, never an empty result.

    An index belongs to one embedder: opening it with another model or dimension is a `ConfigurationError`.
    """

    def search(self, query: IndexQuery) -> IndexHits:
        """Query both retrievers.

        Nothing of the result depends on passages that the filter's viewer may not read. BM25's statistics are those
        of all others of the knowledge base, whatever else the filter asks for.
        """
        ...

    def replace(
        self,
        document: DocumentKey,
        passages: Sequence[EmbeddedPassage],
        row: DocumentRow | None = None,
        card_vector: Vector = (),
    ) -> None:
        """Make `passages` (of one version) the document's only ones. Old ones are found until the new ones are.

        `row` is the document's row in the catalogue, by default `row_of` the passages; both change in one step.
        `card_vector`: the vector of the row's card; without it, or without a card, no kNN finds the card.
        """
        ...

    def delete(self, document: DocumentKey) -> None:
        """Remove the document; a missing document is no error."""
        ...

    def count(self, filter: PassageFilter) -> int:
        """Number of passages that match the filter."""
        ...

    def passages_with(self, filter: PassageFilter, terms: Sequence[str]) -> Mapping[str, int]:
        """The number of passages that have all words of a term, for each term, among those that the viewer may see.

        The filter's conditions and documents do not count.

        Words are compared as BM25 compares them: stemmed by the passage's language. A term of stop words alone has 0.
        """
        ...

    def passages_of(self, document: DocumentKey, numbers: range | None = None) -> tuple[Passage, ...]:
        """The passages of a document, in the document's order (order of `passage_id`).

        `numbers`: the places of those to read, counted from 0, as `passage_id` has them; None for all.
        """
        ...

    def vectors_of(self, base_key: KnowledgeBaseKey, passage_ids: Sequence[str]) -> Mapping[str, Vector]:
        """Stored vectors by `passage_id`; missing passages are left out."""
        ...


class DocumentCatalogue(Protocol):
    """The rows of the documents in an index. Filters apply to a row's metadata and viewers as they do to passages.

    A document in replacement may be counted twice. Failures are `DependencyError`s.
    """

    def row(self, document: DocumentKey) -> DocumentRow | None:
        """The row of a document, None for an unknown one."""
        ...

    def rows(self, filter: PassageFilter, sort: Sort, limit: int, offset: int = 0) -> RowPage:
        """The rows that match, in this order, from the row number `offset`. A list is sorted by its first value."""
        ...

    def find_cards(self, query: CardQuery) -> CardHits:
        """Query the cards of the documents that match the filter. Statistics are as for passages.

        BM25 weighs the fields of a card by `CARD_FIELDS`. A document without a card is not found.
        """
        ...

    def count_documents(self, filter: PassageFilter) -> int:
        """Number of documents that match."""
        ...

    def aggregate(
        self,
        filter: PassageFilter,
        aggregates: Sequence[Aggregate],
        group: Sequence[str] = (),
        sort: Sort | None = None,
        limit: int = MOST_GROUPS,
    ) -> Aggregation:
        """The aggregates of the documents that match, as `aggregated` computes them; exact, whatever their number.

        `group`: none, one or two fields. `limit`: groups at most.
        """
        ...

    def records(self, filter: PassageFilter) -> tuple[DocumentRow, ...]:
        """The records that match, in the order of their documents' ids and in that of their tables.

        The filter applies to each record's own metadata. They are read whole, 1,000 a request.
        """
        ...

    def copies_of(self, document: DocumentKey, content_hash: str) -> tuple[str, ...]:
        """Ids of the base's other documents with these bytes, in order, whoever may read them."""
        ...

    def readers_of(self, base_key: KnowledgeBaseKey, document_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """The viewers of each of these documents, as they are now; unknown documents are left out."""
        ...

    def vectors(self) -> Mapping[str, str]:
        """How the index's server keeps vectors: `engine`, `space`, `compression`, and the compression that is `wanted`.

        `engine` is empty if the server does not say; the whole is empty for an index without a server.
        """
        ...


class KeptDocuments(Protocol):
    """The documents that are kept outside the index, which is built from them."""

    def settled(self, base_key: KnowledgeBaseKey, before: float) -> tuple[str, ...]:
        """Ids of the base's documents that have not changed since `before`, in epoch seconds; at most `MOST_SETTLED`.

        Failures are `DependencyError`s.
        """
        ...


class CataloguedIndex(PassageIndex, DocumentCatalogue, Protocol):
    """Passages and the rows of their documents."""


class IndexRebuild(Protocol):
    """Builds a new index beside the live one. Writes to the live index go to both meanwhile.

    `switch` and `abandon` act on the index that `begin` or `building` of this object returned last.
    """

    def begin(self) -> PassageIndex:
        """Create an empty index that is not searched yet. An unfinished one of an earlier rebuild is dropped."""
        ...

    def building(self) -> PassageIndex | None:
        """The unfinished index of the current rebuild, whichever process began it; None without one."""
        ...

    def switch(self) -> None:
        """Make the new index the live one, atomically, and drop the old one."""
        ...

    def abandon(self) -> None:
        """Drop the new index; the old one stays live."""
        ...


class Embedder(Protocol):
    """Texts to unit vectors of `dimension` floats."""

    @property
    def model_id(self) -> str:
        """Name of the model, recorded with the index."""
        ...

    @property
    def dimension(self) -> int: ...

    def embed_query(self, text: str) -> Vector: ...

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text, in order."""
        ...


class Reranker(Protocol):
    """Puts candidates into their final order."""

    def rerank(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Ranking:
        """The candidates in descending order of relevance, 0 to 1 and comparable between knowledge bases.

        `candidates`: all candidates of both retrievers, of one knowledge base, in the fused order. A reranker that
        scores only the first ones appends the others in their given order, or leaves them out. Without candidates it
        returns an empty ranking and makes no call. Failures are `DependencyError`s.
        """
        ...


class DocumentRouting(Protocol):
    """Finds the documents that a question is about among thousands, beside the search for passages."""

    def routed(
        self, query: EncodedQuery, filter: PassageFilter, candidates: Sequence[Candidate], concepts: Sequence[str] = ()
    ) -> Routed:
        """`candidates`: what the search with this filter found. `concepts`: the plan's key concepts.

        Failures are `DependencyError`s.
        """
        ...


def _all_documents(base: KnowledgeBase) -> None:
    """The default: no routing, so all documents of a base are searched."""


class SearchBackend(Struct, frozen=True):
    """What all strategies share. `rerankers`: one for each mode that a knowledge base can choose.

    `routing`: that of a base; None where all of its documents are searched.
    """

    index: CataloguedIndex
    embedder: Embedder
    rerankers: Mapping[RerankMode, Reranker]
    routing: Callable[[KnowledgeBase], DocumentRouting | None] = _all_documents


class Strategy(Protocol):
    """A way to find the passages for a question in one knowledge base."""

    def retrieve(self, text: str, filter: PassageFilter, concepts: Sequence[str] = ()) -> Retrieval:
        """The best passages for `text`. `concepts`: the plan's key concepts, to find documents by.

        Failures are `DependencyError`s, never an empty result.
        """
        ...


class QueryFormulator(Protocol):
    """Translates questions into search queries in a knowledge base's language."""

    def formulate(self, question: str, language: str) -> str:
        """The question as a search query in `language` (a key of `LANGUAGES`); never empty.

        Failures are `DependencyError`s or a `ConfigurationError`.
        """
        ...
