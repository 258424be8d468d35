"""What the commands that measure share: one thread for matrices, and progress on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from cli.errors import library_errors
from cli.text import clean


@contextmanager
def measuring() -> Iterator[None]:
    """`library_errors`, with one thread for matrices: those of numpy's library would wait for one another.

    Enter it before numpy is imported.
    """
    from local.bedrock.settings import limit_matrix_threads

    limit_matrix_threads()
    with library_errors():
        yield


def show_progress(line: str) -> None:
    """A line on standard error; standard output is for the report."""
    print(clean(line), file=sys.stderr, flush=True)
