"""Tables of data: rows of cells as records, each value with the name of its column.

Numbers and days are read as their whole column shows them: `1.234,56` has a comma before the decimals, and `03/04/2026`
begins with the day where another row has `25/04/2026`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import chain

from msgspec.structs import replace

from cicada.errors import DocumentRejectedError
from cicada.ingest.access_keys import refuse_access_column
from cicada.ingest.prose.encoding import clip
from cicada.ingest.prose.sections import Block, Heading, Paragraph, Record
from cicada.ingest.prose.table_shapes import FIGURE, YEAR, Row, is_row_of_values, separate_tables
from cicada.knowledge_bases.inference import names_codes

_CURRENCY = r"(?:US\$|[€$£¥]|EUR|USD|GBP|CHF)"
_AMOUNT = re.compile(rf"(?:(?P<before>{_CURRENCY}) ?)?(?P<bare>[+-]?[0-9][0-9.,]*)(?: ?(?P<after>{_CURRENCY}))?")
_WITH_COMMA = re.compile(r"[+-]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)(?:,[0-9]+)?")
_WITH_POINT = re.compile(r"[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?")
# Three digits behind one comma or point may be decimals or thousands.
_SURELY_WITH_COMMA = re.compile(r"[+-]?(?:0,[0-9]+|[0-9]{1,30},[0-9]{1,2}|[0-9]{1,3}(?:\.[0-9]{3}){1,9},[0-9]+)")
_SURELY_WITH_POINT = re.compile(r"[+-]?(?:0\.[0-9]+|[0-9]{1,30}\.[0-9]{1,2}|[0-9]{1,3}(?:,[0-9]{3}){1,9}\.[0-9]+)")
_UNSURE = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")


def plain_numbers(columns: Mapping[str, Collection[str]]) -> dict[str, dict[str, str]]:
    """The numbers of columns that are not written plainly: of each such column its values, each with `1200.5`.

    `columns`: the different values of each; a column counts if all of them are numbers. It follows the others of its
    table where its own numbers may be read either way; where they do not tell, it is left out. So are numbers of
    things, and amounts of several currencies.
    """
    amounts = {name: _amounts(values) for name, values in columns.items() if not names_codes(name)}
    with_comma = {name for name, found in amounts.items() if _are(found, _WITH_COMMA, _SURELY_WITH_COMMA)}
    with_point = {name for name, found in amounts.items() if _are(found, _WITH_POINT, _SURELY_WITH_POINT)}
    follows = bool(with_comma) and not with_point
    plain: dict[str, dict[str, str]] = {}
    for name, found in amounts.items():
        bare = found.values()
        if name in with_comma or (follows and all(map(_WITH_COMMA.fullmatch, bare))):
            plain[name] = {value: number.replace(".", "").replace(",", ".") for value, number in found.items()}
        elif all(map(_WITH_POINT.fullmatch, bare)) and (name in with_point or not any(map(_UNSURE.fullmatch, bare))):
            plain[name] = found
    return {name: found for name, found in plain.items() if any(value != number for value, number in found.items())}


def plain_days(columns: Mapping[str, Collection[str]]) -> dict[str, dict[str, str]]:
    """The days of columns that are written with slashes or dashes, such as `25/04/2026`: each as `2026-04-25`.

    The order is the one in which all values of the column are days of the calendar. Where both are, it is that of the
    other such columns; where these do not tell either, the column is left out, as are numbers of things.
    """
    possible = {name: _orders_of(values) for name, values in columns.items() if not names_codes(name)}
    told = {order for orders in possible.values() if len(orders) == 1 for order in orders}
    plain: dict[str, dict[str, str]] = {}
    for name, orders in possible.items():
        chosen = orders if len(orders) == 1 else orders & told
        if len(chosen) == 1:
            (order,) = chosen
            plain[name] = {value: day.isoformat() for value in columns[name] if (day := _day(value, order))}
    return plain


def listed_values(columns: Mapping[str, Collection[str]]) -> dict[str, dict[str, tuple[str, ...]]]:
    """The lists in cells such as `German, Polish`: of each column that has them its values that are lists.

    A column has lists where some cells are lists of short names or codes and some are none, and where the first of a
    list stands alone or behind a comma elsewhere: `Smith, Ann` beside `Smith, John` is no list, nor is a street with
    its town or a sentence with a comma. All of a single list stand alone elsewhere.
    """
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for name, values in columns.items():
        lists = {value: tuple(_BETWEEN.split(value)) for value in values if _LIST.fullmatch(value)}
        alone = {value.casefold() for value in values if value not in lists}
        behind = {part.casefold() for parts in lists.values() for part in parts[1:]}
        again = [[part.casefold() in alone | behind for part in parts] for parts in lists.values()]
        if alone and any(all(each) if len(lists) == 1 else each[0] for each in again):
            found[name] = lists
    return found


def _orders_of(values: Collection[str]) -> set[str]:
    """The orders of day and month in which all values are days of the calendar."""
    return {order for order in _ORDERS if all(_day(value, order) for value in values)}


def _day(text: str, order: str) -> date | None:
    try:
        return datetime.strptime(text.replace("-", "/"), order).date()  # noqa: DTZ007 - a day has no time zone
    except ValueError:
        return None


def _amounts(values: Collection[str]) -> dict[str, str]:
    """Each value without the currency; none if one is no number, or they have several currencies."""
    found = {value: _AMOUNT.fullmatch(value) for value in values}
    currencies = {match["before"] or match["after"] for match in found.values() if match} - {None}
    if len(currencies) > 1:
        return {}
    bare = {value: match["bare"] for value, match in found.items() if match}
    return bare if len(bare) == len(found) else {}


def _are(amounts: Mapping[str, str], form: re.Pattern[str], sure: re.Pattern[str]) -> bool:
    """Whether all numbers have the form, and one surely has it."""
    return all(map(form.fullmatch, amounts.values())) and any(map(sure.fullmatch, amounts.values()))


_NAME_IN_LIST = r"[^\W\d_][^,;\d]{0,29}"
_IN_LIST = rf"(?:{_NAME_IN_LIST}|[A-Z]{{1,5}}[- ]?[0-9]{{1,5}})"
_LIST = re.compile(rf"{_IN_LIST}(?:[,;] ?{_IN_LIST}){{1,9}}")
_BETWEEN = re.compile(r"[,;] ?")
_ORDERS = ("%d/%m/%Y", "%m/%d/%Y")

# Each row is a passage, of which a document has no more.
MAX_ROWS = 20_000
MAX_CELLS = 1_000_000

# The label of a row of sums, and of one of the sums of a part, as Excel and people write them.
_SUM = re.compile(
    r"(?:grand |sub-?)?totals?:?|sums?:?|(?:gesamt|zwischen|end)?summe:?|gesamt(?:ergebnis)?:?|insgesamt:?",
    re.IGNORECASE,
)
_SUM_OF = re.compile(
    r"(?:sub-?totals?|totals?|(?:zwischen)?summe|gesamt):? .{1,80}|.{1,80} (?:totals?|ergebnis|summe)", re.IGNORECASE
)
# Lines above a table: how many, and the values of each.
_MOST_ABOVE, _NAME_AND_VALUE = 20, 2
_TITLE_LENGTH = 100


def bounded(rows: Iterable[Row]) -> list[Row]:
    """The rows that have a value, without the empty cells at their ends. `DocumentRejectedError` for too many."""
    found: list[Row] = []
    cells = 0
    for number, row in rows:
        width = max((place for place, cell in enumerate(row, 1) if cell), default=0)
        cells += len(row)
        if width:
            found.append((number, row[:width]))
        if len(found) > MAX_ROWS:
            raise DocumentRejectedError(f"The table has more than {MAX_ROWS:,} rows; split it.", "too_large")
        if cells > MAX_CELLS:
            raise DocumentRejectedError(f"The table has more than {MAX_CELLS:,} cells; split it.", "too_large")
    return found


def table_blocks(rows: Sequence[Row], level: int = 1) -> Iterator[Block]:
    """The blocks of the tables that empty rows keep apart, the second and later ones under headings of this level."""
    tables = separate_tables(rows)
    for number, table in enumerate(tables, 1):
        title = _title(table) if len(tables) > 1 else ""
        if title or number > 1:
            yield Heading(level, title or f"Table {number}")
        yield from _blocks(table[1:] if title else table)


def _title(table: Sequence[Row]) -> str:
    """The value that stands alone above a table, if it is one."""
    alone = [row for _, row in table[:2] if sum(map(bool, row)) == 1]
    return clip("".join(alone[0]), _TITLE_LENGTH) if len(alone) == 1 and table[0][1] is alone[0] else ""


def _blocks(rows: Sequence[Row]) -> Iterator[Block]:
    """What stands above the table, a paragraph with its columns, and its records.

    The header is the first row that has more than one value, or the first of a table of one column. If most rows have
    more than two values, rows of two above them stand above the table. A column without a name, and values beyond the
    header, are named by their number; of two columns with one name the second has a number. The upper of two
    rows of a header has names for several columns. A first row of values as they are below it is no header: the columns
    are named A, B and so on.
    """
    top, end, header = _header(rows)
    yield from (Paragraph(" ".join(filter(None, row))) for _, row in rows[:top])
    if not rows:
        return
    # Exports in pages repeat the header on each.
    above = [row for _, row in rows[top:end]]
    body = [(number, row) for number, row in rows[end:] if row not in above]
    names = _names(header, max((len(row) for _, row in body), default=0))
    sums = {number for number, row in body if _is_sum(row, len(names))} | _unnamed_sum(body)
    records = _with_plain_values([Record(number, _values(names, row), number in sums) for number, row in body])
    refuse_access_column((name, value) for record in records for name, value in record.values)
    used = {name for record in records for name, _ in record.values} if records else set(names)
    counted = sum(not record.is_sum for record in records)
    number = "1 row" if counted == 1 else f"{counted:,} rows"
    yield Paragraph(f"{number} with the columns {', '.join(name for name in names if name in used)}.")
    yield from records


def _with_plain_values(records: list[Record]) -> list[Record]:
    columns: dict[str, set[str]] = {}
    for name, value in chain.from_iterable(each.values for each in records if not each.is_sum):
        columns.setdefault(name, set()).add(value)
    plain: dict[str, Mapping[str, str | tuple[str, ...]]] = {
        **plain_numbers(columns),
        **plain_days(columns),
        **listed_values(columns),
    }
    if not plain:
        return records
    return [
        replace(each, plain={name: plain[name][value] for name, value in each.values if value in plain.get(name, ())})
        for each in records
    ]


def _is_sum(row: Sequence[str], width: int) -> bool:
    """Whether the row sums up others: its first value says so, and all others are numbers.

    "IT total" may be somebody's name for a thing, so such a row has an empty cell too.
    """
    first, *others = filter(None, row)
    says_so = _SUM.fullmatch(first) or (len(others) + 1 < width and _SUM_OF.fullmatch(first))
    return bool(says_so) and all(map(FIGURE.fullmatch, others))


def _unnamed_sum(body: Sequence[Row]) -> set[int]:
    """The number of a last row of numbers alone, without what stands first in each row above it."""
    *above, (number, last) = body or [(0, [])]
    is_sum = len(above) > 1 and not last[0] and all(row[0] for _, row in above)
    return {number} if is_sum and all(map(FIGURE.fullmatch, filter(None, last))) else set()


def _header(rows: Sequence[Row]) -> tuple[int, int, Sequence[str]]:
    """Where the header begins and ends, and its names."""
    place = _header_place(rows)
    for upper in (place, place - 1):
        if 0 <= upper < len(rows) - 1 and (names := _of_two_rows(rows[upper][1], rows[upper + 1][1])):
            return upper, upper + 2, names
    if rows and is_row_of_values(rows[place][1], [row for _, row in rows[place + 1 :]]):
        return place, place, [_letters(column) for column in range(max(len(row) for _, row in rows[place:]))]
    return place, place + 1, rows[place][1] if rows else ()


def _letters(column: int) -> str:
    """The name of a column from 0 in a spreadsheet: A, B and so on, behind Z AA."""
    before, letter = divmod(column, 26)
    return f"{_letters(before - 1) if before else ''}{chr(ord('A') + letter)}"


def _of_two_rows(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    """Names such as `2026 Q1` where each of the upper names stands over the same several lower ones; else none."""
    spans: list[list[str]] = [[]]
    names: list[str] = []
    group = ""
    for place, name in enumerate(lower):
        if place < len(upper) and upper[place]:
            group = upper[place]
            spans.append([])
        spans[-1].append(name)
        names.append(f"{group} {name}".strip())
    several = [each for each in spans[1:] if len(each) > 1]
    are_same = len(several) > 1 and all(each == several[0] for each in several)
    return names if are_same and all(several[0]) and len(set(several[0])) == len(several[0]) else []


def _header_place(rows: Sequence[Row]) -> int:
    """The index of the header. Exports write a title and a date above it, each alone in its row, or named."""
    filled = [sum(map(bool, row)) for _, row in rows]
    first = next((place for place, cells in enumerate(filled) if cells > 1), 0)
    wide = next((place for place, cells in enumerate(filled[:_MOST_ABOVE]) if cells > _NAME_AND_VALUE), first)
    wider = sum(cells > _NAME_AND_VALUE for cells in filled[wide:])
    # A row with numbers is none of names, but for years.
    has_numbers = any(FIGURE.fullmatch(cell) and not YEAR.fullmatch(cell) for _, row in rows[wide:][:1] for cell in row)
    return wide if 2 * wider > len(filled) - wide and not has_numbers else first


def _names(header: Sequence[str], width: int) -> list[str]:
    names: list[str] = []
    seen: Counter[str] = Counter()
    for number in range(max(width, len(header))):
        name = (header[number] if number < len(header) else "") or f"Column {number + 1}"
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


def _values(names: Sequence[str], row: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, cell) for name, cell in zip(names, row, strict=False) if cell)
