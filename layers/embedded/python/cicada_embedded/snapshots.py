"""What a process keeps of the index file in memory: the rows and texts of each knowledge base that it has searched."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from functools import cache
from threading import Lock

import numpy as np
from msgspec import Struct

from cicada.adapters.passage_codec import metadata_from_json, readers_from_json, row_from_json
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, PassageFilter, meets
from cicada.retrieval.fusion import CARD_FIELDS
from cicada_embedded.texts import Facts, Mask, Row, Texts, texts

PASSAGE_FIELDS = ("words", "title", "context")
# Knowledge bases that a process keeps.
_MAX_KEPT = 64


class Snapshot(Struct, frozen=True):
    """`documents`: the rows without their cards, by the documents' numbers, in ascending order."""

    revision: int
    documents: Mapping[int, DocumentRow]
    passages: Texts
    cards: Texts

    def matching(self, filter: PassageFilter) -> list[DocumentRow]:
        """The rows that match."""
        reads = _reads(filter.reader)
        return [
            row
            for row in self.documents.values()
            if (filter.document_ids is None or row.document.document_id in filter.document_ids)
            and reads(row.readers)
            and meets(row.metadata, filter.conditions)
        ]

    def shown(self, found: Texts, filter: PassageFilter) -> Mask:
        """Which of the passages or cards match."""
        mask = readable(found, filter)
        if filter.conditions:
            mask &= found.having([meets(each.metadata, filter.conditions) for each in found.facts])
        if filter.document_ids is not None:
            wanted = [
                number for number, row in self.documents.items() if row.document.document_id in filter.document_ids
            ]
            mask &= np.isin(found.documents, wanted)
        return mask


def readable(found: Texts, filter: PassageFilter) -> Mask:
    """Which of the passages or cards the filter's reader may read, whatever else it asks for."""
    reads = _reads(filter.reader)
    return found.having([reads(each.readers) for each in found.facts])


def _reads(reader: frozenset[str] | None) -> Callable[[tuple[str, ...]], bool]:
    return lambda readers: reader is None or not readers or not reader.isdisjoint(readers)


class Snapshots:
    """The snapshots of a process. Thread-safe. Only what was written since the last one is read from the file."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        nothing = (texts((), dimension, len(PASSAGE_FIELDS)), texts((), dimension, len(CARD_FIELDS)))
        self._empty = Snapshot(-1, {}, *nothing)
        self._file = ""
        self._kept: dict[int, Snapshot] = {}
        self._lock = Lock()

    def of(self, connection: sqlite3.Connection, file: str, base_key: KnowledgeBaseKey) -> Snapshot:
        """The snapshot of the transaction; an empty one for an unknown knowledge base."""
        found = connection.execute(
            "SELECT number, revision FROM base WHERE tenant = ? AND knowledge_base = ?",
            (base_key.tenant, base_key.knowledge_base),
        ).fetchone()
        if found is None:
            return self._empty
        number, revision = found
        with self._lock:
            if file != self._file:
                self._file, self._kept = file, {}
            kept = self._kept.pop(number, self._empty)
            made = kept if kept.revision == revision else self._read(connection, number, revision, base_key, kept)
            # A thread whose transaction is older than what is kept reads all, for itself alone.
            self._kept[number] = max(kept, made, key=lambda each: each.revision)
            while len(self._kept) > _MAX_KEPT:
                del self._kept[next(iter(self._kept))]
        return made

    def _read(
        self, connection: sqlite3.Connection, base: int, revision: int, base_key: KnowledgeBaseKey, kept: Snapshot
    ) -> Snapshot:
        numbers = [number for (number,) in connection.execute("SELECT number FROM document WHERE base = ?", (base,))]
        living = np.array(sorted(numbers), np.int64)
        if kept.revision > revision:
            kept = self._empty
        last, alive = max(kept.documents, default=0), set(numbers)
        documents = {number: row for number, row in kept.documents.items() if number in alive}
        documents |= _documents(connection, base, last, base_key)
        passages = texts(_passages(connection, base, last), self._dimension, len(PASSAGE_FIELDS))
        cards = texts(_cards(connection, base, last, documents), self._dimension, len(CARD_FIELDS))
        return Snapshot(
            revision, documents, kept.passages.extended(living, passages), kept.cards.extended(living, cards)
        )


def _documents(
    connection: sqlite3.Connection, base: int, last: int, base_key: KnowledgeBaseKey
) -> dict[int, DocumentRow]:
    rows = connection.execute(
        "SELECT number, document_id, row FROM document WHERE base = ? AND number > ? ORDER BY number", (base, last)
    )
    return {number: row_from_json(row, DocumentKey(base_key, name)) for number, name, row in rows}


def _passages(connection: sqlite3.Connection, base: int, last: int) -> list[Row]:
    rows = connection.execute(
        "SELECT passage.number, document, metadata, readers, passage.language, passage.lengths, passage.terms, "
        "passage.vector FROM passage JOIN document ON document.number = document "
        "WHERE document > ? AND base = ? ORDER BY passage.number",
        (last, base),
    )
    shared = cache(lambda metadata, readers: Facts(metadata_from_json(metadata), readers_from_json(readers)))
    return [Row(number, document, shared(fields, readers), *rest) for number, document, fields, readers, *rest in rows]


def _cards(connection: sqlite3.Connection, base: int, last: int, documents: Mapping[int, DocumentRow]) -> list[Row]:
    rows = connection.execute(
        "SELECT number, language, lengths, terms, vector FROM document "
        "WHERE base = ? AND number > ? AND card IS NOT NULL ORDER BY number",
        (base, last),
    )
    facts = {number: Facts(row.metadata, row.readers) for number, row in documents.items()}
    return [Row(number, number, facts[number], *rest) for number, *rest in rows]
