"""Texts that make a backtracking regular expression slow, derived from the expression itself.

For each repetition in it: what leads to it, then the repeated part very often, then something that fails. After
https://doi.org/10.1007/978-3-642-30561-0_9 (static analysis for regular expression denial of service).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

LENGTH = 80_000
_ENDS = ("", "\x00", "!", "\n", " x", ":")
_CATEGORIES = {
    sre.CATEGORY_SPACE: " ",
    sre.CATEGORY_DIGIT: "1",
    sre.CATEGORY_WORD: "a",
    sre.CATEGORY_NOT_SPACE: "x",
    sre.CATEGORY_NOT_DIGIT: "x",
    sre.CATEGORY_NOT_WORD: " ",
}
_CANDIDATES = "ax1 \t\n.,:;-_*<>[](){}\"'`@=/|é中"


def hostile_texts(pattern: re.Pattern[str], length: int = LENGTH) -> Iterator[str]:
    """The texts, each of about `length` characters."""
    pumps = dict.fromkeys(_pumps(_parser.parse(pattern.pattern, pattern.flags), ""))
    for lead, pump in pumps:
        for end in _ENDS:
            yield lead + pump * (length // len(pump)) + end
            yield (lead + pump * 20 + end) * (length // (len(lead) + 20 * len(pump) + len(end)))


def _pumps(items: Any, lead: str) -> Iterator[tuple[str, str]]:
    """What leads to each repetition of more than a few, and what it repeats: some ways of each."""
    for operation, value in items:
        if operation in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            yield from _pumps(value[2], lead)
            if value[1] > 9:
                yield from ((lead, sample) for sample in _samples(value[2]) if sample)
        elif operation is sre.BRANCH:
            for branch in value[1]:
                yield from _pumps(branch, lead)
        elif operation is sre.SUBPATTERN:
            yield from _pumps(value[3], lead)
        elif operation is sre.ATOMIC_GROUP:
            yield from _pumps(value, lead)
        elif operation in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _pumps(value[1], lead)
        lead += next(iter(_samples([(operation, value)])), "")


def _samples(items: Any) -> list[str]:
    """Some texts that the items match, or nearly do."""
    found = [""]
    for operation, value in items:
        found = [before + after for before in found[:3] for after in _matches(operation, value)]
    return found


def _matches(operation: Any, value: Any) -> list[str]:
    if operation is sre.LITERAL:
        return [chr(value)]
    if operation is sre.NOT_LITERAL:
        return [each for each in _CANDIDATES if each != chr(value)][:3]
    if operation is sre.ANY:
        return ["a", " "]
    if operation is sre.IN:
        return _of_class(value)
    if operation in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        return [sample * max(1, value[0]) for sample in _samples(value[2])]
    if operation is sre.BRANCH:
        return [sample for branch in value[1] for sample in _samples(branch)[:2]][:6]
    if operation is sre.SUBPATTERN:
        return _samples(value[3])
    if operation is sre.ATOMIC_GROUP:
        return _samples(value)
    return [""]


def _of_class(value: Any) -> list[str]:
    is_negated = value[0][0] is sre.NEGATE
    members = [each for each in _CANDIDATES if any(_is_in(each, part) for part in value if part[0] is not sre.NEGATE)]
    if is_negated:
        return [each for each in _CANDIDATES if each not in members][:4]
    ends = [chr(part if kind is sre.LITERAL else part[0]) for kind, part in value if kind in (sre.LITERAL, sre.RANGE)]
    categories = [_CATEGORIES[part] for kind, part in value if kind is sre.CATEGORY]
    return list(dict.fromkeys([*members, *ends, *categories]))[:6]


def _is_in(letter: str, part: Any) -> bool:
    kind, value = part
    if kind is sre.LITERAL:
        return bool(ord(letter) == value)
    if kind is sre.RANGE:
        return bool(value[0] <= ord(letter) <= value[1])
    return bool(kind is sre.CATEGORY and re.match(_CLASSES[value], letter))


_CLASSES = {
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}
