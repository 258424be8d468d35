"""The fields that no schema declares, inferred from the values that documents have."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from cicada.documents.catalogue import TITLE
from cicada.documents.model import TABLE, MetadataValue
from cicada.knowledge_bases.inferred_standing import standing_rule
from cicada.knowledge_bases.observed_fields import (
    ANY_TABLE,
    MAX_VALUES,
    Look,
    Metadata,
    Observed,
    ObservedField,
    by_name,
    different,
    is_field,
    texts_of,
)
from cicada.knowledge_bases.schema import VALUED, FieldType, Schema, SchemaField
from cicada.knowledge_bases.table_names import nouns_of, table_field, without_names
from cicada.knowledge_bases.values import Unusable, as_keyword, folded, is_of_amounts, typed, words_of

_MONTH = re.compile(r"[0-9]{4}-[0-9]{2}")
# So few short values are listed even if none has recurred yet.
_FEW_VALUES, _FEW_WORDS = 12, 3
# Among the donors in a column may be "the tin on the counter".
_MOSTLY_SHORT = 0.8
# Values of these types take little room where documents are shown.
_SHORT, _SHOWN_FIELDS = (FieldType.DATE, FieldType.NUMBER, FieldType.PERSON, FieldType.BOOLEAN), 5
# The last word of a name whose digits are no quantity.
_CODES = frozenset("id code no nr num number phone fax zip postcode plz isbn sku ref reference key version".split())  # noqa: SIM905
# Tables are called so as well, and these numbers are quantities.
_QUANTITIES = frozenset("charge expense hour mark measurement payment point reading score".split())  # noqa: SIM905
_PEOPLE = frozenset(
    "author authors by owner chair chairman chairwoman chairperson editor contact lead leader head director manager "  # noqa: SIM905
    "responsible assignee reviewer approver speaker moderator secretary writer teacher inspector person engineer "
    "designer customer client doctor tenant employee officer supervisor recorder host signatory lecturer architect "
    "autor autorin verfasser verfasserin".split()
)
_TITLE_OF_A_PERSON = re.compile(r"(?:mr|mrs|ms|dr|prof|herr|frau)\.? ", re.IGNORECASE)
_PERSON = re.compile(r"[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){1,4}")


def type_of(field: ObservedField) -> FieldType:
    """The type that all values of the field have, or all in the rows that most are of; else a keyword."""
    looks = _deciding_looks(field)
    if Look.LIST in looks:
        return FieldType.KEYWORDS
    if looks == (Look.NUMBER,):
        return FieldType.KEYWORD if names_codes(field.name) or _numbers_records(field) else FieldType.NUMBER
    if looks in ((Look.DATE,), (Look.BOOLEAN,)):
        return FieldType(looks[0])
    return FieldType.PERSON if _names_people(field) else FieldType.KEYWORD


def _deciding_looks(field: ObservedField) -> tuple[str, ...]:
    """The looks that the type is taken from: those of the rows where most values are theirs and all look alike.

    So a letter's `from` leaves a table's days in *From* days.
    """
    outside = field.tables.get("", 0)
    has_more_rows = sum(field.tables.values()) - outside > outside
    return field.row_looks if has_more_rows and len(field.row_looks) == 1 else field.looks


def conflict_of(field: ObservedField) -> str:
    """A sentence for people where the values have no type in common; empty where they have one."""
    if len(field.looks) < 2 or field.looks == (Look.LIST, Look.TEXT):
        return ""
    looks = f"Values of '{field.name}' look like {' and '.join(field.looks)}"
    if _deciding_looks(field) == field.looks:
        return f"{looks}, so all are taken as text."
    return f"{looks}. As those of rows are {field.row_looks[0]}s, others stay texts that no condition finds."


def names_codes(name: str) -> bool:
    """Whether the digits of a field with this name are no quantity."""
    return not _CODES.isdisjoint(words_of(name)[-1:])


def _numbers_records(field: ObservedField) -> bool:
    """Whether the column has the numbers by which the rows are called, as *Plot* has in `plots.csv`."""
    name = folded(field.name)
    is_quantity = name in _QUANTITIES or is_of_amounts(name)
    return not is_quantity and any({f"{name}s", f"{name}es"} & {*nouns_of(table)} for table in field.tables)


def _names_people(field: ObservedField) -> bool:
    if field.looks != (Look.TEXT,) or not field.values:
        return False
    is_named_so = not _PEOPLE.isdisjoint(words_of(field.name)) and not names_codes(field.name)
    return all(map(_is_like_a_name, field.values)) and (
        is_named_so or all(_TITLE_OF_A_PERSON.match(each) for each in field.values)
    )


def _is_like_a_name(text: str) -> bool:
    words = text.split()
    return _PERSON.fullmatch(text) is not None and not (words[0].islower() or words[-1].islower())


def completed(declared: Schema, observed: Observed, knowledge_base: str) -> Schema:
    """The schema with the fields that it leaves to inference. What cannot be used of it, such as a date, is left out.

    Where the schema says nothing of it, a record is called as the knowledge base is.
    """
    known = by_name(observed)
    found = [_completed(each, known.get(folded(each.name))) for each in declared.fields.values()]
    taken = {folded(name) for each in found for name in (each.name, each.display)}
    found += [_inferred(each) for name, each in known.items() if name not in taken]
    found = [without_names(each, found) if each.name == TABLE else each for each in found]
    fields = {each.name: each for each in _with_some_shown(found)}
    dates = [name for name, each in fields.items() if each.type is FieldType.DATE]
    date = declared.date or next((name for name in dates if folded(name) == "date"), None)
    sort = declared.sort if declared.sort and declared.sort.field in (TITLE, *fields) else None
    items = declared.items or ((knowledge_base,) if observed and declared.is_inferred else ())
    inferred = None if declared.in_force else standing_rule(fields)
    if inferred and inferred.field:
        fields[inferred.field] = replace(fields[inferred.field], shown=True)
    date = date if date in dates else None
    return replace(declared, fields=fields, sort=sort, date=date, items=items, in_force=declared.in_force or inferred)


def _with_some_shown(fields: Sequence[SchemaField]) -> Sequence[SchemaField]:
    """The fields; where none is declared to be shown, the first short ones of the inferred are."""
    if any(each.shown for each in fields):
        return fields
    inferred = [each for each in fields if each.inferred and each.name != TABLE]
    short = [each for each in inferred if each.type in _SHORT or (each.values and each.type is FieldType.KEYWORD)]
    names = {each.name for each in short[:_SHOWN_FIELDS]}
    return [replace(each, shown=each.name in names) for each in fields]


def _completed(declared: SchemaField, found: ObservedField | None) -> SchemaField:
    if not declared.inferred or found is None:
        return declared
    inferred = _inferred(found)
    kind = declared.type if declared.type is FieldType.PERSON else inferred.type
    if declared.synonyms and kind not in (FieldType.KEYWORDS, FieldType.PERSON):
        kind = FieldType.KEYWORD
    known = inferred.values or (tuple(found.values) if declared.synonyms else ())
    return replace(
        declared,
        name=found.name,
        type=kind,
        values=different((*declared.values, *known)),
        synonyms={**inferred.synonyms, **declared.synonyms},
        tables=inferred.tables,
        months=inferred.months,
    )


def _inferred(field: ObservedField) -> SchemaField:
    if field.name == TABLE:
        return table_field(tuple(field.values))
    kind = type_of(field)
    months = frozenset(filter(_MONTH.fullmatch, field.values))
    # Days that were counted before their months were are of any.
    has_all_months = kind is FieldType.DATE and sum(field.values.values()) >= field.documents
    is_closed = kind in VALUED and _recurs(field, kind)
    values = tuple(each for each in field.values if each not in months) if is_closed else ()
    # Documents that were counted before their tables were are of any.
    is_known = ANY_TABLE not in field.tables and sum(field.tables.values()) >= field.documents
    tables = frozenset(field.tables) if is_known else frozenset()
    # "Who owns it?" has too few letters in common with the field's name to be found by them.
    words = ("owns", "owned") if words_of(field.name)[-1:] == ["owner"] else ()
    months = months if has_all_months else frozenset()
    return SchemaField(field.name, kind, values, words=words, inferred=True, tables=tables, months=months)


def _recurs(field: ObservedField, kind: FieldType) -> bool:
    """Whether the values are a closed class, not a text of each document's own; short ones of a table's column are."""
    if kind is FieldType.PERSON or field.documents >= 2 * len(field.values):
        return True
    most, share = (MAX_VALUES, _MOSTLY_SHORT) if any(field.tables) else (_FEW_VALUES, 1)
    short = sum(len(each.split()) <= _FEW_WORDS for each in field.values)
    return len(field.values) <= most and short >= share * len(field.values)


def as_observed(metadata: Metadata, declared: Schema, observed: Observed) -> dict[str, MetadataValue]:
    """The metadata in the types of their fields: those that the schema declares are so already."""
    known = by_name(observed)
    found: dict[str, MetadataValue] = {}
    for name, value in metadata.items():
        field = known.get(folded(name))
        if field is None or not is_field(name) or is_declared(declared, name):
            found[name] = value
        else:
            found[field.name] = _as_type(value, type_of(field))
    return found


def is_declared(schema: Schema, name: str) -> bool:
    """Whether the schema says what type the field of this name is of."""
    field = schema.fields.get(name)
    return field is not None and not field.inferred


def _as_type(value: MetadataValue, kind: FieldType) -> MetadataValue:
    """A value in the type; one that cannot be of it stays a text."""
    if kind is FieldType.KEYWORDS:
        return value if isinstance(value, tuple) else texts_of(value)
    text = as_keyword(value)
    result = typed(SchemaField("", kind), text if isinstance(text, str) else list(text))
    return text if isinstance(result, Unusable) else result
