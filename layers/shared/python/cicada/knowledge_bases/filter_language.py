"""Filters as people and clients write them, checked against the schema of the knowledge base.

    status=approved          status=draft,approved     one of these values; of a list, one of them is among it
    status!=retired          none of these values, or no value at all
    effective>=2026-01-01    also >, <= and <, for numbers, dates and versions (version>=2.1)
    owner?  owner=*          the field has a value; `!owner` and `owner!=*`: it has none

A value with a comma stands in double quotes. docs/metadata.md describes the whole.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.model import AnyOf, Condition, Exists, NoneOf, Range, Scalar
from cicada.documents.versions import version_order
from cicada.errors import InvalidFilterError
from cicada.knowledge_bases.schema import BUILT_IN, FieldType, Schema, SchemaField
from cicada.knowledge_bases.values import Unusable, as_keyword, clipped, either_form, field_named, typed

_EXAMPLES = "status=approved, status!=draft, effective>=2026-01-01, owner? or !owner"
_FILTER = re.compile(r"([^=<>!?]++)(!=|>=|<=|=|>|<)(.*+)", re.DOTALL)
_PRESENCE = re.compile(r"(!?)([^=<>!?]++)(\??)")
# Characters of a filter or a name that a refusal repeats.
_SHOWN = 60
_ORDERED = (FieldType.NUMBER, FieldType.DATE)


class Operator(StrEnum):
    """The operators under their names on the wire."""

    EQ = "eq"
    ANY = "any"
    NONE = "none"
    GTE = "gte"
    GT = "gt"
    LTE = "lte"
    LT = "lt"
    EXISTS = "exists"


_BOUNDS = {Operator.GTE: "least", Operator.GT: "above", Operator.LTE: "most", Operator.LT: "below"}
_SIGNS = {
    "=": Operator.ANY,
    "!=": Operator.NONE,
    ">=": Operator.GTE,
    ">": Operator.GT,
    "<=": Operator.LTE,
    "<": Operator.LT,
}


class WrittenFilter(Struct, frozen=True):
    """A filter before its field is looked up. `values` of `EXISTS`: nothing, or whether there is a value."""

    field: str
    op: Operator
    values: tuple[Scalar, ...] = ()


def split_filter(text: str) -> WrittenFilter:
    """The parts of a text, with values as texts. Raises `InvalidFilterError` for what is no filter."""
    text = text.strip()
    if found := _FILTER.fullmatch(text):
        name, op, written = found[1].strip(), _SIGNS[found[2]], found[3].strip()
        if written == "*" and op in (Operator.ANY, Operator.NONE):
            return WrittenFilter(name, Operator.EXISTS, (op is Operator.ANY,))
        values = _listed(written) if op in (Operator.ANY, Operator.NONE) else (written,)
        if all(values):
            return WrittenFilter(name, op, values)
    elif (found := _PRESENCE.fullmatch(text)) and bool(found[1]) != bool(found[3]):
        return WrittenFilter(found[2].strip(), Operator.EXISTS, (not found[1],))
    raise InvalidFilterError(f"'{clipped(text, _SHOWN)}' is no filter; write it as {_EXAMPLES}.")


def condition(schema: Schema, written: WrittenFilter) -> Condition:
    """The condition, with values in the types of the schema. Raises `InvalidFilterError`, which says what there is.

    In a base without a schema every field is a keyword.
    """
    field = _field(schema, written.field)
    name = field.name if field else written.field
    if written.op is Operator.EXISTS:
        return Exists(name, _presence(name, written.values))
    if not written.values:
        raise InvalidFilterError(f"The filter of '{name}' has no value; give one.")
    values = either_form(field, [_value(field, each) for each in written.values])
    if written.op is Operator.NONE:
        return NoneOf(name, values)
    if written.op is Operator.ANY:
        return AnyOf(name, values)
    if len(written.values) > 1:
        raise InvalidFilterError(f"The filter of '{name}' takes one value for {written.op}; use any for several.")
    return AnyOf(name, values) if written.op is Operator.EQ else _range(field, name, written)


def _field(schema: Schema, name: str) -> SchemaField | None:
    """The schema's field, None for one that is a keyword without the schema's knowledge."""
    if found := field_named(schema, name):
        # One value of a list is a keyword.
        return replace(found, type=FieldType.KEYWORD) if found.type is FieldType.KEYWORDS else found
    if not schema.fields or name in BUILT_IN:
        return None
    raise InvalidFilterError(
        f"The knowledge base has no field '{clipped(name, _SHOWN)}'; use one of {', '.join(schema.fields)}."
    )


def _value(field: SchemaField | None, given: Scalar) -> Scalar:
    found = typed(field, given) if field else as_keyword(given)
    if isinstance(found, Unusable):
        raise InvalidFilterError(found.reason)
    return str(found) if isinstance(found, tuple) else found


def _range(field: SchemaField | None, name: str, written: WrittenFilter) -> Range:
    kind, bound = field.type if field else FieldType.KEYWORD, written.values[0]
    value = _value(field, bound) if kind in (*_ORDERED, FieldType.KEYWORD) else None
    if value is None or (kind is FieldType.KEYWORD and not version_order(value)):
        raise InvalidFilterError(f"The field '{name}' is of type {kind}, which has no order; use = or !=.")
    bounds: dict[str, Any] = {_BOUNDS[written.op]: value}
    return Range(name, **bounds)


def _presence(name: str, values: Sequence[Scalar]) -> bool:
    if len(values) > 1 or not all(isinstance(each, bool) for each in values):
        raise InvalidFilterError(f"The filter of '{name}' takes true or false for {Operator.EXISTS}.")
    return bool(values[0]) if values else True


def _listed(written: str) -> tuple[str, ...]:
    """The values between commas; `""` in quotes is one quote, as in CSV files."""
    rows = list(csv.reader([written], skipinitialspace=True))
    return tuple(each.strip() for each in rows[0]) if rows and rows[0] else ("",)
