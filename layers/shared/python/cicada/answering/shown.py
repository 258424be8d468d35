"""Which documents the parts of an answer show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cicada.answering.model import AnswerPart, Cited, Listed
from cicada.audit.model import ShownDocument
from cicada.documents.model import DocumentKey, Passage


def documents_in(parts: Iterable[AnswerPart]) -> Iterator[ShownDocument]:
    """The documents of cited passages and of listed rows; other parts show none of their own."""
    for part in parts:
        if isinstance(part, Cited):
            yield from (document_of(each.passage) for each in part.passages)
        elif isinstance(part, Listed):
            yield from (_document(row.document, row.version) for row in part.rows)


def document_of(passage: Passage) -> ShownDocument:
    return _document(passage.document, passage.version)


def _document(key: DocumentKey, version: str) -> ShownDocument:
    return ShownDocument(key.base_key.knowledge_base, key.document_id, version)
