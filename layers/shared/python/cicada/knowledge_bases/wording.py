"""Conditions and values in words, for people."""

from __future__ import annotations

from collections.abc import Mapping

from cicada.documents.filter import AnyOf, Condition, Exists, NoneOf, Scalar
from cicada.documents.model import MetadataValue
from cicada.knowledge_bases.schema import Schema

# A source has little room: a frame holds several.
MAX_FIELDS = 10
MAX_NAME = 60
MAX_VALUE = 120
# A client may write conditions of hundreds of long values.
MAX_CONDITION = 200


def described(condition: Condition, schema: Schema) -> str:
    """A condition such as `Status: approved or draft`, by the field's name for people. A long one ends with `…`."""
    text = _in_words(condition, schema)
    return text if len(text) <= MAX_CONDITION else f"{text[: MAX_CONDITION - 1]}…"


def _in_words(condition: Condition, schema: Schema) -> str:
    field = schema.fields.get(condition.field)
    name = (field.display if field else "") or condition.field
    if isinstance(condition, Exists):
        return f"{name}: {'any' if condition.present else 'none'}"
    if isinstance(condition, AnyOf | NoneOf):
        values = " or ".join(sorted(shown_value(value) for value in condition.values))
        return f"{name}: {'not ' if isinstance(condition, NoneOf) else ''}{values}"
    bounds = (
        ("from", condition.least),
        ("after", condition.above),
        ("to", condition.most),
        ("before", condition.below),
    )
    return f"{name}: {' '.join(f'{word} {shown_value(bound)}' for word, bound in bounds if bound is not None)}"


def shown_value(value: MetadataValue | Scalar) -> str:
    """The value as people read it: `yes`, `12,000`, `gmp, audit`."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float | int):
        return f"{value:,.0f}" if value == int(value) else f"{value:,}"
    return ", ".join(value) if isinstance(value, tuple) else value


def shown_fields(schema: Schema, metadata: Mapping[str, MetadataValue]) -> dict[str, str]:
    """The values of the fields that the schema shows, by their display names, in the schema's order."""
    found = [field for field in schema.fields.values() if field.shown and field.name in metadata]
    return {
        (field.display or field.name)[:MAX_NAME]: shown_value(metadata[field.name])[:MAX_VALUE]
        for field in found[:MAX_FIELDS]
    }
