"""The passages of a named part of a document, by the places that its parser found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from cicada.document_routing.part_names import PartName
from cicada.documents.model import Passage, ScriptLocator
from cicada.languages.terms import words

# "3.", "3.4 Scope", "Chapter 3: Travel", "§ 3", "Article IV" is left to the order of headings.
_NUMBERED_HEADING = re.compile(r"^(?:[^\W\d]+\.?\s+|§+\s*)?(\d+(?:\.\d+)*)(?=[\s.:)–-]|$)")
_NUMBER = re.compile(r"\d+")


def passages_of_part(passages: Sequence[Passage], part: PartName) -> tuple[Passage, ...]:
    """The passages of the part, in the given order; none if the document has no such part.

    A number names the parts that are numbered so and everything inside of them; in a document without numbers, the
    part at that place. `passages`: all of one document, in its order.
    """
    if not part.numbers:
        return tuple(each for each in passages if _is_headed(each, part.heading))
    numbers = [_numbers(each) for each in passages]
    if not any(numbers):
        numbers = _counted(passages)
    length = len(part.numbers)
    return tuple(each for each, found in zip(passages, numbers, strict=True) if found[:length] == part.numbers)


def places(passages: Sequence[Passage]) -> list[tuple[Passage, ...]]:
    """The document's smallest parts: the runs of passages of one place."""
    return [tuple(run) for _, run in groupby(passages, key=_place)]


def _place(passage: Passage) -> tuple[str, ...]:
    locator = passage.locator
    if isinstance(locator, ScriptLocator):
        return (locator.chapter_id, locator.chapter_title)
    return locator.path


def _numbers(passage: Passage) -> tuple[int, ...]:
    """Of a script its chapter's, "3.4" as (3, 4); of prose those of the innermost numbered heading."""
    locator = passage.locator
    if isinstance(locator, ScriptLocator):
        return tuple(int(each) for each in _NUMBER.findall(locator.chapter_id))
    found: tuple[int, ...] = ()
    for heading in locator.path:
        if numbered := _NUMBERED_HEADING.match(heading):
            own = tuple(int(each) for each in numbered[1].split("."))
            # "2 Scope" below "Chapter 3" is 3.2; "3.2 Scope" below it is 3.2 too.
            found = own if len(own) > 1 or not found else (*found, *own)
    return found


def _counted(passages: Sequence[Passage]) -> list[tuple[int, ...]]:
    """Each passage's place among the parts, counted from 1 at every level below what all have in common."""
    paths = [_place(each) for each in passages]
    common = _common(paths)
    found: list[tuple[int, ...]] = []
    seen: dict[tuple[str, ...], dict[str, int]] = {}
    for path in paths:
        numbers = []
        for depth in range(common, len(path)):
            headings = seen.setdefault(path[:depth], {})
            numbers.append(headings.setdefault(path[depth], len(headings) + 1))
        found.append(tuple(numbers))
    return found


def _common(paths: Sequence[tuple[str, ...]]) -> int:
    """How many of the outer headings all passages stand under: a document's title is no part of it."""
    depth = 0
    while paths and all(len(path) > depth and path[depth] == paths[0][depth] for path in paths):
        depth += 1
    return depth if any(len(path) > depth for path in paths) else max(0, depth - 1)


def _is_headed(passage: Passage, heading: str) -> bool:
    """Whether one of the headings above the passage has all of these words."""
    wanted = set(words(heading))
    return bool(wanted) and any(wanted <= set(words(each)) for each in _place(passage))
