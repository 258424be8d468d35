"""A scan that finds no marker shows something only if it finds one wherever it may be packed."""

from __future__ import annotations

import base64
import gzip
import json
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.residue.scan import bytes_of_marker, new_marker

MARKER = "bcfhjkmnpqrvwxzbcfhj"
FOUND = len(MARKER) - 4
TEXT = f"The {MARKER} weighs four stone.".encode()
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda text: text,
    "upper case": bytes.upper,
    "gzip": gzip.compress,
    "zlib": zlib.compress,
    "base64": base64.b64encode,
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(b"\xff\xfe\xfd" + text).rstrip(b"="),
    "base64 in JSON": lambda text: json.dumps({"vector": base64.b64encode(text).decode()}).encode(),
    "base64 in JSON in gzip": lambda text: gzip.compress(b'{"a": "' + base64.b64encode(zlib.compress(text)) + b'"}'),
}


@pytest.mark.parametrize("packing", PACKED)
def test_a_marker_is_found_however_it_is_packed(packing: str) -> None:
    assert bytes_of_marker(PACKED[packing](TEXT), MARKER) == FOUND
    assert bytes_of_marker(PACKED[packing](TEXT.replace(b"x", b"y")), MARKER) == 0


def test_each_occurrence_counts() -> None:
    assert bytes_of_marker(TEXT + gzip.compress(TEXT), MARKER) == FOUND
    assert bytes_of_marker(TEXT * 3, MARKER) == 3 * FOUND


def test_a_broken_archive_is_only_looked_at_as_it_is() -> None:
    assert bytes_of_marker(gzip.compress(TEXT)[:20] + MARKER.encode(), MARKER) == FOUND


def test_a_term_of_the_embedded_index_is_found_beside_one_that_begins_like_it(tmp_path: Path) -> None:
    """SQLite stores of a term only what differs from the one before."""
    path = tmp_path / "index.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE VIRTUAL TABLE passages USING fts5(text, content='')")
        connection.executemany("INSERT INTO passages(rowid, text) VALUES (?, ?)", [(1, MARKER[:3] + "a"), (2, MARKER)])
    connection.close()
    assert MARKER.encode() not in path.read_bytes()
    assert bytes_of_marker(path.read_bytes(), MARKER) == FOUND


def test_markers_differ() -> None:
    assert len({new_marker() for _ in range(100)}) == 100
