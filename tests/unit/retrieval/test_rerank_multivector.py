"""The form of what an index keeps for reranking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.errors import ConfigurationError
from cicada.retrieval.rerank.multivector import Kind, Rows, pack, unpack, windows


@given(st.sampled_from([Kind.WINDOWS, Kind.TOKENS]), st.integers(1, 40), st.integers(0, 20), st.randoms())
def test_rows_come_back_as_they_were_kept(kind: Kind, columns: int, count: int, chance: object) -> None:
    rows = Rows(kind, columns, bytes(number % 256 for number in range(columns * count)))
    assert unpack(pack(rows)) == rows
    assert rows.count == count


def test_a_questions_rows_keep_their_weights() -> None:
    rows = Rows(Kind.QUERY, 2, b"\x01\x02\x03\x04", (0.5, 2.0))
    assert unpack(pack(rows)) == rows


def test_the_layout_is_as_documented() -> None:
    assert pack(Rows(Kind.TOKENS, 3, b"\x01\xff\x03")) == b"\x01\x02\x01\x00\x03\x00\x01\xff\x03"


@pytest.mark.parametrize(
    "data",
    [b"", b"\x01", b"\x02\x02\x01\x00\x01\x00\x05", b"\x01\x09\x01\x00\x01\x00\x05", b"\x01\x02\x02\x00\x01\x00\x05"],
)
def test_bytes_of_another_version_are_refused(data: bytes) -> None:
    with pytest.raises(ConfigurationError, match="ingest the documents again"):
        unpack(data)


@pytest.mark.parametrize(
    "rows",
    [
        Rows(Kind.TOKENS, 2, b"\x01\x02\x03"),
        Rows(Kind.TOKENS, 1, b"\x01", (1.0,)),
        Rows(Kind.QUERY, 1, b"\x01\x02", (1.0,)),
    ],
)
def test_rows_that_are_not_whole_are_not_kept(rows: Rows) -> None:
    with pytest.raises(ValueError, match="rows"):
        pack(rows)


def test_windows_are_whole_numbers_with_a_sign() -> None:
    assert [list(row) for row in windows(Rows(Kind.WINDOWS, 2, b"\x01\xff\x80\x7f"))] == [[1, -1], [-128, 127]]
