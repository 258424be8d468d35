"""Where questions come from: a person at a terminal, or a stream with one on each line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

_PROMPT = "> "


@dataclass(frozen=True, slots=True)
class Prompt:
    """Iterates over what is typed, without blank lines, until the end of the input."""

    source: TextIO
    interactive: bool

    def __iter__(self) -> Iterator[str]:
        lines = self._typed() if self.interactive else iter(self.source)
        return filter(None, map(str.strip, lines))

    def _typed(self) -> Iterator[str]:
        interrupted = False
        while True:
            try:
                line = input(_PROMPT)
            except EOFError:
                print()
                return
            except KeyboardInterrupt:
                if interrupted:
                    raise
                interrupted = True
                print("\nCtrl-C again leaves.")
            else:
                interrupted = False
                yield line


def open_prompt(source: TextIO, out: TextIO) -> Prompt:
    """An interactive prompt if both ends are a terminal, with the line editing of the platform."""
    interactive = source.isatty() and out.isatty()
    if interactive:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 (its import gives `input` line editing and a history)
    return Prompt(source, interactive)
