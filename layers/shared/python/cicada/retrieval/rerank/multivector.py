"""The byte form of the multivectors that an index stores for reranking.

Layout, little-endian: u8 version (1), u8 kind (1 windows, 2 tokens, 3 query), u16 rows, u16 columns; for a query a
32-bit float for each row, its weight; then the rows as 8-bit integers. Only a row's direction counts, so each row may
have its own scale.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from enum import IntEnum

from msgspec import Struct

from cicada.errors import ConfigurationError

VERSION = 1
_HEADER = struct.Struct("<BBHH")


class Kind(IntEnum):
    """Rows stand for windows of about 25 words, a passage's word pieces, or a question's word pieces."""

    WINDOWS = 1
    TOKENS = 2
    QUERY = 3


class Rows(Struct, frozen=True):
    """Vectors in 8-bit integers: `values` has one byte a column and row. `weights`: of a query's rows only."""

    kind: Kind
    columns: int
    values: bytes
    weights: tuple[float, ...] = ()

    @property
    def count(self) -> int:
        return len(self.values) // self.columns if self.columns else 0


def pack(rows: Rows) -> bytes:
    """The bytes to store. Raises `ValueError` if a row is incomplete or the number of weights is wrong."""
    if rows.count * rows.columns != len(rows.values):
        raise ValueError(f"{len(rows.values)} values are no whole rows of {rows.columns} columns.")
    if len(rows.weights) != (rows.count if rows.kind is Kind.QUERY else 0):
        raise ValueError(f"{rows.count} rows cannot have {len(rows.weights)} weights.")
    header = _HEADER.pack(VERSION, rows.kind, rows.count, rows.columns)
    return header + struct.pack(f"<{len(rows.weights)}f", *rows.weights) + rows.values


def unpack(data: bytes) -> Rows:
    """The rows. Raises `ConfigurationError` for bytes of another version; their document must be ingested again."""
    try:
        version, kind, count, columns = _HEADER.unpack_from(data)
        start = _HEADER.size + (4 * count if kind == Kind.QUERY else 0)
        if version != VERSION or len(data) != start + count * columns:
            raise ValueError(f"version {version}, {len(data)} bytes")
        weights = struct.unpack_from(f"<{count}f", data, _HEADER.size) if kind == Kind.QUERY else ()
        return Rows(Kind(kind), columns, bytes(data[start:]), weights)
    except (struct.error, ValueError) as error:
        raise ConfigurationError(
            "The index keeps details of passages in a form of another version of CICADA; ingest the documents again."
        ) from error


def windows(rows: Rows) -> list[Sequence[int]]:
    """Each row as whole numbers."""
    values = array("b", rows.values)
    return [values[start : start + rows.columns] for start in range(0, len(values), rows.columns or 1)]
