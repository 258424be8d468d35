"""Structure-aware chunks: the blocks of one section, packed up to a limit, with a little overlap.

A chunk never holds text of two sections, however short they are, because its section path is cited and searched with
it. Tables are split only if they are larger than a chunk; a record shares its chunk with nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from cicada.ingest.chunks import Chunking, packed, size_of, split_text
from cicada.ingest.prose.encoding import clip
from cicada.ingest.prose.sections import Block, Code, Heading, ListItem, Paragraph, Record, Table, sections

_DEEPEST = 6
# A longer name of a column is a sentence; it is cut where it stands before each value.
_MAX_NAME = 200


class ProseChunk(Struct, frozen=True):
    """Text of one section; `path` as in `Section`. `record`: the one that it is of, None for one of sums."""

    path: tuple[str, ...]
    text: str
    record: Record | None = None


class _Piece(Struct, frozen=True):
    text: str

    @property
    def size(self) -> int:
        return size_of(self.text)


def prose_chunks(blocks: Sequence[Block], chunking: Chunking) -> Iterator[ProseChunk]:
    """The document's chunks in its order, none larger than the limit. Sizes are counted as in `ingest.chunks`."""
    for section in sections(blocks):
        for _, group in groupby(section.blocks, key=lambda block: isinstance(block, Record)):
            yield from _chunks(section.path, list(group), chunking)


def _chunks(path: tuple[str, ...], blocks: Sequence[Block], chunking: Chunking) -> Iterator[ProseChunk]:
    """The chunks of records, or of blocks that are none."""
    records = [block for block in blocks if isinstance(block, Record)]
    if records:
        for each in records:
            yield from (ProseChunk(path, text, None if each.is_sum else each) for text in _record(each, chunking))
        return
    texts = [text for block in blocks for text in _pieces(block, chunking.limit) if text]
    yield from (ProseChunk(path, text) for text in _packed(texts, chunking))


def _packed(texts: Iterable[str], chunking: Chunking, glue: str = "\n") -> Iterator[str]:
    """Groups of consecutive texts, each as large as the limit allows."""
    for group in packed([_Piece(text) for text in texts], chunking):
        yield glue.join(piece.text for piece in group)


def _record(record: Record, chunking: Chunking) -> Iterator[str]:
    """The values behind the names of their columns. Each part of a long one begins with its first, if short."""
    (name, value), *others = record.values
    first = f"{name}: {value}; "
    lead = first if others and size_of(first) <= chunking.short else ""
    values, limit = (others if lead else record.values), chunking.limit - size_of(lead)
    parts = [f"{part};" for each in values for part in _value(*each, limit - 1)]
    yield from (lead + text[:-1] for text in _packed(parts, Chunking(limit, overlap=0), glue=" "))


def _value(name: str, value: str, limit: int) -> Iterator[str]:
    before = f"{clip(name, _MAX_NAME)}: "
    yield from (before + part for part in split_text(value, limit - size_of(before)))


def _pieces(block: Block, limit: int) -> Iterator[str]:
    """The block's text, cut where it is larger than the limit."""
    match block:
        case Heading(text=text) | Paragraph(text=text):
            yield from split_text(text, limit)
        case ListItem():
            yield from _item(block, limit)
        case Code(lines=lines):
            yield from _grouped(lines, limit)
        case Table():
            yield from _table(block, limit)


def _item(item: ListItem, limit: int) -> Iterator[str]:
    before = f"{'  ' * min(item.depth, _DEEPEST)}{item.marker} "
    for part in split_text(item.text, limit - size_of(before)):
        yield before + part
        before = ""


def _table(table: Table, limit: int) -> Iterator[str]:
    """The table, or parts of it that are cut between rows and begin with the header.

    A header that fills more than half a chunk is not repeated; a row that alone is too large is cut like a sentence.
    """
    header = _row(table.header)
    rows = [line for line in map(_row, table.rows) if line]
    if header and size_of(header) > limit // 2:
        header, rows = "", [header, *rows]
    room = limit - size_of(header) - 1 if header else limit
    if header and not rows:
        yield header
    for part in _grouped(rows, room):
        yield f"{header}\n{part}" if header else part


def _row(cells: Sequence[str]) -> str:
    return " | ".join(cells).rstrip(" |") if any(cells) else ""


def _grouped(lines: Sequence[str], limit: int) -> Iterator[str]:
    """Groups of lines. One that fits is kept with its indentation."""
    parts = [part for line in lines for part in ([line] if size_of(line) <= limit else split_text(line, limit))]
    return _packed(parts, Chunking(limit, overlap=0))
