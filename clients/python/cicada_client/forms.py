"""Read JSON values of unknown form: what does not have the form that is asked for is as good as absent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any


def text(value: object) -> str:
    """The text; empty if it is none."""
    return value if isinstance(value, str) else ""


def text_or_none(value: object) -> str | None:
    """The text, if it is one."""
    return value if isinstance(value, str) else None


def texts(value: object) -> tuple[str, ...]:
    """The texts in a list."""
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def text_by_name(value: object) -> dict[str, str] | None:
    """The fields of an object that are texts; None if it is no object."""
    if not isinstance(value, dict):
        return None
    return {str(name): item for name, item in value.items() if isinstance(item, str)}


def count(value: object) -> int:
    """The whole number; 0 if it is none."""
    return value if isinstance(value, int) else 0


def count_or_none(value: object) -> int | None:
    """The whole number, if it is one."""
    return value if isinstance(value, int) else None


def pair_of_counts(value: object) -> tuple[int, int] | None:
    """The two whole numbers in a list, if these are all that it has."""
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(each, int) for each in value):
        return None
    return value[0], value[1]


def spans_of(value: object, length: int) -> tuple[tuple[int, int], ...]:
    """The spans of a text of this length; of those that overlap the first, and none beyond the text."""
    found: list[tuple[int, int]] = []
    for item in value if isinstance(value, list) else ():
        span = pair_of_counts(item)
        if span and (found[-1][1] if found else 0) <= span[0] < span[1] <= length:
            found.append(span)
    return tuple(found)


def pieces_of(text: str, spans: Sequence[tuple[int, int]]) -> tuple[tuple[str, bool], ...]:
    """The text in pieces, each with whether it is in a span."""
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    found = ((text[start:end], at % 2 == 1) for at, (start, end) in enumerate(pairwise(edges)))
    return tuple(each for each in found if each[0])


def counts(value: object) -> Mapping[str, int]:
    """The fields of an object that are whole numbers."""
    if not isinstance(value, dict):
        return {}
    return {str(name): number for name, number in value.items() if isinstance(number, int)}


def objects(value: object) -> list[Mapping[str, Any]]:
    """The objects in a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
