"""Filters as SQL, always within one knowledge base and so one tenant."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from msgspec import Struct

from cicada.documents.filter import PassageFilter
from cicada.documents.model import KnowledgeBaseKey
from cicada_embedded.conditions import condition_sql


class KnowledgeBaseState(Struct, frozen=True):
    """A knowledge base as a transaction sees it. `identity` is the file's; every write increases `revision`."""

    identity: str
    number: int
    revision: int
    has_restricted: bool


class Listing(Struct, frozen=True):
    """SQL that selects numbers of passages or documents, and its parameters."""

    sql: str
    values: tuple[int | float | str, ...]


class Selection(Struct, frozen=True):
    """`shown`: what a search may return. `hidden`: the others, given if only readers limit the search.

    Hidden ones are usually few; listing all the others would take most of a search's time.
    """

    shown: Listing
    hidden: Listing | None = None


def find_knowledge_base(
    connection: sqlite3.Connection, build: int, base_key: KnowledgeBaseKey
) -> KnowledgeBaseState | None:
    """None for a knowledge base that was never written to."""
    row = connection.execute(
        "SELECT property.value, number, revision, "
        "EXISTS (SELECT 1 FROM passage WHERE passage.collection = collection.number AND is_restricted) "
        "OR EXISTS (SELECT 1 FROM document WHERE document.collection = collection.number AND is_restricted) "
        "FROM collection, property "
        "WHERE build = ? AND tenant = ? AND knowledge_base = ? AND property.name = 'identity'",
        (build, base_key.tenant, base_key.knowledge_base),
    ).fetchone()
    return KnowledgeBaseState(row[0], row[1], row[2], bool(row[3])) if row else None


class Tables(Struct, frozen=True):
    """The table of the rows that are selected, and those of what belongs to them by their number.

    `attributes`: their metadata's values. `vectors` and `words`: of what is searched, which for a document is its card.
    """

    rows: str
    attributes: str
    readers: str
    vectors: str
    words: str


PASSAGES = Tables("passage", "attribute", "reader", "vector", "words")
DOCUMENTS = Tables("document", "document_attribute", "document_reader", "card_vector", "card_words")


def selection(state: KnowledgeBaseState, filter: PassageFilter, tables: Tables = PASSAGES) -> Selection:
    """The knowledge base's passages or documents that match the filter; an empty set of values matches none."""
    is_limited = filter.document_ids is not None or bool(filter.conditions)
    return Selection(matching(state, filter, tables), None if is_limited else hidden_from(state, filter.reader, tables))


def hidden_from(state: KnowledgeBaseState, reader: frozenset[str] | None, tables: Tables = PASSAGES) -> Listing | None:
    """The knowledge base's passages or documents that this user may not read; None if an operator asks."""
    return None if reader is None else _hidden(state, reader, tables)


def matching(state: KnowledgeBaseState, filter: PassageFilter, tables: Tables) -> Listing:
    """The knowledge base's passages or documents that match the filter."""
    sql = [f"SELECT number FROM {tables.rows} WHERE collection = ?"]  # noqa: S608 - a constant
    values: list[int | float | str] = [state.number]
    if filter.document_ids is not None:
        sql.append("AND document_id IN (SELECT value FROM json_each(?))")
        values.append(_array(filter.document_ids))
    for condition in filter.conditions:
        clause, bound = condition_sql(condition, state.number, tables.attributes)
        sql.append(f"AND {clause}")
        values += bound
    if state.has_restricted and filter.reader is not None:
        sql.append(f"AND (NOT is_restricted OR number IN ({_of_reader(tables)}))")
        values += [state.number, _array(filter.reader)]
    return Listing(" ".join(sql), tuple(values))


def _hidden(state: KnowledgeBaseState, reader: frozenset[str], tables: Tables) -> Listing:
    """The knowledge base's passages or documents that this user may not read."""
    readable = _of_reader(tables)
    return Listing(
        f"SELECT number FROM {tables.rows} WHERE collection = ? AND is_restricted AND number NOT IN ({readable})",  # noqa: S608 - a constant
        (state.number, state.number, _array(reader)),
    )


def _of_reader(tables: Tables) -> str:
    # The condition on `collection` is for speed: the primary key begins with it.
    return f"SELECT number FROM {tables.readers} WHERE collection = ? AND name IN (SELECT value FROM json_each(?))"  # noqa: S608 - a constant


def _array(values: Iterable[str]) -> str:
    """A JSON array for `json_each`. Values with a NUL are left out: SQLite's JSON would cut them there."""
    return json.dumps(sorted(value for value in values if "\0" not in value))
