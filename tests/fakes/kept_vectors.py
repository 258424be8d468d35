"""Kept vectors in memory."""

from __future__ import annotations

from collections.abc import Sequence

from cicada.documents.model import DocumentKey
from cicada.retrieval.ports import Encoding


class InMemoryKeptVectors:
    def __init__(self) -> None:
        self.parts: dict[tuple[DocumentKey, str], list[Encoding]] = {}

    def read(self, document: DocumentKey, part: str) -> list[Encoding] | None:
        return self.parts.get((document, part))

    def write(self, document: DocumentKey, part: str, encodings: Sequence[Encoding]) -> None:
        self.parts[document, part] = list(encodings)
