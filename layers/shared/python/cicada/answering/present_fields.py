"""Which field is meant by an order, a number or a person that none of the documents has: the only one that fits.

Documents of a base differ in their fields: the oldest instrument is the one acquired first, and not the first by the
date of an evening; "who did it?" is of the inspector of an inspection.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from cicada.documents.aggregates import values_of
from cicada.documents.catalogue import EVERY, TITLE, Aggregate, DocumentRow
from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.understanding.plan import Plan
from cicada.understanding.vocabulary import is_of_money

_OF_ONE_KIND = (FieldType.DATE, FieldType.NUMBER, FieldType.PERSON)


def with_present_field(plan: Plan, rows: Sequence[DocumentRow], schema: Schema) -> Plan:
    """The plan with the field that the documents have; as it is where they have its own, or several that fit."""
    sort = plan.sort
    if sort and not sort.of:
        return replace(plan, sort=replace(sort, field=_present(sort.field, rows, schema)))
    found = tuple(Aggregate(each.op, _present(each.field, rows, schema)) for each in plan.aggregates)
    fields = tuple(_present(each, rows, schema) for each in plan.fields) if len(plan.fields) == 1 else plan.fields
    return replace(plan, aggregates=found, fields=fields)


def _present(field: str, rows: Sequence[DocumentRow], schema: Schema) -> str:
    declared = schema.fields.get(field)
    if field in (EVERY, TITLE) or declared is None or declared.type not in _OF_ONE_KIND:
        return field
    if not rows or any(values_of(row, field) for row in rows):
        return field
    alike = [each.name for each in schema.fields.values() if each.type is declared.type]
    if is_of_money(field):
        alike = [name for name in alike if is_of_money(name)]
    fitting = [name for name in alike if 2 * sum(bool(values_of(row, name)) for row in rows) >= len(rows)]
    return fitting[0] if len(fitting) == 1 else field
