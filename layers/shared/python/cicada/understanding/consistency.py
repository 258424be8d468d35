"""Whether the parts of a plan go together."""

from __future__ import annotations

from collections.abc import Mapping

from cicada.documents.catalogue import EVERY, Aggregate, Operation
from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.understanding.model import Intent
from cicada.understanding.plan import Plan, Shape

_GROUPED_BY = 2
_TYPES: Mapping[Operation, tuple[FieldType, ...]] = {
    "count": tuple(FieldType),
    "sum": (FieldType.NUMBER,),
    "avg": (FieldType.NUMBER,),
    "min": (FieldType.NUMBER, FieldType.DATE),
    "max": (FieldType.NUMBER, FieldType.DATE),
}


def contradiction(plan: Plan, schema: Schema | None = None) -> str | None:
    """What contradicts itself in the plan, as the rest of a sentence about it; None if nothing does.

    Documents that are named are looked up first: which they are and what is read of them is not decided by the plan.
    `schema`: of the base whose fields the plan names; without it the types of fields are not compared.
    """
    computes = bool(plan.aggregates or plan.group or plan.fields or (plan.sort and plan.sort.of))
    listing = bool(plan.filters or plan.sort or computes or plan.limit)
    if plan.subjects and not plan.named and plan.shape not in (Shape.CONTENT_ONLY, Shape.HYBRID):
        return f"is {plan.shape} and reads documents"
    if plan.intent is not Intent.SCRIPT_QUERY and plan.shape is not Shape.NO_MATCH:
        return f"has the intent {plan.intent} and searches"
    if plan.wants_documents and plan.shape not in (Shape.CONTENT_ONLY, Shape.HYBRID):
        return f"is {plan.shape} and wants documents about a subject"
    if plan.shape in (Shape.NO_MATCH, Shape.NEEDS_CLARIFICATION):
        return f"is {plan.shape} and searches" if listing or plan.search_value else None
    if plan.shape is Shape.METADATA_ONLY:
        return "is MetadataOnly and searches texts" if plan.search_value else _uncomputable(plan, schema)
    if not (plan.search_value or plan.subjects or plan.named):
        return f"is {plan.shape} and searches for nothing"
    if computes and not plan.wants_documents:
        return f"is {plan.shape} and computes numbers or asks for fields"
    if plan.shape is Shape.HYBRID and not (plan.filters or plan.named):
        return "is Hybrid and has no filters"
    if plan.shape is Shape.CONTENT_ONLY and plan.filters:
        return "is ContentOnly and has filters"
    return _uncomputable(plan, schema)


def _uncomputable(plan: Plan, schema: Schema | None) -> str | None:
    """What of its numbers cannot be computed."""
    sort = plan.sort
    if sort and (sort.of or sort.field == EVERY) and not (sort.of and plan.group):
        return "sorts by a number of groups and has no groups"
    if len(plan.group) > _GROUPED_BY or len(set(plan.group)) < len(plan.group):
        return "groups by more than two fields, or by one twice"
    asked = [*plan.aggregates, *([Aggregate(sort.of, sort.field)] if sort and sort.of else [])]
    return next((f"asks for the {each.op} of a field that has none" for each in asked if not _fits(each, schema)), None)


def _fits(aggregate: Aggregate, schema: Schema | None) -> bool:
    if aggregate.field == EVERY:
        return aggregate.op == "count"
    field = schema.fields.get(aggregate.field) if schema else None
    return field is None or field.type in _TYPES[aggregate.op]
