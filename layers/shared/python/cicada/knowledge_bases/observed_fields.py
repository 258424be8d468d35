"""The fields that documents have, counted: what the values of each are like, and how many documents have which text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from enum import StrEnum
from itertools import chain
from typing import TypeAlias

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from cicada.documents.catalogue import EVERY, TITLE
from cicada.documents.model import ROW, TABLE, MetadataValue
from cicada.knowledge_bases.schema import BUILT_IN, FieldType, SchemaField
from cicada.knowledge_bases.values import Unusable, as_keyword, folded, typed

MAX_FIELDS = 64
MAX_VALUES = 50
MAX_TABLES = 12
# The row of a base fits into an item of DynamoDB with all its fields and values. They are kept as JSON: a value has
# two quotes, and a control character takes six bytes.
_LONGEST_VALUE_BYTES, _LONGEST_TABLE_BYTES, _LONGEST_NAME = 50, 62, 64
# Characters of a longer name of a table, which names no rows, by which the table is counted all the same.
_CUT = 9
# Stands for the tables of a field that more of them have than are counted.
ANY_TABLE = "*"
# More documents than that prove nothing more, so a base that has them is not written again for each document.
_ENOUGH = 2 * MAX_VALUES
# Each document has these without metadata, or they stand for documents.
_RESERVED = frozenset({TITLE, EVERY, ROW, TABLE, "readers", *BUILT_IN})
_NUMBER = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,14}|[1-9][0-9]{0,2}(?:,[0-9]{3}){1,4})(?:\.[0-9]{1,9})?")


class Look(StrEnum):
    """What a value looks like."""

    NUMBER = "number"
    DATE = "date"
    BOOLEAN = "boolean"
    LIST = "list"
    TEXT = "text"


class ObservedField(Struct, frozen=True):
    """A field as documents have it.

    `looks`: of its values, sorted; they stay as long as any document has the field. `row_looks`: those of the rows of
    tables. `documents`: how many have it; `tables`: how many by the table whose rows they are, under "" those that are
    no rows; of many tables not which. `values`: the different texts, of days their months, and how many documents have
    each, none where they are too many or too long (`is_open`). Counts end at a bound; one that has reached it stays.
    """

    name: str
    looks: tuple[str, ...] = ()
    documents: int = 0
    values: Mapping[str, int] = field(default_factory=dict)
    is_open: bool = False
    tables: Mapping[str, int] = field(default_factory=dict)
    row_looks: tuple[str, ...] = ()


Observed = tuple[ObservedField, ...]
Metadata: TypeAlias = Mapping[str, MetadataValue]


def observed_with(known: Observed, metadata: Metadata, before: Metadata | None = None) -> Observed:
    """The fields after a document was added, or after it changed from `before`; it is gone if `metadata` is empty.

    A name in another case is the same field. Fields beyond the bound are left out. A document whose ingest was repeated
    may be counted twice: of one that is gone, a value is forgotten too that one other document seems to have.
    """
    fields = by_name(known)
    after, earlier = _by_field(metadata), _by_field(before or {})
    for key, (name, value) in after.items():
        if key in fields or _has_room(fields, name):
            fields[key] = _changed(fields.get(key) or ObservedField(name), value, earlier.get(key, ("", None))[1])
    for key, (_, value) in earlier.items():
        if key in fields and key not in after:
            fields[key] = _changed(fields[key], None, value)
    found = tuple(each for each in fields.values() if each.documents)
    return found if after else tuple(_without_rare(each, earlier) for each in found)


def observed_in(records: Iterable[Metadata]) -> Observed:
    """The fields of the records of one table. A record counts as a document does."""
    names: dict[str, str] = {}
    values: dict[str, list[MetadataValue]] = {}
    tables: dict[str, Counter[str]] = {}
    for record in records:
        table = str(record.get(TABLE, ""))
        for key, (name, value) in _by_field(record).items():
            if key in names or _has_room(names, name):
                known = names.setdefault(key, name)
                values.setdefault(known, []).append(value)
                tables.setdefault(known, Counter())[table] += 1
    return tuple(_of_column(name, found, tables[name]) for name, found in values.items())


def _has_room(known: Sized, name: str) -> bool:
    """Whether another field, of this name, can be kept beside the known ones."""
    return len(known) < MAX_FIELDS and len(name) <= _LONGEST_NAME


def _of_column(name: str, values: Sequence[MetadataValue], tables: Mapping[str, int]) -> ObservedField:
    looks = tuple(sorted({look_of(value).value for value in set(values)}))
    counts: dict[str, int] = {}
    for value, number in Counter(values).items():
        for text in _counted_texts(value) if len(counts) <= MAX_VALUES else ():
            _count(counts, text, number)
    of_rows = looks if any(tables) else ()
    return _bounded(ObservedField(name, looks, min(len(values), _ENOUGH), counts, tables=tables, row_looks=of_rows))


def observed_with_records(known: Observed, now: Observed, before: Observed = ()) -> Observed:
    """The fields after a table was added, or after it changed from `before`; it is gone if `now` is empty.

    What a table had is taken away whole, also where other documents made a count end at its bound: too little known
    is mended by the next ingest of another document that has it.
    """
    counted, here, earlier = map(by_name, (known, now, before))
    added = tuple(_missing(each, earlier.get(key), counted.get(key)) for key, each in here.items())
    fields = {
        key: _less(each, earlier.get(key), here.get(key)) for key, each in by_name(merged((known, added))).items()
    }
    return tuple(each for key, each in fields.items() if each.documents or key in here)


def by_name(fields: Observed) -> dict[str, ObservedField]:
    return {folded(each.name): each for each in fields}


def _missing(field: ObservedField, before: ObservedField | None, counted: ObservedField | None) -> ObservedField:
    """What is to be added of a table's field: of what was counted before only what is not known any more."""
    if before is None or counted is None:
        return field
    values = {
        text: number
        for text, number in field.values.items()
        if _known(before.values, text) is None or _known(counted.values, text) is None
    }
    documents = max(field.documents - before.documents, 0)
    return replace(field, documents=documents, values=values, tables=_difference(field.tables, before.tables))


