"""Filters as SQL: always of one collection, and so of one tenant."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from cicada.documents.model import Collection
from cicada.retrieval.model import PassageFilter


@dataclass(frozen=True, slots=True)
class CollectionState:
    """A collection as a transaction sees it. `identity` is the file's, `revision` changes with every write."""

    identity: str
    number: int
    revision: int
    has_restricted: bool


@dataclass(frozen=True, slots=True)
class Selection:
    """SQL that gives the numbers of the passages that may be found, and what to bind to it."""

    sql: str
    values: tuple[int | str, ...]
    is_whole_collection: bool


def find_collection(connection: sqlite3.Connection, build: int, collection: Collection) -> CollectionState | None:
    """None for a collection that nothing was ever written to."""
    row = connection.execute(
        "SELECT property.value, number, revision, "
        "EXISTS (SELECT 1 FROM passage WHERE passage.collection = collection.number AND is_restricted) "
        "FROM collection, property "
        "WHERE build = ? AND tenant = ? AND knowledge_base = ? AND property.name = 'identity'",
        (build, collection.tenant, collection.knowledge_base),
    ).fetchone()
    return CollectionState(row[0], row[1], row[2], bool(row[3])) if row else None


def selection(collection: CollectionState, filter: PassageFilter) -> Selection:
    """The passages of the collection that the filter lets through; an empty set of values lets none through."""
    sql = ["SELECT number FROM passage WHERE collection = ?"]
    values: list[int | str] = [collection.number]
    if filter.document_ids is not None:
        sql.append("AND document_id IN (SELECT value FROM json_each(?))")
        values.append(_array(filter.document_ids))
    for name, allowed in filter.metadata.items():
        sql.append(
            "AND number IN (SELECT number FROM attribute "
            "WHERE collection = ? AND name = ? AND value IN (SELECT value FROM json_each(?)))"
        )
        values += [collection.number, name, _array(allowed)]
    if collection.has_restricted:
        sql.append(
            "AND (NOT is_restricted OR number IN (SELECT number FROM reader "
            "WHERE collection = ? AND name IN (SELECT value FROM json_each(?))))"
        )
        values += [collection.number, _array(filter.reader)]
    return Selection(" ".join(sql), tuple(values), len(values) == 1)


def _array(values: Iterable[str]) -> str:
    return json.dumps(sorted(values))
