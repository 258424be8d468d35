"""Damaged bytes: what the libraries that read them raise, as `DocumentRejected`."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from cicada.errors import DocumentRejected

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
    """Turns what a library raises into `DocumentRejected(sentence)`. `errors`: the library's own."""
    foreign: tuple[type[Exception], ...] = (*_STUMBLES, *errors)
    try:
        yield
    except foreign as error:
        raise DocumentRejected(sentence, "damaged") from error
