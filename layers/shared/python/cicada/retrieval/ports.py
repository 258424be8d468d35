"""What retrieval needs from the outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from cicada.documents.filter import PassageFilter
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage
from cicada.knowledge_bases.settings import MultiVector, RerankMode
from cicada.retrieval.model import (
    Candidate,
    EmbeddedPassage,
    EncodedQuery,
    IndexHits,
    IndexQuery,
    PassageVectors,
    Ranking,
    Retrieval,
    Vector,
)

Encoding = tuple[Vector, bytes]
"""What an embedder makes of a text: its vector, and the detail behind it, empty where there is none."""


class PassageIndex(Protocol):
    """Passages searchable by BM25 and by vector. Failures are `DependencyError`s, never an empty result.

    An index belongs to one embedder: opening it with another model or dimension is a `ConfigurationError`.
    """

    def search(self, query: IndexQuery) -> IndexHits:
        """Both retrievers in one round trip."""
        ...

    def replace(self, document: DocumentKey, passages: Sequence[EmbeddedPassage]) -> None:
        """Make `passages` (of one version) the document's only passages; the old ones answer until the new ones do."""
        ...

    def delete(self, document: DocumentKey) -> None:
        """Remove the document; a document that is not there is no error."""
        ...

    def count(self, filter: PassageFilter) -> int:
        """Number of passages that the filter lets through."""
        ...

    def passages_of(self, document: DocumentKey) -> tuple[Passage, ...]:
        """All passages of a document, in the document's order (order of `passage_id`)."""
        ...

    def vectors_of(self, base_key: KnowledgeBaseKey, passage_ids: Sequence[str]) -> Mapping[str, PassageVectors]:
        """What is kept of these passages for reranking, by `passage_id`; those that are not there are left out."""
        ...


class IndexRebuild(Protocol):
    """A new index beside the one that answers. Whatever is written to the live index meanwhile reaches both.

    `switch` and `abandon` are about the index that this object gave last, by `begin` or by `building`.
    """

    def begin(self) -> PassageIndex:
        """A new, empty index that nobody searches yet. One that an earlier rebuild left half-built is dropped."""
        ...

    def building(self) -> PassageIndex | None:
        """The new index of a rebuild that some process has begun; None where none is under way."""
        ...

    def switch(self) -> None:
        """Let the new index answer from this moment, in one step, and drop the old one."""
        ...

    def abandon(self) -> None:
        """Drop the new index; the old one goes on answering."""
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


@runtime_checkable
class MultiVectorEmbedder(Embedder, Protocol):
    """An embedder that can give more of a text than its vector. For a model that cannot, `multivector` is empty.

    `retrieval.rerank.multivector` has the form of the bytes; whoever stores them need not know it.
    """

    def embed_passages_with_multivectors(self, texts: Sequence[str], multivector: MultiVector) -> list[Encoding]:
        """Vector and detail for each text, in order, of the same computation that `embed_passages` makes."""
        ...

    def encode_query(self, text: str) -> EncodedQuery:
        """The question's vector and, where the model gives it, the detail that passages' details are compared with."""
        ...


class Reranker(Protocol):
    """Brings candidates into their final order."""

    def rerank(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Ranking:
        """The candidates in falling order of relevance, 0 to 1 and comparable between knowledge bases.

        `candidates`: the whole pool of both retrievers, of one collection, in the fused order. A reranker that looks at
        the first ones only puts them first and the others behind them in the order in which they came, or leaves
        those out. No candidates make an empty ranking without a call. Failures are `DependencyError`s.
        """
        ...


@dataclass(frozen=True, slots=True)
class SearchBackend:
    """What every strategy has to search with. `rerankers`: for each mode that a knowledge base may be set to."""

    index: PassageIndex
    embedder: Embedder
    rerankers: Mapping[RerankMode, Reranker]


class Strategy(Protocol):
    """A way to find the passages for a question in one knowledge base."""

    def retrieve(self, text: str, filter: PassageFilter) -> Retrieval:
        """The best passages for `text`. Failures are `DependencyError`s, never an empty result."""
        ...


class QueryFormulator(Protocol):
    """Puts questions into the language of what is searched."""

    def formulate(self, question: str, language: str) -> str:
        """The question as a search query in `language` (a key of `LANGUAGES`); never empty.

        Failures are `DependencyError`s or a `ConfigurationError`.
        """
        ...
