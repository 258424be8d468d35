"""Passages as rows of the index file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from cicada.adapters.passage_codec import (
    locator_from_json,
    locator_to_json,
    metadata_from_json,
    metadata_to_json,
    readers_from_json,
    readers_to_json,
)
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage
from cicada.retrieval.model import Vector
from cicada_embedded.conditions import stored_values

_SELECT = (
    "SELECT number, document_id, passage_id, version, title, text, context, locator, language, metadata, readers "
    "FROM passage JOIN body USING (number)"
)
_BY_NUMBER = _SELECT + " WHERE number IN (SELECT value FROM json_each(?))"  # noqa: S608 - made of constants
_BY_DOCUMENT = _SELECT + " WHERE collection = ? AND document_id = ? ORDER BY passage_id"
_VECTORS = (
    "SELECT passage_id, vector FROM passage JOIN vector USING (number) "
    "WHERE collection = ? AND passage_id IN (SELECT value FROM json_each(?))"
)


def insert_passage(connection: sqlite3.Connection, base_number: int, document_id: str, passage: Passage) -> int:
    """Returns the new passage's number."""
    number = connection.execute(
        "INSERT INTO passage (collection, document_id, passage_id, is_restricted) VALUES (?, ?, ?, ?)",
        (base_number, document_id, passage.passage_id, bool(passage.readers)),
    ).lastrowid
    assert number is not None  # noqa: S101 - an INSERT has just succeeded
    connection.execute(
        "INSERT INTO body VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            number,
            passage.version,
            passage.title,
            passage.text,
            passage.context,
            locator_to_json(passage.locator),
            passage.language,
            metadata_to_json(passage.metadata),
            readers_to_json(passage.readers),
        ),
    )
    connection.executemany(
        "INSERT INTO attribute VALUES (?, ?, ?, ?)",
        [
            (base_number, name, value, number)
            for name, values in passage.metadata.items()
            for value in set(stored_values(values))
        ],
    )
    connection.executemany(
        "INSERT INTO reader VALUES (?, ?, ?)", [(base_number, name, number) for name in set(passage.readers)]
    )
    return number


def insert_vector(connection: sqlite3.Connection, number: int, vector: bytes) -> None:
    """`vector`: 32-bit floats."""
    connection.execute("INSERT INTO vector VALUES (?, ?)", (number, vector))


def passages_by_number(
    connection: sqlite3.Connection, base_key: KnowledgeBaseKey, numbers: Iterable[int]
) -> dict[int, Passage]:
    rows = connection.execute(_BY_NUMBER, (json.dumps(list(numbers)),))
    return {row[0]: _passage(base_key, *row[1:]) for row in rows}


def passages_of_document(
    connection: sqlite3.Connection, base_number: int, document: DocumentKey
) -> tuple[Passage, ...]:
    rows = connection.execute(_BY_DOCUMENT, (base_number, document.document_id))
    return tuple(_passage(document.base_key, *row[1:]) for row in rows)


def vectors_of_passages(
    connection: sqlite3.Connection, base_number: int, passage_ids: Sequence[str]
) -> dict[str, Vector]:
    rows = connection.execute(_VECTORS, (base_number, json.dumps(list(passage_ids))))
    return {passage_id: memoryview(vector).cast("f") for passage_id, vector in rows}


def _passage(
    base_key: KnowledgeBaseKey,
    document_id: str,
    passage_id: str,
    version: str,
    title: str,
    text: str,
    context: str,
    locator: str,
    language: str,
    metadata: str,
    readers: str,
) -> Passage:
    return Passage(
        passage_id=passage_id,
        document=DocumentKey(base_key, document_id),
        version=version,
        title=title,
        text=text,
        context=context,
        locator=locator_from_json(locator),
        language=language,
        metadata=metadata_from_json(metadata),
        readers=readers_from_json(readers),
    )
