"""Embeds passages and cards, reusing the vectors of unchanged ones.

The texts of a large document are embedded in parts. The vectors of each part are kept, so that an ingest that is
throttled or runs out of time is resumed there and not begun again.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Callable, Sequence

from msgspec import Struct

from cicada.deadline import seconds_left
from cicada.documents.model import DocumentKey, Passage
from cicada.errors import UnavailableError
from cicada.ingest.model import StoredDocument, StoredPassage, prefixed
from cicada.ingest.ports import KeptVectors
from cicada.retrieval.model import Vector, embedded_text
from cicada.retrieval.ports import Embedder

# Three of Cohere's calls; Titan embeds a part within a minute even where an account has a small quota.
PART = 288


class Encoder(Struct, frozen=True):
    """An embedder for one document. Vectors are arrays of 32-bit floats.

    `document`: whose vectors these are. `kept`: None to keep no parts. `tell_left`: is told how many texts are left
    before each of several parts.
    """

    embedder: Embedder
    document: DocumentKey
    kept: KeptVectors | None
    tell_left: Callable[[int], None]

    def stored(
        self, passages: Sequence[Passage], prefixes: Sequence[str], card: str, before: StoredDocument | None
    ) -> tuple[tuple[StoredPassage, ...], Vector]:
        """The passages with their prefixes, encoded, and the vector of the card's text, empty without one.

        Only texts that `before` does not hold are embedded.
        """
        texts = [_searched(passage, prefix) for passage, prefix in zip(passages, prefixes, strict=True)]
        known = self._known(before)
        new = [text for text in dict.fromkeys((*texts, card)) if text and text not in known]
        known |= dict(zip(new, self._encoded(new), strict=True))
        stored = (
            StoredPassage(passage, prefix, known[text])
            for passage, prefix, text in zip(passages, prefixes, texts, strict=True)
        )
        return tuple(stored), known.get(card, ())

    def _known(self, before: StoredDocument | None) -> dict[str, Vector]:
        """The vectors that the earlier version has from this embedder, by their texts."""
        if before is None or not before.has_vectors_of(self.embedder.model_id, self.embedder.dimension):
            return {}
        known = {_searched(each.passage, each.prefix): each.vector for each in before.passages}
        if before.card and len(before.card_vector):
            known[embedded_text(before.card)] = before.card_vector
        return known

    def _encoded(self, texts: Sequence[str]) -> list[Vector]:
        if self.kept is None or len(texts) <= PART:
            return self._embedded(texts)
        made: list[Vector] = []
        while len(made) < len(texts):
            self.tell_left(len(texts) - len(made))
            made += self._part(texts[len(made) : len(made) + PART], self.kept)
        return made

    def _part(self, texts: Sequence[str], kept: KeptVectors) -> list[Vector]:
        """Raises `UnavailableError` at the deadline; what was embedded until then is kept."""
        name = self._part_name(texts)
        if known := kept.read(self.document, name):
            return known
        if seconds_left() <= 0:
            raise UnavailableError("The file has more passages than are embedded in one go; the next try goes on.")
        made = self._embedded(texts)
        kept.write(self.document, name, made)
        return made

    def _part_name(self, texts: Sequence[str]) -> str:
        """The name of a part: the same for the same texts and the same encoding, and for no others."""
        encoded = json.dumps([self.embedder.model_id, self.embedder.dimension, *texts])
        return hashlib.sha256(encoded.encode()).hexdigest()

    def _embedded(self, texts: Sequence[str]) -> list[Vector]:
        if not texts:
            return []
        return [array("f", vector) for vector in self.embedder.embed_passages(texts)]


def _searched(passage: Passage, prefix: str) -> str:
    """The text to embed for a passage."""
    return f"{prefixed(passage, prefix).context}\n{passage.text}"
