"""Vectors in a growing array: what was read before never changes."""

from __future__ import annotations

import numpy as np

from cicada_embedded.vectors import Vectors, empty


def appended(before: Vectors, *numbers: int) -> Vectors:
    """With a vector of two equal floats for each number."""
    vectors = np.array([[number, number] for number in numbers], np.float32).reshape(-1, 2)
    return before.with_room(len(numbers)).appended(np.array(numbers), vectors)


def shown(vectors: Vectors) -> list[int]:
    assert [vector.tolist() for vector in vectors.vectors] == [[number, number] for number in vectors.numbers]
    return [int(number) for number in vectors.numbers]


def test_rows_are_appended_in_place_and_those_before_see_none_of_it() -> None:
    before = appended(empty(2), *range(100))
    first = appended(before, 100)
    second = appended(first, 101, 102)
    assert shown(before) == list(range(100))
    assert shown(first) == list(range(101))
    assert shown(second) == list(range(103))
    assert second.rows is first.rows


def test_two_readers_of_the_same_rows_do_not_overwrite_each_other() -> None:
    before = appended(empty(2), *range(8))
    before = appended(before, 8)
    one, other = appended(before, 10), appended(before, 20)
    assert (shown(one)[-1], shown(other)[-1], len(shown(before))) == (10, 20, 9)


def test_rows_that_are_left_out_make_way() -> None:
    before = appended(empty(2), *range(6))
    kept = before.only(np.array([True, False, False, True, True, False]), 1)
    assert shown(kept) == [0, 3, 4]
    assert shown(appended(kept, 9)) == [0, 3, 4, 9]
    assert shown(before) == list(range(6))
