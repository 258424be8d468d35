"""Names that a user or a group can have."""

from __future__ import annotations

import pytest

from cicada.permissions.reader_form import MAX_NAME, can_be_named


@pytest.mark.parametrize("name", ["a", "Ärzte", "人事", "e\u0301", "a-b_c.d@e+f", "4711", "<&>", "€$", "a" * MAX_NAME])
def test_letters_marks_numbers_punctuation_and_symbols_can_be_a_name(name: str) -> None:
    assert can_be_named(name)


@pytest.mark.parametrize(
    "name",
    ["", " ", "a b", "a\tb", "a\nb", "a\u00a0b", "a\u200bb", "a\u2028b", "\ud800", "\ue000", "a" * (MAX_NAME + 1)],
)
def test_what_is_empty_too_long_or_cannot_be_seen_is_no_name(name: str) -> None:
    assert not can_be_named(name)
