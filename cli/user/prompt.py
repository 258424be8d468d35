"""What is typed in a terminal, or comes from another input, line by line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
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


def open_prompt(commands: Sequence[str]) -> Prompt:
    """An interactive prompt if both ends are a terminal, with the platform's line editing; Tab completes `commands`."""
    interactive = sys.stdin.isatty() and sys.stdout.isatty()
    if interactive:
        _complete(commands)
    return Prompt(sys.stdin, interactive)


def completions(commands: Sequence[str], line: str) -> list[str]:
    """The commands that begin with the line; none for the beginning of a question."""
    return [each for each in commands if line.startswith("/") and each.startswith(line)]


def _complete(commands: Sequence[str]) -> None:
    """The import alone gives `input` line editing and a history."""
    try:
        import readline
    except ImportError:
        return

    def nth(line: str, number: int) -> str | None:
        return next(iter(completions(commands, line)[number:]), None)

    readline.set_completer(nth)
    # The whole line is completed, with its spaces.
    readline.set_completer_delims("")
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
