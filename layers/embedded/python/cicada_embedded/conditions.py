"""Conditions on metadata as SQL, over a table that has one row for each value of each field."""

from __future__ import annotations

import json

from cicada.documents.filter import AnyOf, Condition, NoneOf, Range, Scalar
from cicada.documents.model import MetadataValue

_BOUNDS = {"least": ">=", "above": ">", "most": "<=", "below": "<"}

Values = list[int | float | str]


def condition_sql(condition: Condition, base_number: int, table: str) -> tuple[str, Values]:
    """The SQL condition on a row's number, and its parameters. `table` has the values of the rows' fields."""
    of_field: Values = [base_number, condition.field]
    values = f"(SELECT number FROM {table} WHERE collection = ? AND name = ?"  # noqa: S608 - a constant
    if isinstance(condition, AnyOf | NoneOf):
        negated = "NOT " if isinstance(condition, NoneOf) else ""
        clause = f"number {negated}IN {values} AND value IN (SELECT value FROM json_each(?)))"  # noqa: S608 - a constant
        return clause, [*of_field, _array(condition)]
    if isinstance(condition, Range):
        return _range(condition, of_field, values)
    return f"number {'' if condition.present else 'NOT '}IN {values})", of_field


def stored_values(value: MetadataValue) -> list[str | float]:
    """The values of a field as they are stored: booleans as texts that no keyword has."""
    return [_stored(each) for each in (value if isinstance(value, tuple) else (value,))]


def _range(condition: Range, of_field: Values, values: str) -> tuple[str, Values]:
    given = [(sign, getattr(condition, name)) for name, sign in _BOUNDS.items()]
    bounds = [(sign, bound) for sign, bound in given if bound is not None]
    # SQLite orders every number before every text.
    kind = "text" if any(isinstance(bound, str) for _, bound in bounds) else "real"
    tests = "".join(f" AND value {sign} ?" for sign, _ in bounds)
    clause = f"number IN {values} AND typeof(value) = '{kind}'{tests})"
    return clause, [*of_field, *(_stored(bound) for _, bound in bounds)]


def _array(condition: AnyOf | NoneOf) -> str:
    """A JSON array for `json_each`. Values with a NUL are left out: SQLite's JSON would cut them there."""
    values = [_stored(value) for value in condition.values]
    return json.dumps([value for value in values if not (isinstance(value, str) and "\0" in value)])


def read_value(stored: str | float) -> Scalar:
    """The inverse of `stored_values`, for one value."""
    return stored == _stored(True) if stored in (_stored(True), _stored(False)) else stored


def _stored(value: Scalar) -> str | float:
    if isinstance(value, bool):
        # A keyword never begins with a control character.
        return f"\x01{str(value).lower()}"
    return value if isinstance(value, str) else float(value)
