"""The shapes of tables of data: where one ends and another begins, and whether a first row names the columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

Row = tuple[int, Sequence[str]]
"""The number of a row from 1, and its cells: one line each, empty ones in the middle."""

FIGURE = re.compile(r"[^\w]{0,3}[0-9][0-9.,'’ \u00a0\u202f]*[^\w]{0,3}(?:[A-Z]{3})?")
YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_KINDS = {
    "year": YEAR,
    "day": re.compile(
        r"(?:[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}([./])[0-9]{1,2}\1[0-9]{2,4})(?:[ T][0-9:.]{3,15})?"
    ),
    "figure": FIGURE,
    "choice": re.compile(r"yes|no|true|false", re.IGNORECASE),
    "address": re.compile(r"[^@\s]{1,100}@[^@\s]{1,100}|https?://\S{1,1000}"),
}
# What stands in place of a value that is missing.
_MISSING = re.compile(r"[-–—?.]+|n/?a\.?|none|unknown|tbd|k\. ?a\.|unbekannt|inconnu|desconocido", re.IGNORECASE)
# So many rows show what a column has.
_SAMPLE = 30
# A column has values of one kind if so many of them are.
_MOSTLY = 0.8
# Of a file with more of them the rest is one table. So many titles may have an empty row below.
_MOST_TABLES, _MOST_TITLES, _NAME_AND_VALUE = 100, 2, 2
# A table of two columns has so many rows at least; shorter ones may be lines of a name and a value.
_FEWEST_OF_TWO = 4


def is_row_of_values(first: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Whether a first row has what the rows below it have: numbers where they have numbers, days where they have days.

    Texts say nothing of it. A year may name a column of numbers, and so may numbers that rise from column to column,
    unless they do so below too.
    """
    others = others[:_SAMPLE]
    kinds = [(_kind(cell), _column_kind(others, place)) for place, cell in enumerate(first)]
    if any(below and own not in (below, None) and (own, below) != ("year", "figure") for own, below in kinds):
        return False
    rising = sum(map(_rises, others))
    is_scale = _rises(first) and 2 * rising < len(others)
    return any(below and own == below for own, below in kinds) and not is_scale


def separate_tables(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each table. Another one begins behind an empty row, with a header of its own."""
    tables: list[list[Row]] = []
    above: list[Row] = []
    for part in _parts(rows):
        block = [*above, *part]
        if tables and len(tables) < _MOST_TABLES and _is_table(tables[-1]) and _begins_table(block, tables[-1]):
            tables.append(block)
        elif tables and not above and len(part) <= _MOST_TITLES and all(_filled(row) == 1 for _, row in part):
            above = part
            continue
        else:
            tables = tables or [[]]
            tables[-1] += block
        above = []
    if above:
        tables[-1] += above
    return tables or [[]]


def _parts(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """The rows between empty ones, which have been left out: their numbers are missing."""
    part: list[Row] = []
    for row in rows:
        if part and row[0] > part[-1][0] + 1:
            yield part
            part = []
        part.append(row)
    if part:
        yield part


def _is_table(rows: Sequence[Row]) -> bool:
    """Whether the rows are more than lines above a table."""
    widths = [_filled(row) for _, row in rows[:_SAMPLE]]
    wide = sum(width > _NAME_AND_VALUE for width in widths)
    return wide > 1 or sum(width == _NAME_AND_VALUE for width in widths) >= _FEWEST_OF_TWO


def _begins_table(block: Sequence[Row], before: Sequence[Row]) -> bool:
    """Whether the rows have a header of their own: names that are no values of its columns or of those before.

    Besides it must stand over values of another kind, or be wider than the table before, or another one with a title.
    """
    titles = next((place for place, (_, row) in enumerate(block) if _filled(row) > 1), len(block))
    if len(block) < titles + 2:
        return False
    header, *body = [row for _, row in block[titles : titles + _SAMPLE]]
    earlier = [row for _, row in before[:_SAMPLE]]
    if not _are_names(header) or max(map(len, body)) > len(header) or _has_values(header, [*earlier, *body]):
        return False
    if any(_column_kind(body, place) for place in range(len(header))):
        return True
    width = max(map(len, earlier))
    is_full = 2 * sum(_filled(row) == len(header) for row in body) >= len(body)
    return is_full and (len(header) > width or (titles > 0 and len(header) != width))


def _are_names(header: Sequence[str]) -> bool:
    names = {each.casefold() for each in header}
    are_texts = all(each and _kind(each) in ("", "year") for each in header)
    return are_texts and len(names) == len(header)


def _has_values(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a name is a value of its column, or a header of an earlier page is repeated."""
    return any(
        place < len(row) and row[place].casefold() == name.casefold()
        for place, name in enumerate(header)
        for row in rows
    )


def _filled(row: Sequence[str]) -> int:
    return sum(map(bool, row))


def _kind(cell: str) -> str | None:
    """What the cell has: a name of `_KINDS`, empty for a text, None for nothing."""
    if not cell or _MISSING.fullmatch(cell):
        return None
    return next((name for name, pattern in _KINDS.items() if pattern.fullmatch(cell)), "")


def _column_kind(rows: Sequence[Sequence[str]], place: int) -> str:
    """The kind of the column's values; empty for texts and for several kinds. Years among numbers are numbers."""
    kinds = Counter(_kind(row[place]) for row in rows if place < len(row) and row[place])
    del kinds[None]
    if kinds["figure"]:
        kinds["figure"] += kinds.pop("year", 0)
    name, number = max(kinds.items(), key=lambda each: each[1], default=("", 0))
    return name or "" if number >= _MOSTLY * kinds.total() else ""


def _rises(row: Sequence[str]) -> bool:
    """Whether the row has whole numbers that rise: three or more, or 1 and 2."""
    numbers = [int(cell) for cell in row if cell.isdecimal() and len(cell) <= 9]
    steps = [after - number for number, after in pairwise(numbers)]
    return (len(steps) > 1 and min(steps) > 0) or numbers == [1, 2]
