"""Reads XLSX: each sheet is a table of data under its name."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from datetime import datetime, time
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from cicada.errors import DocumentRejectedError
from cicada.ingest.model import Problem
from cicada.ingest.prose.encoding import clean_line, damage_reported
from cicada.ingest.prose.package import PackageKind, core_properties, opened, repacked
from cicada.ingest.prose.sections import Block, Heading, Prose
from cicada.ingest.prose.table_shapes import Row
from cicada.ingest.prose.tables import bounded, table_blocks

# Sheets are read as a stream, so more XML is allowed than of a document; memory: docs/decisions/0042.
MAX_XML_BYTES = 60_000_000
# What a sheet has in Excel. The library makes an empty row for each number that is left out.
_MOST_ROWS = 1_048_576
# A cell with a formula and no value. The value of one that gives a text may be an empty one.
_UNCOMPUTED = re.compile(
    rb"<c\b(?![^<>]*\bt=.str)[^<>]*>\s*+<f\b[^<>]*(?:/>|>[^<]*</f>)\s*+(?:<v\s*+/>|<v>\s*+</v>)?\s*+</c>"
)
# What a cell of a wrong formula shows.
_ERROR = "e"


def read_xlsx(content: bytes) -> Prose:
    """The sheets that are shown, each with its name as heading, by the rules of `table_blocks`.

    Formulas count by the values that were stored with them. Days are `2026-01-31`, percentages are fractions. The title
    is left to the file's name, or is the workbook's own.
    """
    kind = PackageKind("Excel workbook", "XLSX", "Excel", MAX_XML_BYTES)
    packed = repacked(content, kind)
    with opened(content, kind) as package:
        title, properties = core_properties(package)
    with damage_reported(kind.damaged, BadZipFile, SyntaxError, InvalidFileException), warnings.catch_warnings():
        # The library warns of styles and extensions that it leaves out.
        warnings.simplefilter("ignore")
        workbook = load_workbook(BytesIO(packed), read_only=True, data_only=True, keep_links=False)
        hidden = [sheet.title for sheet in workbook.worksheets if sheet.sheet_state != "visible"]
        shown = [sheet for sheet in workbook.worksheets if sheet.sheet_state == "visible"]
        blocks = tuple(block for sheet in shown for block in _sheet(sheet))
    problems = (*map(_hidden, hidden), *_uncomputed(packed))
    return Prose(blocks, title=title, problems=problems, properties=properties)


def _sheet(sheet: Any) -> Iterator[Block]:
    rows = bounded(_rows(sheet))
    if rows:
        yield Heading(1, clean_line(sheet.title))
        yield from table_blocks(rows, level=2)


def _rows(sheet: Any) -> Iterator[Row]:
    # A damaged file declares a size of millions of empty cells; without it rows end with their last cell.
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(), 1):
        if number > _MOST_ROWS:
            raise DocumentRejectedError("The workbook has a row beyond Excel's last one; save it anew.", "damaged")
        yield number, [_text(cell) for cell in row]


def _text(cell: Any) -> str:
    value = cell.value
    if value is None or cell.data_type == _ERROR:
        return ""
    return clean_line(_written(value))


def _written(value: object) -> str:
    """The value as the fields of metadata are written: an hour of midnight is none."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        # Excel keeps fifteen digits. A number with an exponent would be taken for a text.
        text = f"{value:.15g}"
        return text if "e" not in text else f"{value:.15f}".rstrip("0").rstrip(".")
    if isinstance(value, datetime):
        whole = value.time() == time()
        return value.date().isoformat() if whole else value.isoformat(" ", "minutes")
    return value.isoformat("minutes") if isinstance(value, time) else str(value)


def _uncomputed(packed: bytes) -> Iterator[Problem]:
    """Programs that compute nothing write formulas without their values, which are missing then."""
    with ZipFile(BytesIO(packed)) as package:
        sheets = [name for name in package.namelist() if name.startswith("xl/worksheets/") and name.endswith(".xml")]
        number = sum(len(_UNCOMPUTED.findall(package.read(name))) for name in sheets)
    if number:
        what = "1 formula has no stored value" if number == 1 else f"{number:,} formulas have no stored values"
        yield Problem("", f"{what}; open the workbook in Excel, save it and upload it again.", "no_values")


def _hidden(name: str) -> Problem:
    return Problem(
        clean_line(name)[:100], "The sheet is hidden, so it was left out; show it and upload it again.", "hidden"
    )
