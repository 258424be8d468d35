"""Translates the libraries' errors on damaged files to `DocumentRejectedError`."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from cicada.errors import DocumentRejectedError

# Besides their own errors, the libraries raise these on damaged bytes.
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
    """Turn a library's exceptions into `DocumentRejectedError(sentence)`. `errors`: the library's own."""
    foreign: tuple[type[Exception], ...] = (*_STUMBLES, *errors)
    try:
        yield
    except foreign as error:
        raise DocumentRejectedError(sentence, "damaged") from error
