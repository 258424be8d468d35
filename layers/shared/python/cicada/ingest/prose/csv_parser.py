"""Reads tables of separated values: CSV and TSV."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from itertools import islice

from cicada.errors import DocumentRejectedError
from cicada.ingest.access_keys import refuse_misplaced_access_list
from cicada.ingest.prose.encoding import clean_line, decode
from cicada.ingest.prose.sections import Prose
from cicada.ingest.prose.table_shapes import Row
from cicada.ingest.prose.tables import bounded, table_blocks

_SEPARATORS = ",;\t|"
# As much of a file as shows what separates its values.
_SAMPLE_CHARACTERS, _SAMPLE_ROWS = 64_000, 50
# Excel's own line for it, above the table.
_DECLARED = "sep="


def read_csv(content: bytes) -> Prose:
    """One record for each row below the header. The title is left to the file name."""
    decoded = decode(content)
    refuse_misplaced_access_list(decoded.text)
    try:
        rows = bounded(_rows(decoded.text))
    except csv.Error as error:
        raise DocumentRejectedError(
            f"A cell of the table has more than {csv.field_size_limit():,} characters; a quotation mark may be missing "
            "before it. Correct it and upload the file again.",
            "damaged",
        ) from error
    return Prose(tuple(table_blocks(rows)), problems=decoded.problems)


def _rows(text: str) -> Iterator[Row]:
    first, _, rest = text.partition("\n")
    declared = first.lower().startswith(_DECLARED) and len(first.strip()) <= len(_DECLARED) + 1
    separator = (first.strip()[len(_DECLARED) :] or "\t") if declared else separator_of(text)
    lines = StringIO(rest if declared else text, newline="")
    for number, row in enumerate(csv.reader(lines, delimiter=separator, skipinitialspace=True), 1 + declared):
        yield number, [clean_line(cell) for cell in row]


def separator_of(text: str) -> str:
    """The sign that cuts most rows at the beginning into one number of cells, above one; a comma if none does."""
    return max(_SEPARATORS, key=lambda sign: _likeness(text[:_SAMPLE_CHARACTERS], sign))


def _likeness(sample: str, separator: str) -> tuple[int, int, int]:
    """How many rows have as many cells as most, how many the first has, and how many most have."""
    try:
        rows = list(islice(csv.reader(StringIO(sample, newline=""), delimiter=separator), _SAMPLE_ROWS))
    except csv.Error:
        return 0, 0, 0
    widths = Counter(len(row) for row in rows if len(row) > 1)
    width, number = max(widths.items(), key=lambda each: each[1], default=(0, 0))
    return number, len(rows[0]) if rows else 0, width
