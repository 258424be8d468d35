"""A schema to plan with, and the filters of a plan as a test writes them."""

from __future__ import annotations

from datetime import UTC, datetime

from cicada.documents.model import AnyOf, Exists, NoneOf, Range
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.understanding.by_rules import SchemaPlanner
from cicada.understanding.plan import Plan, PlanRequest

NOW = datetime(2026, 5, 20, tzinfo=UTC)
SCHEMA = Schema(
    fields={
        "stage": SchemaField(
            "stage",
            FieldType.KEYWORD,
            ("sketch", "ratified", "lapsed"),
            {"ratified": ("in use", "agreed"), "sketch": ("not yet agreed",), "lapsed": ("dead",)},
        ),
        "kind": SchemaField(
            "kind", FieldType.KEYWORD, ("charter", "ledger", "report", "letter"), {"charter": ("statute",)}
        ),
        "guild": SchemaField(
            "guild", FieldType.KEYWORD, ("Bakers", "Rope Makers", "Glass Works"), {"Glass Works": ("GW",)}
        ),
        "keeper": SchemaField("keeper", FieldType.PERSON, ("Ada Brook", "Will Tanner", "Nora Brook"), is_owner=True),
        "sealed_on": SchemaField("sealed_on", FieldType.DATE, words=("sealed",)),
        "expiry_date": SchemaField("expiry_date", FieldType.DATE),
        "tags": SchemaField("tags", FieldType.KEYWORDS, ("flour", "fire-safety", "tolls")),
        "fee": SchemaField("fee", FieldType.NUMBER),
        "is_secret": SchemaField("is_secret", FieldType.BOOLEAN),
    },
    date="sealed_on",
    items=("record",),
)
PLANNER = SchemaPlanner()


def planned(*messages: str, asker: str = "") -> Plan:
    """The plan of the last message, after the others."""
    return PLANNER.plan(PlanRequest(messages[-1], "guilds", NOW, messages=messages[:-1], schema=SCHEMA, asker=asker))


def filters(*messages: str, asker: str = "") -> dict[str, object]:
    return filters_of(planned(*messages, asker=asker))


def filters_of(plan: Plan) -> dict[str, object]:
    """Per field: a value, a set of values, ("not", values), bounds, or None for a field that is not set."""
    found: dict[str, object] = {}
    for condition in plan.filters:
        if isinstance(condition, AnyOf):
            found[condition.field] = next(iter(condition.values)) if len(condition.values) == 1 else condition.values
        elif isinstance(condition, NoneOf):
            found[condition.field] = ("not", *sorted(map(str, condition.values)))
        elif isinstance(condition, Range):
            found[condition.field] = _bounds(condition)
        elif isinstance(condition, Exists):
            found[condition.field] = None
    return found


def _bounds(condition: Range) -> tuple[object, object]:
    least = condition.least if condition.above is None else condition.above
    return least, condition.below if condition.most is None else condition.most
