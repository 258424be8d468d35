"""What a labelled query means, in the values of the planner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cicada.documents.catalogue import Aggregate, Sort
from cicada.understanding.meaning import Bounds, Meaning
from evals.planner_files import LabelledQuery


def labelled_meaning(query: LabelledQuery) -> Meaning:
    """The query's label as the meaning that a next turn goes on from."""
    sort = query.sort
    found = Meaning(
        aggregates=tuple(Aggregate(each.op, each.field) for each in query.aggregates or ()),  # type: ignore[arg-type]
        group=tuple(query.group or ()),
        fields=tuple(query.fields or ()),
        order=Sort(sort.field, sort.descending, sort.of) if sort else None,  # type: ignore[arg-type]
        limit=query.limit,
    )
    for name, value in query.filters.items():
        found = _with_filter(found, name, stated(value))
    return found


def stated(value: Any) -> Any:
    """A filter of the file: None, bounds, `{"not": …}`, or a list of values."""
    return value if value is None or isinstance(value, Mapping | list) else [value]


def _with_filter(found: Meaning, name: str, value: Any) -> Meaning:
    if value is None:
        return found.bounding(name, Bounds(present=False))
    if isinstance(value, Mapping) and "not" not in value and "all" not in value:
        said = dict(value)
        return found.bounding(name, Bounds(present=said.pop("set", None), **said))
    negated = isinstance(value, Mapping) and "not" in value
    values: Any = (value.get("not") or value.get("all")) if isinstance(value, Mapping) else value
    for each in values if isinstance(values, list) else [values]:
        found = found.adding(name, each, negated=negated)
    return found
