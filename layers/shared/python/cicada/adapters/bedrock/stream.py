"""Retries of Bedrock's streams before their first item."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from typing import TypeVar

from cicada.adapters.bedrock.errors import IncompleteStreamError, bedrock_errors
from cicada.adapters.retry import Retry

T = TypeVar("T")


def retried_stream(start: Callable[[], Generator[T]], retry: Retry) -> Generator[T]:
    """The items of `start()`, which is retried if it fails before its first item. Closing this closes the stream.

    Raises what `bedrock_errors` raises; a stream without any item is `UnavailableError`.
    """
    first, items = retry.call(lambda: _first(start))
    with closing(items):
        yield first
        with bedrock_errors(started=True):
            yield from items


def _first(start: Callable[[], Generator[T]]) -> tuple[T, Generator[T]]:
    with bedrock_errors():
        items = start()
        for item in items:
            return item, items
        raise IncompleteStreamError("The stream held nothing.")