def _difference(more: Mapping[str, int], less: Mapping[str, int]) -> dict[str, int]:
    """The counts of the first that the second does not have."""
    rest = {name: number - less.get(name, 0) for name, number in more.items()}
    return {name: number for name, number in rest.items() if number > 0}


def _less(field: ObservedField, before: ObservedField | None, after: ObservedField | None) -> ObservedField:
    """The field without what a table had of it before and does not have after its change."""
    if before is None:
        return field
    after = after or ObservedField("")
    gone = {text: number for text, number in before.values.items() if _known(after.values, text) is None}
    counts = {text: number - gone.get(_known(gone, text) or "", 0) for text, number in field.values.items()}
    documents = field.documents - max(before.documents - after.documents, 0)
    values = {text: number for text, number in counts.items() if number > 0}
    tables = _difference(field.tables, _difference(before.tables, after.tables))
    row_looks = field.row_looks if any(tables) else ()
    return replace(field, documents=max(documents, 0), values=values, tables=tables, row_looks=row_looks)


def _without_rare(field: ObservedField, gone: Mapping[str, tuple[str, MetadataValue]]) -> ObservedField:
    texts = {folded(each) for each in _counted_texts(gone.get(folded(field.name), ("", None))[1])}
    values = {text: count for text, count in field.values.items() if count > 1 or folded(text) not in texts}
    return replace(field, values=values)


def without_room(metadata: Metadata, observed: Observed) -> tuple[str, ...]:
    """The names of fields that are none of the observed ones."""
    known = by_name(observed)
    return tuple(name for key, (name, _) in _by_field(metadata).items() if key not in known)


def _by_field(metadata: Metadata) -> dict[str, tuple[str, MetadataValue]]:
    """Names and values by the folded names, without what is no field and without empty values."""
    return {
        folded(name): (name, value)
        for name, value in metadata.items()
        if (name == TABLE or name not in _RESERVED) and value not in ("", ())
    }


def merged(many: Iterable[Observed]) -> Observed:
    """The fields of several observations as one."""
    fields: dict[str, ObservedField] = {}
    for each in chain.from_iterable(many):
        known = fields.get(folded(each.name)) or ObservedField(each.name)
        counts = dict(known.values)
        for text, number in each.values.items():
            _count(counts, text, number)
        fields[folded(each.name)] = _bounded(
            replace(
                known,
                looks=tuple(sorted({*known.looks, *each.looks})),
                documents=min(known.documents + each.documents, _ENOUGH),
                values=counts,
                is_open=known.is_open or each.is_open,
                tables=Counter(known.tables) + Counter(each.tables),
                row_looks=_looks_of_rows(known, each),
            )
        )
    return tuple(list(fields.values())[:MAX_FIELDS])


