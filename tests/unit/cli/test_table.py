"""Tables for a terminal."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from cli.table import table

WORDS = st.text("abc 漢字é", max_size=30)


def wide(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)


def test_columns_are_aligned_by_what_a_terminal_shows() -> None:
    lines = table([("Title", "Status"), ("漢字", "draft"), ("abcdefg", "approved")], None)
    assert lines == ["Title    Status", "漢字     draft", "abcdefg  approved"]


def test_the_longest_column_gives_way_and_says_so() -> None:
    lines = table([("Title", "Status"), ("a" * 40, "approved"), ("b", "draft")], 20)
    assert lines == ["Title       Status", "aaaaaaaaa…  approved", "b           draft"]


def test_long_cells_are_wrapped_within_their_column_where_all_is_to_be_read() -> None:
    lines = table([("ok", "index"), ("problem", "run it again or it fails")], 20, wrapped=True)
    assert lines == ["ok       index", "problem  run it", "         again or it", "         fails"]


def test_a_pipe_gets_every_cell_whole() -> None:
    assert table([("T",), ("a" * 500,)], None) == ["T", "a" * 500]


def test_what_controls_a_terminal_is_left_out() -> None:
    assert table([("T", "S"), ("a\x1b[2J\nb", "c")], 40) == ["T       S", "a[2J b  c"]


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.tuples(*[WORDS] * n), min_size=1)), st.integers(10, 60))
def test_no_line_is_wider_than_the_terminal(rows: list[tuple[str, ...]], width: int) -> None:
    lines = table(rows, width)
    assert len(lines) == len(rows)
    assert max(map(wide, lines)) <= width
