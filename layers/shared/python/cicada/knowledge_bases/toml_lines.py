"""Finds the line of a key in a TOML file, which `tomllib` does not tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

_KEY = r"(?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')"
_PATH = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_HEADER = re.compile(rf"\s*\[\s*({_PATH})\s*\]")
_ENTRY = re.compile(rf"\s*({_PATH})\s*=")


def line_of(text: str, path: Sequence[str]) -> int:
    """The number of the line, from 1, that writes the key `path` or, if none does, its nearest table; 1 if none does.

    Keys within inline tables are not looked for: the line of the table is given.
    """
    best, depth = 1, 0
    for number, found in _keys(text):
        # A key below `path` writes it too.
        shared = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(path, found, strict=False))))
        if shared > depth:
            best, depth = number, shared
    return best


def _keys(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Each key that a line begins with, as a path from the top, and the number of its line."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _parts(header[1])
            yield number, table
        elif entry := _ENTRY.match(line):
            yield number, (*table, *_parts(entry[1]))


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_KEY, path))
