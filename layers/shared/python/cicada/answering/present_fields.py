"""Which field is meant by an order or a number that none of the documents has: the only one of theirs that fits.

Documents of a base differ in their fields: the oldest instrument is the one acquired first, and not the first by the
date of an evening.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from cicada.documents.aggregates import values_of
from cicada.documents.catalogue import EVERY, TITLE, Aggregate, DocumentRow
from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.understanding.plan import Plan
from cicada.understanding.vocabulary import is_of_money

_COMPARED = (FieldType.DATE, FieldType.NUMBER)


def with_present_field(plan: Plan, rows: Sequence[DocumentRow], schema: Schema) -> Plan:
    """The plan with the field that the documents have; as it is where they have its own, or several that fit."""
    sort = plan.sort
    if sort and not sort.of:
        return replace(plan, sort=replace(sort, field=_present(sort.field, rows, schema)))
    found = tuple(Aggregate(each.op, _present(each.field, rows, schema)) for each in plan.aggregates)
    return replace(plan, aggregates=found)


def _present(field: str, rows: Sequence[DocumentRow], schema: Schema) -> str:
    declared = schema.fields.get(field)
    if field in (EVERY, TITLE) or declared is None or declared.type not in _COMPARED:
        return field
    if not rows or any(values_of(row, field) for row in rows):
        return field
    alike = [each.name for each in schema.fields.values() if each.type is declared.type]
    if declared.type is FieldType.NUMBER:
        alike = [name for name in alike if is_of_money(name) == is_of_money(field)]
    fitting = [name for name in alike if all(values_of(row, name) for row in rows)]
    return fitting[0] if len(fitting) == 1 else field
