"""What another table has of a row: the two share a value, such as the name of a person or the number of a member."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.model import TABLE
from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.knowledge_bases.values import folded
from cicada.understanding.facts import Mention, facts_of
from cicada.understanding.left_out import unread
from cicada.understanding.meaning import Meaning
from cicada.understanding.understood import Understood
from cicada.understanding.vocabulary import Kind, Vocabulary
from cicada.understanding.words import split_words

if TYPE_CHECKING:
    from cicada.understanding.tables import TablesReader

_SURE, _MOST_UNREAD = 0.75, 1
# Columns of these kinds tell single rows apart; others with fewer values tell kinds of rows apart.
_OF_ONE, _TELLING = ("name", "code"), 6


class Row(Struct, frozen=True):
    """A row that is spoken of. `table`: its own, empty where that is not known. `values`: those that were shown."""

    table: str
    values: Sequence[str]


class _Shared(Struct, frozen=True):
    """The column of another table that has a value of the row, as it is written there."""

    column: str
    value: str


def of_other_table(reader: TablesReader, row: Row, message: str, now: date, asker: str) -> Understood | None:
    """What a message on a row asks of the rows of another table which have one of its values: "and his boat?".

    None if the table of the row has what is asked, or no other one that has it has such a value.
    """
    whole = reader.whole
    mentions = facts_of(message, whole.vocabulary, now, whole.heads.common).mentions
    for table in _tables_asked(reader, mentions, row.table):
        shared = (_shared(value, table, whole.schema, whole.vocabulary) for value in row.values)
        if column := next(filter(None, shared), None):
            found = reader.reader_of(table).next(message, None, now, asker)
            own = (name for each in mentions for name in each.fields(Kind.FIELD)[:1])
            columns = tuple(dict.fromkeys(name for name in own if table in whole.schema.fields[name].tables))
            return _of_shared(found, table, column, columns)
    return None


def people(text: str, schema: Schema, vocabulary: Vocabulary) -> Sequence[str]:
    """Whom the tables know of those that the text names."""
    columns = [
        each
        for name, each in schema.fields.items()
        if each.type is FieldType.PERSON or (vocabulary.kinds[name] == "name" and "title" not in split_words(name))
    ]
    return sorted({value for each in columns if each.tables for value in each.values if value in text})


def most_of(tables: Collection[str], columns: Sequence[Collection[str]]) -> list[str]:
    """The tables that have most of the columns."""
    numbers = {table: sum(table in each for each in columns) for table in tables}
    highest = max(numbers.values())
    return [table for table in tables if numbers[table] == highest]


def _tables_asked(reader: TablesReader, mentions: Sequence[Mention], table: str) -> Sequence[str]:
    """The other tables that most of a message is about; none where it is as much about this one.

    "How many courses does she teach?" is of courses, although it has a word of teachers too.
    """
    spoken_of = [each for each in map(reader.tables_of, mentions) if each]
    if not spoken_of or len(unread(mentions)) > _MOST_UNREAD:
        return ()
    most = most_of(reader.schema.fields[TABLE].values, spoken_of)
    is_own = table in most and (table in spoken_of[0] or len(most) == 1)
    return () if is_own else sorted({*most} - {table})


def _shared(value: str, table: str, schema: Schema, vocabulary: Vocabulary) -> _Shared | None:
    """The column of the table that has the value; of several the one with most values."""
    found = [
        (len(each.values), name, known)
        for name, each in schema.fields.items()
        if table in each.tables and vocabulary.kinds[name] != "place"
        if vocabulary.kinds[name] in _OF_ONE or len(each.values) >= _TELLING
        for known in each.values
        if folded(known) == folded(value)
    ]
    return _Shared(*max(found)[1:]) if found else None


def _of_shared(found: Understood, table: str, shared: _Shared, asked: tuple[str, ...]) -> Understood:
    """What was understood, of the rows of the table that have the value; `asked`: the columns that are spoken of.

    One row has no highest pay: "what does she earn?".
    """
    own = found.meaning if found.strategy == "M" else Meaning(fields=found.meaning.fields)
    meaning = replace(
        own,
        wanted={**own.wanted, TABLE: (table,), shared.column: (shared.value,)},
        aggregates=tuple(each for each in own.aggregates if each.op in ("count", "sum")),
        fields=own.fields or asked,
        named=(),
    )
    sure = max(found.confidence, _SURE)
    return replace(found, meaning=meaning, strategy="M", continues=False, single=False, confidence=sure)
