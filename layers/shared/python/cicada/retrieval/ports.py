"""What retrieval needs from the outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from cicada.documents.model import DocumentKey, Passage
from cicada.retrieval.model import EmbeddedPassage, IndexQuery, LaneHits, PassageFilter, Vector


class PassageIndex(Protocol):
    """Passages searchable by BM25 and by vector. Failures are `DependencyError`s, never an empty result.

    An index belongs to one embedder: opening it with another model or dimension is a `ConfigurationError`.
    """

    def search(self, query: IndexQuery) -> LaneHits:
        """Both lanes in one round trip."""
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
