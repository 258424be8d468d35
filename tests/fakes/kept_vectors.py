"""Kept vectors in memory."""

from __future__ import annotations

from collections.abc import Sequence

from cicada.documents.model import DocumentKey
from cicada.retrieval.model import Vector


class InMemoryKeptVectors:
    def __init__(self) -> None:
        self.parts: dict[tuple[DocumentKey, str], list[Vector]] = {}

    def read(self, document: DocumentKey, part: str) -> list[Vector] | None:
        return self.parts.get((document, part))

    def write(self, document: DocumentKey, part: str, vectors: Sequence[Vector]) -> None:
        self.parts[document, part] = list(vectors)
