"""Tables for a terminal: aligned columns that fit into its width."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

from cli.text import clean_line

_GAP = 2


def table(rows: Sequence[Sequence[str]], width: int | None, *, wrapped: bool = False, first: int = 0) -> list[str]:
    """The lines of a table that fits into `width` columns of a terminal: long cells are cut, or `wrapped`.

    None is for a pipe, where each row is one line and nothing is cut. The first column has at least `first` columns.
    """
    # Imported late: help needs no table.
    from rich.cells import cell_len, set_cell_size

    cells = [[clean_line(cell).ljust(0 if index else first) for index, cell in enumerate(row)] for row in rows]
    if width is None:
        widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
        return [(" " * _GAP).join(map(set_cell_size, row, widths)).rstrip() for row in cells]
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=None, show_header=False, pad_edge=False, padding=(0, _GAP, 0, 0))
    for row in cells:
        shown.add_row(*(Text(cell, no_wrap=not wrapped, overflow="fold" if wrapped else "ellipsis") for cell in row))
    out = StringIO()
    Console(file=out, width=width, color_system=None, legacy_windows=False).print(shown)
    return [line.rstrip() for line in out.getvalue().split("\n")[:-1]]
