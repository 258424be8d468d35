from __future__ import annotations

import pytest

from cicada.permissions import can_be_named


@pytest.mark.parametrize("name", ["a", "a" * 128, "Бухгалтерия", "e\u0301lan", "team-7", "½", "a@b.org", "€+", "経理"])
def test_letters_marks_digits_signs_and_symbols_make_a_viewers_name(name: str) -> None:
    assert can_be_named(name)


@pytest.mark.parametrize("name", ["", "a" * 129, "a b", " a", "a\n", "a\u200b", "a\u00a0b", "\ue000", "a\ud800"])
def test_nobody_is_named_with_spaces_invisible_characters_or_too_many(name: str) -> None:
    assert not can_be_named(name)