def _looks_of_rows(*fields: ObservedField) -> tuple[str, ...]:
    """None where some of the rows were counted before their looks were."""
    is_known = all(each.row_looks or not any(each.tables) for each in fields)
    return tuple(sorted({look for each in fields for look in each.row_looks})) if is_known else ()


def _changed(field: ObservedField, value: MetadataValue | None, before: MetadataValue | None) -> ObservedField:
    """The field after a document's value of it was `before` and is `value`; None for no value."""
    counts = dict(field.values)
    now, earlier = _counted_texts(value), _counted_texts(before)
    for text in now:
        # One that was counted before may be missing all the same: fields are observed since a certain version.
        _count(counts, text, 0 if text in earlier and _known(counts, text) else 1)
    for text in earlier:
        if text not in now:
            _count(counts, text, -1)
    added = (value is not None) - (before is not None)
    number = field.documents if field.documents >= _ENOUGH else field.documents + added
    looks = {*field.looks, *([look_of(value).value] if value is not None else [])}
    documents = max(number, int(value is not None))
    outside = field.tables.get("", 0)
    outside = outside if outside >= _ENOUGH else max(outside + added, int(value is not None))
    tables = {**field.tables, "": outside} if outside else _difference(field.tables, {"": _ENOUGH})
    return _bounded(replace(field, looks=tuple(sorted(looks)), documents=documents, values=counts, tables=tables))


def _count(counts: dict[str, int], text: str, more: int) -> None:
    """Count the text under the form in which it was written first."""
    known = _known(counts, text) or text
    number = counts.get(known, 0)
    counts[known] = number if number >= _ENOUGH else min(number + more, _ENOUGH)
    if counts[known] <= 0:
        del counts[known]


def _known(counts: Mapping[str, int], text: str) -> str | None:
    return text if text in counts else next((each for each in counts if folded(each) == folded(text)), None)


def _bounded(field: ObservedField) -> ObservedField:
    longest = _LONGEST_TABLE_BYTES if field.name == TABLE else _LONGEST_VALUE_BYTES
    long = {each for each in field.values if len(msgspec.json.encode(each)) > longest}
    if field.name == TABLE:
        # The rows of one table are not called otherwise because another one's name is long.
        kept = [each for each in field.values.items() if each[0] not in long]
        return replace(field, values=dict(kept[:MAX_VALUES]), tables=_bounded_tables(field.tables))
    is_open = field.is_open or bool(long) or len(field.values) > MAX_VALUES
    values = {} if is_open else field.values
    return replace(field, values=values, is_open=is_open, tables=_bounded_tables(field.tables))


def _bounded_tables(tables: Mapping[str, int]) -> Mapping[str, int]:
    found = Counter[str]()
    for table, number in tables.items():
        is_long = len(msgspec.json.encode(table)) > _LONGEST_TABLE_BYTES
        found[f"{table[:_CUT]}…" if is_long else table] += number
    if len(found) > MAX_TABLES:
        return {ANY_TABLE: _ENOUGH}
    return {table: min(number, _ENOUGH) for table, number in found.items()}


def different(values: Iterable[str]) -> tuple[str, ...]:
    """The values, each once, as it was written first."""
    found: dict[str, str] = {}
    for each in values:
        found.setdefault(folded(each), each)
    return tuple(found.values())


def _counted_texts(value: MetadataValue | None) -> tuple[str, ...]:
    """The texts that are counted of a value: of a day its month."""
    if value is None:
        return ()
    look = look_of(value)
    if look is Look.DATE:
        return (str(typed(SchemaField("", FieldType.DATE), value))[: len("2026-12")],)
    return texts_of(value) if look in (Look.TEXT, Look.LIST) else ()


def texts_of(value: MetadataValue) -> tuple[str, ...]:
    found = as_keyword(value)
    return different(" ".join(each.split()) for each in ((found,) if isinstance(found, str) else found))


def look_of(value: MetadataValue) -> Look:
    """What the value looks like. Digits that begin with a zero are no number."""
    if isinstance(value, tuple):
        return Look.LIST
    if isinstance(value, bool):
        return Look.BOOLEAN
    if not isinstance(value, str) or _NUMBER.fullmatch(value.strip()):
        return Look.NUMBER
    if not isinstance(typed(SchemaField("", FieldType.BOOLEAN), value), Unusable):
        return Look.BOOLEAN
    return Look.TEXT if isinstance(typed(SchemaField("", FieldType.DATE), value), Unusable) else Look.DATE


def is_field(name: str) -> bool:
    """Whether the name is that of a field, and of nothing that documents have without metadata."""
    return name not in _RESERVED
