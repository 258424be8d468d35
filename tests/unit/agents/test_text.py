from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.agents.model import ANSWER_LIMIT_BYTES, beginning, fitted, matching_key, storable


@given(st.text())
def test_the_key_of_a_key_is_itself(name: str) -> None:
    assert matching_key(matching_key(name)) == matching_key(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Banquo", "BANQUO"),
        ("Straße", "STRASSE"),
        ("ﬁre", "fire"),
        ("Ｒｏｓｓ", "ross"),
        ("e\u0301", "é"),
        (" a \n b", "a b"),
    ],
)
def test_ways_to_write_a_name_have_one_key(one: str, other: str) -> None:
    assert matching_key(one) == matching_key(other)


def test_different_names_have_different_keys() -> None:
    assert len({matching_key(name) for name in ("Ross", "Rosse", "R oss", "Röss", "#Ross")}) == 5


@given(st.text(st.characters(exclude_categories=()), max_size=50))
def test_what_is_storable_is_utf_8(text: str) -> None:
    assert storable(text).encode().decode() == storable(text)
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert storable(text) == text


def test_a_beginning_is_one_line_and_no_longer_than_its_limit() -> None:
    assert beginning("a\n b", 10) == "a b"
    assert beginning("abcdef", 6) == "abcdef"
    assert beginning("abcdefg", 6) == "abcde…"
    assert beginning("abcd efgh", 6) == "abcd…"


def test_parts_that_do_not_fit_are_counted() -> None:
    parts = ["x" * 9_000] * 4
    assert fitted(parts, "\n\n") == "\n\n".join([*parts[:2], "(2 more not shown here.)"])


def test_a_first_part_that_is_too_long_is_cut_between_characters() -> None:
    cut = fitted(["夜" * ANSWER_LIMIT_BYTES])
    assert cut == "夜" * (ANSWER_LIMIT_BYTES // 3) + "…"
