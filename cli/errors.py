"""The error that ends a command."""

from __future__ import annotations


class CommandError(Exception):
    """`str(error)` is a sentence for standard error; `exit_code` is 1 for a failure, 2 for wrong use."""

    def __init__(self, sentence: str, exit_code: int = 1) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code
