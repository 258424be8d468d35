"""Tables for a terminal: aligned columns that fit into its width."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from cli.text import clean_line

_GAP = "  "
_CUT = "…"
# No column is made narrower than this; if there are too many even so, the lines are cut.
_NARROWEST = 6


def fitting(text: str, columns: int) -> str:
    """The beginning of the text that fits into the columns of a terminal."""
    used = 0
    for index, character in enumerate(text):
        used += _columns(character)
        if used > columns:
            return text[:index]
    return text


def table(head: Sequence[str], rows: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """The lines of a table, the head first.

    Long cells are cut so that it fits into `width` columns of a terminal; None is for a pipe, where nothing is cut.
    """
    cells = [[clean_line(cell) for cell in row] for row in (head, *rows)]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    if width is not None:
        widths = _narrowed(widths, width)
    lines = [_GAP.join(map(_padded, row, widths)).rstrip() for row in cells]
    return lines if width is None else [_cut(line, width) for line in lines]


def _narrowed(widths: Sequence[int], width: int) -> list[int]:
    """The widest columns give way first."""
    narrowed = list(widths)
    surplus = sum(narrowed) + len(_GAP) * (len(narrowed) - 1) - width
    while surplus > 0 and max(narrowed) > _NARROWEST:
        narrowed[narrowed.index(max(narrowed))] -= 1
        surplus -= 1
    return narrowed


def _padded(text: str, width: int) -> str:
    shown = _cut(text, width)
    return shown + " " * (width - _width(shown))


def _cut(text: str, width: int) -> str:
    return text if _width(text) <= width else fitting(text, width - 1) + _CUT


def _width(text: str) -> int:
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
