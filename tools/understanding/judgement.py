"""Whether what was read is what the label says, part by part."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from cicada.documents.catalogue import EVERY
from cicada.understanding.meaning import Bounds, Meaning
from tools.understanding.examples import Label, Message
from tools.understanding.labels import Filter, filters_of


def right(meaning: Meaning, strategies: Mapping[str, float], message: Message) -> bool:
    """Whether the whole plan is right."""
    strategy = max(strategies, key=strategies.__getitem__)
    return all(parts_right(meaning, strategy, message.label).values())


def parts_right(meaning: Meaning, strategy: str, label: Label) -> dict[str, bool]:
    """Strategy, filters, aggregates, group, sort and limit. Only plans on fields have more than a strategy."""
    stated = meaning if strategy in ("M", "H") else Meaning()
    return {
        "strategy": strategy == label.strategy,
        "filters": _filters(stated) == _wanted(label),
        "aggregates": sorted((each.op, each.field) for each in stated.aggregates) == sorted(label.aggregates),
        "group": sorted(stated.group) == sorted(label.group),
        "sort": _sort(stated) == label.sort,
        "limit": stated.limit == label.top,
    }


def _sort(meaning: Meaning) -> tuple[str, str] | None:
    order = meaning.order
    if order is None:
        return None
    is_count = order.of == "count" and order.field == EVERY
    field = "count" if is_count else f"{order.of}:{order.field}" if order.of else order.field
    return field, "desc" if order.descending else "asc"


def _filters(meaning: Meaning) -> dict[str, str]:
    found = {name: _canonical({"not": list(values)}) for name, values in meaning.unwanted.items()}
    for name, bounds in meaning.bounds.items():
        found.setdefault(name, _canonical(_stated(bounds)))
    return found | {name: _canonical(_all_of(name, meaning)) for name in meaning.wanted}


def _all_of(name: str, meaning: Meaning) -> Any:
    values = list(meaning.wanted[name])
    return {"all": values} if name in meaning.together else values


def _stated(bounds: Bounds) -> Any:
    if bounds.present is False:
        return None
    said = {"gt": bounds.gt, "gte": bounds.gte, "lt": bounds.lt, "lte": bounds.lte, "contains": bounds.contains}
    kept = {name: value for name, value in said.items() if value is not None}
    return {"set": True} if bounds.present else kept


def _wanted(label: Label) -> dict[str, str]:
    found = {}
    for name, each in filters_of(label).items():
        if each.is_missing:
            found[name] = _canonical(None)
        elif each.bounds:
            found[name] = _canonical(each.bounds)
        else:
            found[name] = _canonical(_values(each))
    return found


def _values(found: Filter) -> Any:
    if found.together:
        return {"all": list(found.wanted)}
    return list(found.wanted) if found.wanted else {"not": list(found.unwanted)}


def _canonical(value: Any) -> str:
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return sorted(str(_plain(each)) for each in value)
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    try:
        return str(float(value))
    except (TypeError, ValueError):
        return str(value).lower()
