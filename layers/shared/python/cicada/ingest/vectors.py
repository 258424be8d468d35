"""Embeds passages, reusing the vectors of unchanged ones."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from cicada.documents.model import Passage
from cicada.ingest.model import StoredDocument, StoredPassage, prefixed
from cicada.knowledge_bases.settings import MultiVector
from cicada.retrieval.ports import Embedder, Encoding, MultiVectorEmbedder


@dataclass(frozen=True, slots=True)
class Encoder:
    """An embedder and the kind of multivectors to store. Vectors are arrays of 32-bit floats."""

    embedder: Embedder
    multivector: MultiVector = MultiVector.NONE

    def stored(
        self, passages: Sequence[Passage], prefixes: Sequence[str], before: StoredDocument | None
    ) -> tuple[StoredPassage, ...]:
        """The passages with their prefixes, encoded: only texts that `before` does not hold are embedded."""
        texts = [_searched(passage, prefix) for passage, prefix in zip(passages, prefixes, strict=True)]
        known = self._known(before)
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known |= dict(zip(new, self._encoded(new), strict=True))
        return tuple(
            StoredPassage(passage, prefix, *known[text])
            for passage, prefix, text in zip(passages, prefixes, texts, strict=True)
        )

    def _known(self, before: StoredDocument | None) -> dict[str, Encoding]:
        ours = (self.embedder.model_id, self.embedder.dimension, self.multivector)
        if before is None or (before.model_id, before.dimension, before.multivector) != ours:
            return {}
        return {_searched(each.passage, each.prefix): (each.vector, each.multivector) for each in before.passages}

    def _encoded(self, texts: Sequence[str]) -> list[Encoding]:
        if not texts:
            return []
        if self.multivector is not MultiVector.NONE and isinstance(self.embedder, MultiVectorEmbedder):
            made = self.embedder.embed_passages_with_multivectors(texts, self.multivector)
            return [(array("f", vector), multivector) for vector, multivector in made]
        return [(array("f", vector), b"") for vector in self.embedder.embed_passages(texts)]


def _searched(passage: Passage, prefix: str) -> str:
    """The text to embed for a passage."""
    return f"{prefixed(passage, prefix).context}\n{passage.text}"
