"""The error that ends a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class CommandError(Exception):
    """`str(error)` is a sentence for standard error; `exit_code` is 1 for a failure, 2 for wrong use."""

    def __init__(self, sentence: str, exit_code: int = 1) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


@contextmanager
def library_errors() -> Iterator[None]:
    """Within the block an error of the library is raised as a `CommandError` with its sentence."""
    from cicada.errors import CicadaError  # imported late: the library is slow to import

    try:
        yield
    except CicadaError as error:
        raise CommandError(str(error)) from error
