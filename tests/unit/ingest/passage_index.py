"""An index and an embedder that only keep what they are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cicada.documents.model import DocumentKey, Passage
from cicada.errors import CicadaError
from cicada.retrieval.model import EmbeddedPassage, IndexQuery, LaneHits, PassageFilter, Vector


class KeepingIndex:
    """`failure` is raised by every call while it is set; `before_replace` runs before each replacement."""

    def __init__(self) -> None:
        self.documents: dict[DocumentKey, tuple[EmbeddedPassage, ...]] = {}
        self.replacements = 0
        self.failure: CicadaError | None = None
        self.before_replace: Callable[[], None] = lambda: None

    def search(self, query: IndexQuery) -> LaneHits:
        return LaneHits((), ())

    def replace(self, document: DocumentKey, passages: Sequence[EmbeddedPassage]) -> None:
        self._fail()
        self.before_replace()
        self.replacements += 1
        self.documents[document] = tuple(passages)

    def delete(self, document: DocumentKey) -> None:
        self._fail()
        self.documents.pop(document, None)

    def count(self, filter: PassageFilter) -> int:
        return sum(map(len, self.documents.values()))

    def passages_of(self, document: DocumentKey) -> tuple[Passage, ...]:
        self._fail()
        return tuple(each.passage for each in self.documents.get(document, ()))

    def _fail(self) -> None:
        if self.failure:
            raise self.failure


class CountingEmbedder:
    """Vectors of the text's length. `batches` are the sizes of the calls; `failure` is raised while it is set."""

    model_id = "length"
    dimension = 1

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.texts: list[str] = []
        self.failure: CicadaError | None = None

    def embed_query(self, text: str) -> Vector:
        return [float(len(text))]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        if self.failure:
            raise self.failure
        self.batches.append(len(texts))
        self.texts += texts
        return [self.embed_query(text) for text in texts]
