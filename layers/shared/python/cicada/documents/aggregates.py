"""Numbers that are computed over many documents: of all of them, and of each group."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from itertools import product, takewhile

from msgspec import Struct

from cicada.documents.catalogue import EVERY, TITLE, Aggregate, DocumentRow, Sort
from cicada.documents.model import Scalar
from cicada.documents.periods import in_period, period_of
from cicada.documents.versions import version_order

MOST_GROUPS = 1000
_MOST_EQUAL = 20
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

Key = tuple[Scalar | None, ...]


class Figure(Struct, frozen=True):
    """The result of one aggregate. `value`: None where no document has a value that it can be computed from.

    `documents`: how many documents have such a value.
    """

    value: Scalar | None
    documents: int


class Group(Struct, frozen=True):
    """Documents with the same values. `values`: one for each field of the grouping; None where they have none.

    `figures`: in the order of the aggregates.
    """

    values: Key
    documents: int
    figures: tuple[Figure, ...]


class Aggregation(Struct, frozen=True):
    """`documents`: how many there are. `figures`: of all of them, in the order of the aggregates.

    `groups`: the first ones; `group_count`: how many there are with a value of each field. `missing`: documents
    without a value of one of the fields.
    """

    documents: int
    figures: tuple[Figure, ...]
    groups: tuple[Group, ...] = ()
    group_count: int = 0
    missing: int = 0


def aggregated(
    rows: Sequence[DocumentRow],
    aggregates: Sequence[Aggregate],
    group: Sequence[str] = (),
    sort: Sort | None = None,
    limit: int = MOST_GROUPS,
) -> Aggregation:
    """The aggregates of these rows. A document with several values of a field belongs to the group of each.

    Sums and averages are of numbers, the lowest and the highest of numbers or, where there are none, of days; other
    values of the field do not count. Groups come in the order of `sort`, by default those of most documents first,
    and periods as they follow each other; groups without a value come last. There are at most `limit`, and those that
    are equal to the last of these.
    """
    figures = tuple(_figure(rows, each) for each in aggregates)
    if not group:
        return Aggregation(len(rows), figures)
    if sort is None and period_of(group[0])[1]:
        sort = Sort(group[0])
    ranked = [
        (_rank(key, inside, group, sort), _group(key, inside, aggregates)) for key, inside in _members(rows, group)
    ]
    ordered = _ordered(ranked, descending=sort.descending if sort and _orders(sort, group) else True)
    missing = sum(any(not values_of(row, name) for name in group) for row in rows)
    ranks = {id(each): rank for rank, each in ranked}
    first = first_groups(ordered, limit, lambda each: ranks[id(each)])
    return Aggregation(len(rows), figures, first, sum(map(_is_named, ordered)), missing)


def first_groups(groups: Sequence[Group], limit: int, rank: Callable[[Group], Scalar | None]) -> tuple[Group, ...]:
    """The first `limit` of the groups, and those equal to the last of them: both of two with the most."""
    first, rest = groups[:limit], groups[limit : limit + _MOST_EQUAL]
    if not first or not _is_named(first[-1]):
        return tuple(first)
    lowest = rank(first[-1])
    return (*first, *takewhile(lambda each: _is_named(each) and rank(each) == lowest, rest))


def by_documents(groups: Sequence[Group]) -> list[Group]:
    """The groups, those of most documents first; groups without a value come last."""
    return _ordered([(each.documents, each) for each in groups], descending=True)


def values_of(row: DocumentRow, field: str) -> tuple[Scalar, ...]:
    """The values of a field, the periods that its days are in, or the title; none without the field."""
    value = row.title if field == TITLE else row.metadata.get(field)
    if value is None:
        name, period = period_of(field)
        days = values_of(row, name) if period else ()
        return tuple(found for each in days if (found := in_period(str(each), period)))
    return value if isinstance(value, tuple) else (value,)


def _members(rows: Sequence[DocumentRow], group: Sequence[str]) -> list[tuple[Key, list[DocumentRow]]]:
    """The rows of each group."""
    found: dict[tuple[object, ...], tuple[Key, list[DocumentRow]]] = {}
    for row in rows:
        for key in product(*(_once(values_of(row, name)) or (None,) for name in group)):
            found.setdefault(tuple(map(_order, key)), (key, []))[1].append(row)
    return list(found.values())


def _group(key: Key, rows: Sequence[DocumentRow], aggregates: Sequence[Aggregate]) -> Group:
    return Group(key, len(rows), tuple(_figure(rows, each) for each in aggregates))


def _orders(sort: Sort, group: Sequence[str]) -> bool:
    return bool(sort.of) or sort.field in group


def _rank(key: Key, rows: Sequence[DocumentRow], group: Sequence[str], sort: Sort | None) -> Scalar | None:
    """What a group is sorted by."""
    if sort and sort.of:
        return _figure(rows, Aggregate(sort.of, sort.field)).value
    return key[group.index(sort.field)] if sort and sort.field in group else len(rows)


def _ordered(ranked: Sequence[tuple[Scalar | None, Group]], *, descending: bool) -> list[Group]:
    """The groups by their ranks, then by their values. Those without a rank or without a value come last."""
    by_key = sorted(ranked, key=lambda pair: tuple(map(_place, pair[1].values)))
    by_rank = sorted(by_key, key=lambda pair: _place(pair[0]), reverse=descending)
    return [group for rank, group in sorted(by_rank, key=lambda pair: (not _is_named(pair[1]), pair[0] is None))]


def _is_named(group: Group) -> bool:
    return None not in group.values


def _order(value: Scalar | None) -> tuple[int, Scalar]:
    """The order of values of any kind: booleans, numbers, texts. In Python True equals 1; as values they differ."""
    if value is None:
        return 3, ""
    return (2 if isinstance(value, str) else int(not isinstance(value, bool))), value


def _place(value: Scalar | None) -> tuple[int, Scalar]:
    """The place of a value among others. Versions that are written in two ways share one, and stay two values."""
    kind, of_kind = _order(value)
    return kind, version_order(value) or of_kind


def _once(values: Sequence[Scalar]) -> tuple[Scalar, ...]:
    return tuple({_order(value): value for value in values}.values())


def _figure(rows: Sequence[DocumentRow], aggregate: Aggregate) -> Figure:
    if aggregate.field == EVERY:
        return Figure(len(rows), len(rows)) if aggregate.op == "count" else Figure(None, 0)
    found = [values for row in rows if (values := values_of(row, aggregate.field))]
    if aggregate.op == "count":
        return Figure(len({_order(value) for values in found for value in values}), len(found))
    numbers = [each for each in map(_numbers, found) if each]
    if aggregate.op in ("sum", "avg"):
        return Figure(_total([number for each in numbers for number in each], aggregate.op == "avg"), len(numbers))
    usable: list[list[float]] | list[list[str]] = numbers or [each for each in map(_days, found) if each]
    pick = min if aggregate.op == "min" else max
    return Figure(pick((pick(each) for each in usable), default=None), len(usable))


def _total(numbers: Sequence[float], is_average: bool) -> float | None:
    """The exact sum or average, rounded once; None of no numbers, and where it is beyond all numbers."""
    if not numbers:
        return None
    try:
        total = math.fsum(numbers)
    except OverflowError:
        return None
    return total / len(numbers) if is_average else total


def _numbers(values: Sequence[Scalar]) -> list[float]:
    return [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]


def _days(values: Sequence[Scalar]) -> list[str]:
    return [value for value in values if isinstance(value, str) and _DAY.fullmatch(value)]
