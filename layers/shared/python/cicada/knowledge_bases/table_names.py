"""What the rows of a table are called: kinds of records, by the table's name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from cicada.documents.model import TABLE
from cicada.knowledge_bases.schema import FieldType, SchemaField
from cicada.knowledge_bases.values import folded, words_of

# Words for tables in the names of tables.
_OF_TABLES = frozenset(
    "data dataset table tab sheet export list report overview file record csv copy final new old draft index "  # noqa: SIM905
    "tabelle daten blatt liste übersicht verzeichnis kopie neu feuille tableau données hoja tabla datos".split()
)
# Words for collections: they call the rows only where the name has nothing else.
_COLLECTIONS = frozenset("log register book ledger stock inventory roster directory".split())  # noqa: SIM905


def table_field(names: Iterable[str]) -> SchemaField:
    """The tables as kinds of records: the rows of `complaints_2026` are complaints."""
    nouns = {name: nouns_of(name) for name in names}
    synonyms = {name: each for name, each in nouns.items() if each}
    return SchemaField(TABLE, FieldType.KEYWORD, tuple(synonyms), synonyms, display="table", inferred=True)


def without_names(tables: SchemaField, fields: Sequence[SchemaField]) -> SchemaField:
    """The tables' field without the words that name a field: "rows with status open" asks for no table `status`.

    A column of other tables alone does not count: call-outs with a column *Vehicles* leave `vehicles.csv` its name.
    """
    synonyms: dict[str, tuple[str, ...]] = {}
    for table, nouns in tables.synonyms.items():
        names = {folded(name) for each in fields if _may_be_of(each, table) for name in (each.name, each.display)}
        left = tuple(each for each in nouns if each not in names)
        if left and folded(table) not in names:
            synonyms[table] = left
    names = {folded(name) for each in fields if each.name != TABLE for name in (each.name, each.display)}
    display = "table name" if folded(tables.display) in names else tables.display
    return replace(tables, values=tuple(synonyms), synonyms=synonyms, display=display)


def _may_be_of(field: SchemaField, table: str) -> bool:
    """Whether the rows of the table, or documents, may have the field."""
    return field.name != TABLE and (not field.tables or table in field.tables or "" in field.tables)


def nouns_of(table: str) -> tuple[str, ...]:
    """What the rows are called: all words of the sheet's name, else of the document's, and the last one."""
    for part in reversed(table.split(" › ")):
        words = [each for each in words_of(part) if each.isalpha() and each.removesuffix("s") not in _OF_TABLES]
        if nouns := [each for each in words if each.removesuffix("s") not in _COLLECTIONS] or words[-1:]:
            kinds = [each for each in nouns if each.endswith("s")]  # "Rehearsals Snow White" has rehearsals.
            return tuple(dict.fromkeys((" ".join(nouns), (kinds or nouns)[-1])))
    return ()
