"""What the commands that measure share: progress on standard error, and the library's errors as the command's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from cli.errors import CommandError
from cli.text import clean


@contextmanager
def refusals() -> Iterator[None]:
    """Inside, an error of the library becomes a `CommandError` with its sentence."""
    from cicada.errors import CicadaError  # imported late: the library is slow to import

    try:
        yield
    except CicadaError as error:
        raise CommandError(str(error)) from error


@contextmanager
def measuring() -> Iterator[None]:
    """`refusals`, with one thread for matrices: those of numpy's library would wait for one another.

    Enter it before numpy is imported.
    """
    from local.bedrock.settings import limit_matrix_threads

    limit_matrix_threads()
    with refusals():
        yield


def show_progress(line: str) -> None:
    """A line on standard error; standard output is for the report."""
    print(clean(line), file=sys.stderr, flush=True)
