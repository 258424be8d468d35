"""Damaged bytes: what the libraries that read them raise, as `DocumentRejectedError`."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from cicada.errors import DocumentRejectedError

# Where bytes are damaged, the libraries stumble over values that they expected, beside the errors of their own.
_STUMBLES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,  # with RecursionError and NotImplementedError
    TypeError,
    ValueError,  # with UnicodeError
    struct.error,
    zlib.error,
)


@contextmanager
def damage_reported(sentence: str, *errors: type[Exception]) -> Iterator[None]:
    """Turns what a library raises into `DocumentRejectedError(sentence)`. `errors`: the library's own."""
    foreign: tuple[type[Exception], ...] = (*_STUMBLES, *errors)
    try:
        yield
    except foreign as error:
        raise DocumentRejectedError(sentence, "damaged") from error
