"""Parallel work in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_parallel(function: Callable[[T], R], items: Sequence[T], threads: int) -> list[R]:
    """The results of `function` in the items' order. The first failure is raised after all calls have ended."""
    if threads < 2 or len(items) < 2:
        return [function(item) for item in items]
    with ThreadPoolExecutor(min(threads, len(items))) as pool:
        return list(pool.map(function, items))


def attempted(function: Callable[[T], R], items: Iterable[T], threads: int) -> dict[T, Future[R]]:
    """A finished future for each item, with its result or failure."""
    with ThreadPoolExecutor(threads) as pool:
        return {item: pool.submit(function, item) for item in items}
