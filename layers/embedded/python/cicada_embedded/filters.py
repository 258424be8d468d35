"""Filters as SQL: always of one collection, and so of one tenant."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from cicada.documents.filter import PassageFilter
from cicada.documents.model import KnowledgeBaseKey


@dataclass(frozen=True, slots=True)
class KnowledgeBaseState:
    """A collection as a transaction sees it. `identity` is the file's, `revision` changes with every write."""

    identity: str
    number: int
    revision: int
    has_restricted: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """SQL that gives numbers of passages, and what to bind to it."""

    sql: str
    values: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """The passages that may be found. `hidden`: where only readers limit them, those that may not.

    They are as a rule few, and a search that listed all others each time would spend most of its time on that.
    """

    shown: Listing
    hidden: Listing | None = None


def find_knowledge_base(
    connection: sqlite3.Connection, build: int, base_key: KnowledgeBaseKey
) -> KnowledgeBaseState | None:
    """None for a collection that nothing was ever written to."""
    row = connection.execute(
        "SELECT property.value, number, revision, "
        "EXISTS (SELECT 1 FROM passage WHERE passage.collection = collection.number AND is_restricted) "
        "FROM collection, property "
        "WHERE build = ? AND tenant = ? AND knowledge_base = ? AND property.name = 'identity'",
        (build, base_key.tenant, base_key.knowledge_base),
    ).fetchone()
    return KnowledgeBaseState(row[0], row[1], row[2], bool(row[3])) if row else None


# A number is of one collection anyway. By collection, as the table is ordered, no other tenant's rows are gone through.
_OF_READER = "SELECT number FROM reader WHERE collection = ? AND name IN (SELECT value FROM json_each(?))"


def selection(base_key: KnowledgeBaseState, filter: PassageFilter) -> Selection:
    """The passages of the collection that the filter lets through; an empty set of values lets none through."""
    sql = ["SELECT number FROM passage WHERE collection = ?"]
    values: list[int | str] = [base_key.number]
    if filter.document_ids is not None:
        sql.append("AND document_id IN (SELECT value FROM json_each(?))")
        values.append(_array(filter.document_ids))
    for name, allowed in filter.metadata.items():
        sql.append(
            "AND number IN (SELECT number FROM attribute "
            "WHERE collection = ? AND name = ? AND value IN (SELECT value FROM json_each(?)))"
        )
        values += [base_key.number, name, _array(allowed)]
    is_limited = len(values) > 1
    if base_key.has_restricted:
        sql.append(f"AND (NOT is_restricted OR number IN ({_OF_READER}))")
        values += [base_key.number, _array(filter.reader)]
    return Selection(Listing(" ".join(sql), tuple(values)), None if is_limited else _hidden(base_key, filter))


def _hidden(base_key: KnowledgeBaseState, filter: PassageFilter) -> Listing:
    """The passages of the collection whose readers the asker is none of."""
    return Listing(
        f"SELECT number FROM passage WHERE collection = ? AND is_restricted AND number NOT IN ({_OF_READER})",  # noqa: S608 - a constant
        (base_key.number, base_key.number, _array(filter.reader)),
    )


def _array(values: Iterable[str]) -> str:
    """For `json_each`. SQLite's JSON ends a text at a NUL, and would take what follows it for nothing."""
    return json.dumps(sorted(value for value in values if "\0" not in value))
