"""Numbers over documents in words: what they are called, how they are written, and why one cannot be computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cicada.answering.parts import Numbers
from cicada.documents.aggregates import Aggregation, Figure, Group
from cicada.documents.catalogue import DOCUMENTS, EVERY, TITLE, Aggregate, Operation
from cicada.documents.model import Scalar
from cicada.documents.periods import period_of
from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.values import MAX_VALUE, are_years, is_of_years, shown_value

_GROUPS_IN_A_SENTENCE = 8
_WORDS = {"count": "different values", "sum": "sum", "avg": "average", "min": "lowest", "max": "highest"}
_OF_DAYS = {"min": "earliest", "max": "latest"}


def name_of(field: str, schema: Schema) -> str:
    """The field's name for people."""
    if field in (TITLE, EVERY):
        return "Title" if field == TITLE else "Documents"
    if field in schema.fields:
        return schema.fields[field].display or field
    of_days, period = period_of(field)
    return f"{period} of {name_of(of_days, schema)}" if period else field


def worded(
    aggregates: tuple[Aggregate, ...], group: tuple[str, ...], found: Aggregation, schema: Schema, unit: str
) -> Numbers:
    """The numbers with names for people, such as `Value, sum`."""
    names = tuple(_name(each, figure, schema, unit) for each, figure in zip(aggregates, found.figures, strict=True))
    return Numbers(aggregates, names, tuple(name_of(field, schema) for field in group), found, unit)


def _name(aggregate: Aggregate, figure: Figure, schema: Schema, unit: str) -> str:
    if aggregate == DOCUMENTS:
        return f"{unit.capitalize()}s"
    words = _WORDS | _OF_DAYS if isinstance(figure.value, str) else _WORDS
    return f"{name_of(aggregate.field, schema)}, {words[aggregate.op]}"


def shown_figure(figure: Figure, aggregate: Aggregate) -> str | None:
    """The figure as people read it; None where it cannot be computed. A sum or a count is no year."""
    if figure.value is None:
        return None
    op, name = aggregate.op, aggregate.field
    years = None if op in ("min", "max") else op == "avg" and is_of_years(name)
    return shown_value(_rounded(figure.value, op), name, years)


def groups_of_years(numbers: Numbers) -> tuple[bool, ...]:
    """Whether the values of each field of the grouping are years."""
    groups = numbers.found.groups
    return tuple(are_years(name, [group.values[at] for group in groups]) for at, name in enumerate(numbers.group))


def _rounded(value: Scalar, op: Operation) -> Scalar:
    """Without the digits that come from adding binary fractions, and of an average two decimal places at most."""
    if isinstance(value, str) or op not in ("sum", "avg"):
        return value
    if op == "avg" and abs(value) < 1:
        return float(f"{value:.3g}")
    return round(float(value), 2 if op == "avg" else 6)


def sentences(numbers: Numbers) -> Iterator[str]:
    """What the numbers are, each in a sentence; of documents that do not exist there is nothing to say."""
    if not numbers.found.documents:
        return
    for aggregate, name, figure in zip(numbers.aggregates, numbers.names, numbers.found.figures, strict=True):
        if figure.value is None:
            yield _not_computed(name, aggregate)
        elif aggregate != DOCUMENTS and not numbers.group:
            yield _said(name, aggregate, figure, numbers)
    if numbers.group:
        yield _by_group(numbers)


def _not_computed(name: str, aggregate: Aggregate) -> str:
    needed = "numbers" if aggregate.op in ("sum", "avg") else "numbers or dates"
    return f"{name}: this cannot be computed, because there are no {needed} in this field."


def _said(name: str, aggregate: Aggregate, figure: Figure, numbers: Numbers) -> str:
    total = numbers.found.documents
    said = f"{name}: {shown_figure(figure, aggregate)}"
    if figure.documents == total:
        return f"{said}."
    have = "has" if figure.documents == 1 else "have"
    kind = "value" if aggregate.op == "count" else "date" if isinstance(figure.value, str) else "number"
    return f"{said} ({figure.documents:,} of {total:,} {numbers.unit}s {have} a {kind})."


def _by_group(numbers: Numbers) -> str:
    """The first groups with the first number that is not how many documents there are, if one was asked for."""
    by, found = " and ".join(numbers.group), numbers.found
    groups = [each for each in found.groups if None not in each.values]
    if not groups:
        return f"No {numbers.unit} that matches has {' and '.join(numbers.group)}."
    computed = [at for at, figure in enumerate(found.figures) if figure.value is not None]
    leading = next((at for at in computed if numbers.aggregates[at] != DOCUMENTS), None)
    first = groups[:_GROUPS_IN_A_SENTENCE]
    years = groups_of_years(numbers)
    said = ", ".join(f"{_group_name(each, years)} {_of_group(each, numbers, leading)}" for each in first)
    others = found.group_count - len(first)
    more = f" and {others:,} more {'value' if others == 1 else 'values'}" if others else ""
    without = f"; without {' or '.join(numbers.group)}: {found.missing:,}" if found.missing else ""
    if leading is None:
        return f"By {by}: {said}{more}{without}."
    unit = "" if not without else f" {numbers.unit}" if found.missing == 1 else f" {numbers.unit}s"
    return f"{numbers.names[leading]}, by {by}: {said}{more}{without}{unit}."


def _group_name(group: Group, years: Sequence[bool]) -> str:
    pairs = zip(group.values, years, strict=True)
    return " / ".join(shown_value(value, years=each)[:MAX_VALUE] for value, each in pairs if value is not None)


def _of_group(group: Group, numbers: Numbers, leading: int | None) -> str:
    if leading is None:
        return f"{group.documents:,}"
    return shown_figure(group.figures[leading], numbers.aggregates[leading]) or "–"
