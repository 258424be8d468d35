"""Where an answer is shown: a terminal with a status line, or a plain stream."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import TextIO, TypeAlias

from cicada_client.events import Source
from cicada_client.notices import Notice, Reconnected, Reconnecting
from cli.errors import CommandError
from cli.settings import read_settings
from cli.table import table
from cli.text import clean, clean_line, marked_sentences, source_line

_ERASE_LINE = "\r\x1b[K"
_DIM, _BOLD, _NORMAL = "\x1b[2m", "\x1b[1m", "\x1b[0m"
_INDENT = " " * 4
# What to do where nobody can be asked.
_NOBODY = "give --yes to delete without being asked; there is no terminal here."
_BLANKS = re.compile(r"\s+")

Marked: TypeAlias = Sequence[tuple[str, bool]]
"""A text in pieces, each with whether it is marked."""


class Screen:
    """Answers go to `out`. Remarks about them go there too on a terminal, and to `notes` otherwise."""

    def __init__(self, out: TextIO, notes: TextIO, *, terminal: bool, colour: bool) -> None:
        self._out = out
        self._side = notes
        self._terminal = terminal
        self._colour = colour
        self._at_line_start = True
        self._status_shown = False

    def chunk(self, text: str) -> None:
        """Show the next piece of an answer at once."""
        self._write(clean(text))

    def line(self, text: str = "") -> None:
        """Show one line."""
        self.end_line()
        self._write(clean_line(text) + "\n")

    def marked_line(self, lead: str, pieces: Marked) -> None:
        """Show one line that begins with `lead`, and has the marked pieces of a text on one line."""
        self.end_line()
        self._write(f"{clean_line(lead)} {''.join(self._marked(*piece) for piece in pieces)}\n")

    def end_line(self) -> None:
        """Begin a new line, unless the cursor is at the beginning of one."""
        self._erase_status()
        if not self._at_line_start:
            self._write("\n")

    def note(self, text: str) -> None:
        """Show a remark, apart from the answer."""
        self._say(clean_line(text))

    def notes(self, text: str) -> None:
        """Show several lines of our own text, apart from the answer."""
        for line in text.splitlines():
            self._say(line)

    def status(self, text: str) -> None:
        """Show an activity until something else is shown; only on a terminal, and never in the middle of a line."""
        self._erase_status()
        if self._terminal and self._at_line_start:
            from rich.cells import cell_len, set_cell_size  # imported late: help needs no status

            line = clean_line(text)
            columns = min(cell_len(line), shutil.get_terminal_size().columns - 1)
            self._out.write(self._dimmed(set_cell_size(line, columns).rstrip()))
            self._out.flush()
            self._status_shown = True

    def table(self, rows: Sequence[Sequence[str]], *, wrapped: bool = False, first: int = 0) -> None:
        """Show rows as `cli.table.table` lays them out for the terminal, or for a pipe."""
        self.end_line()
        width = shutil.get_terminal_size().columns if self._terminal else None
        for line in table(rows, width, wrapped=wrapped, first=first):
            self._write(line + "\n")

    def sources(self, sources: tuple[Source, ...], text_of: Callable[[Source], Marked] = marked_sentences) -> None:
        """Show each source on one line, those of one document together, and below it what `text_of` takes from it."""
        self.end_line()
        by_document: dict[str, list[Source]] = {}
        for source in sources:
            by_document.setdefault(source.document_id, []).append(source)
        for number, source in ((at, each) for group in by_document.values() for at, each in enumerate(group)):
            self._write(self._dimmed(source_line(source, named=number == 0)) + "\n")
            if text := "".join(self._marked(*piece) for piece in text_of(source)).strip():
                self._write(f"{_INDENT}{text}\n")

    def observe(self, notice: Notice) -> None:
        """Show in one line that the connection was lost and restored."""
        match notice:
            case Reconnecting():
                self.status(f"{notice.reason} Connecting again …")
            case Reconnected():
                self.note("The connection was lost; the answer goes on where it stopped.")

    def _say(self, text: str) -> None:
        if self._terminal:
            self.end_line()
            self._write(self._dimmed(text) + "\n")
        else:
            print(text, file=self._side, flush=True)

    def _write(self, text: str) -> None:
        if not text:
            return
        self._erase_status()
        self._out.write(text)
        self._out.flush()
        self._at_line_start = text.endswith("\n")

    def _erase_status(self) -> None:
        if self._status_shown:
            self._out.write(_ERASE_LINE)
            self._out.flush()
            self._status_shown = False

    def _marked(self, text: str, is_marked: bool) -> str:
        said = _BLANKS.sub(" ", clean(text))
        return f"{_BOLD}{said}{_NORMAL}" if is_marked and self._terminal and self._colour else said

    def _dimmed(self, text: str) -> str:
        return f"{_DIM}{text}{_NORMAL}" if self._terminal and self._colour else text


def open_screen() -> Screen:
    """A screen on the standard output and error of this process."""
    settings = read_settings()
    terminal = sys.stdout.isatty() and not settings.plain
    return Screen(sys.stdout, sys.stderr, terminal=terminal, colour=settings.colour)


def ask_first(question: str, without: str = _NOBODY) -> None:
    """Ask the person at the terminal. Raises `CommandError` without a yes, or with `without` if there is nobody."""
    if not sys.stdin.isatty():
        raise CommandError(f"Nothing was done: {without}", 2)
    print(f"{question} [y/N] ", end="", flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CommandError("Nothing was done.")
