"""Conditions on metadata as JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cicada.documents.filter import AnyOf, Condition, Exists, NoneOf, Range, Scalar

_BOUNDS = ("least", "above", "most", "below")


def condition_values(condition: Condition) -> dict[str, Any]:
    """The condition; equal ones give equal values."""
    named = {"field": condition.field}
    if isinstance(condition, AnyOf):
        return named | {"any": _sorted(condition.values)}
    if isinstance(condition, NoneOf):
        return named | {"none": _sorted(condition.values)}
    if isinstance(condition, Exists):
        return named | {"exists": condition.present}
    bounds = {name: getattr(condition, name) for name in _BOUNDS}
    return named | {"range": {name: value for name, value in bounds.items() if value is not None}}


def condition_of(values: Mapping[str, Any]) -> Condition:
    """The inverse of `condition_values`."""
    field = values["field"]
    if "any" in values:
        return AnyOf(field, frozenset(values["any"]))
    if "none" in values:
        return NoneOf(field, frozenset(values["none"]))
    return Exists(field, values["exists"]) if "exists" in values else Range(field, **values["range"])


def _sorted(values: Iterable[Scalar]) -> list[Scalar]:
    return sorted(values, key=lambda value: (type(value).__name__, value))
