"""An index and an embedder that can be disturbed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage
from cicada.errors import CicadaError, ThrottledError
from cicada.retrieval.model import EmbeddedPassage, Vector
from tests.fakes.passage_index import InMemoryPassageIndex


class DisturbedIndex(InMemoryPassageIndex):
    """`failure` is raised by every call while it is set, `failure_of_replace` by replacements alone.

    `before_replace` runs before each replacement.
    """

    def __init__(self, model_id: str = "length") -> None:
        super().__init__(model_id, CountingEmbedder.dimension)
        self.documents = self.contents.documents
        self.replacements = 0
        self.failure: CicadaError | None = None
        self.failure_of_replace: CicadaError | None = None
        self.before_replace: Callable[[], None] = lambda: None

    def replace(
        self,
        document: DocumentKey,
        passages: Sequence[EmbeddedPassage],
        row: DocumentRow | None = None,
        card_vector: Vector = (),
    ) -> None:
        self._fail()
        if self.failure_of_replace:
            raise self.failure_of_replace
        self.before_replace()
        self.replacements += 1
        super().replace(document, passages, row, card_vector)

    def delete(self, document: DocumentKey) -> None:
        self._fail()
        super().delete(document)

    def passages_of(self, document: DocumentKey, numbers: range | None = None) -> tuple[Passage, ...]:
        self._fail()
        return super().passages_of(document, numbers)

    def vectors_of(self, base_key: KnowledgeBaseKey, passage_ids: Sequence[str]) -> Mapping[str, Vector]:
        self._fail()
        return super().vectors_of(base_key, passage_ids)

    def _fail(self) -> None:
        if self.failure:
            raise self.failure


class CountingEmbedder:
    """Vectors of the text's length. `batches` are the sizes of the calls; `failure` is raised while it is set.

    After `most` texts, calls are throttled.
    """

    model_id = "length"
    dimension = 1

    def __init__(self, most: float = float("inf"), model_id: str = "length") -> None:
        self.model_id = model_id
        self.batches: list[int] = []
        self.texts: list[str] = []
        self.failure: CicadaError | None = None
        self._most = most

    def embed_query(self, text: str) -> Vector:
        return [float(len(text))]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        if self.failure:
            raise self.failure
        if len(self.texts) + len(texts) > self._most:
            raise ThrottledError("Too many calls.")
        self.batches.append(len(texts))
        self.texts += texts
        return [self.embed_query(text) for text in texts]
