"""Scene-aware chunks: consecutive messages of one chapter, packed up to a limit, with a little overlap.

Sizes are in characters; one of an East Asian script counts as two, because it carries about as much text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Protocol, TypeVar

from msgspec import Struct

from cicada.ingest.model import ScriptMessage, Track

# Places to cut, from the best to the worst: after a sentence, a clause, a word. The closing quotation mark belongs to
# the sentence, and the cut keeps the space before it, so that the pieces add up to the text.
_CUTS = tuple(
    re.compile(cut)
    for cut in (
        r"(?<=[.!?…] )|(?<=[.!?…][\"'”’)] )|(?<=[。！？])(?![」』）])|(?<=[。！？][」』）])",
        r"(?<=[,;:—] )|(?<=[、])",
        r"(?<= )",
    )
)
_FIRST_EAST_ASIAN = "\u2e80"


class Chunking(Struct, frozen=True):
    """`limit`: greatest size of a chunk. `overlap`: how many of its last messages the next chunk repeats, if short.

    The size matters little (docs/figures/chunk-sizes.json, measured on our own questions), and beyond some 1,000
    characters all-MiniLM-L6-v2 no longer sees the whole chunk: it reads 256 word pieces.
    """

    limit: int = 900
    overlap: int = 1

    @property
    def short(self) -> int:
        """Greatest size of a repeated message. Short messages need the text before them to be understood."""
        return self.limit // 6


class Chunk(Struct, frozen=True):
    """Messages of one chapter and their text, one line a message; the ends of a long message may be in other chunks."""

    messages: tuple[ScriptMessage, ...]
    text: str

    @property
    def speakers(self) -> tuple[str, ...]:
        """The speakers in order of appearance."""
        return tuple(dict.fromkeys(message.speaker for message in self.messages if message.speaker))


class Sized(Protocol):
    """An item to pack into chunks; `size` is its text's."""

    @property
    def size(self) -> int: ...


S = TypeVar("S", bound=Sized)


class _Line(Struct, frozen=True):
    message: ScriptMessage
    text: str
    size: int


def chunks(track: Track, chunking: Chunking) -> Iterator[Chunk]:
    """The track's chunks in the script's order; none crosses a chapter, none is larger than the limit."""
    for _, messages in groupby(track.messages, key=lambda message: message.chapter_id):
        lines = [line for message in messages for line in _lines(message, chunking.limit)]
        for chunk in packed(lines, chunking):
            yield Chunk(tuple(line.message for line in chunk), "\n".join(line.text for line in chunk))


def size_of(text: str) -> int:
    """Characters of `text`, those of East Asian scripts counted twice."""
    return len(text) if text.isascii() else len(text) + sum(letter >= _FIRST_EAST_ASIAN for letter in text)


def packed(lines: Sequence[S], chunking: Chunking) -> Iterator[list[S]]:
    """Groups of lines of at most the limit, counting the overlap and a separator between lines."""
    chunk: list[S] = []
    size = 0
    for line in lines:
        if chunk and size + line.size > chunking.limit:
            yield chunk
            chunk = _repeated(chunk, chunking, room=chunking.limit - line.size)
            size = sum(each.size + 1 for each in chunk)
        chunk.append(line)
        size += line.size + 1
    if chunk:
        yield chunk


def repeated(before: str, text: str, chunking: Chunking | None = None) -> str:
    """The lines that end a chunk's text and begin the next one's; empty if the next one repeats none.

    `before` and `text`: texts of consecutive chunks of one chapter or section.
    """
    short = (chunking or Chunking()).short
    ends, begins = before.split("\n"), text.split("\n")
    for number in range(1, len(begins)):
        lines = "\n".join(begins[:number])
        if size_of(lines) > short:
            break
        if begins[:number] == ends[-number:]:
            return lines
    return ""


def _repeated(chunk: list[S], chunking: Chunking, room: int) -> list[S]:
    """The last lines of a chunk that the next one repeats: those that are short and fit into `room`."""
    kept: list[S] = []
    for line in reversed(chunk[-chunking.overlap :] if chunking.overlap else []):
        room -= line.size + 1
        if line.size > chunking.short or room < 0:
            break
        kept.insert(0, line)
    return kept


def _lines(message: ScriptMessage, limit: int) -> Iterator[_Line]:
    """The message as one line, or as several when it is longer than a chunk: each names the speaker."""
    before, after = _frame(message)
    for part in split_text(message.text, limit - size_of(before + after)):
        text = f"{before}{part}{after}"
        yield _Line(message, text, size_of(text))


def _frame(message: ScriptMessage) -> tuple[str, str]:
    if message.is_direction:
        return "(", ")"
    return (f"{message.speaker}: " if message.speaker else "", "")


def split_text(text: str, limit: int) -> list[str]:
    """Pieces of at most `limit` (two or more), cut at the ends of sentences where there are any."""
    return [piece.strip() for piece in _cut(text, limit, _CUTS)]


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order, without the spaces around them."""
    return [piece.strip() for piece in _CUTS[0].split(text) if piece.strip()]


def _cut(text: str, limit: int, cuts: Sequence[re.Pattern[str]]) -> list[str]:
    if size_of(text.rstrip()) <= limit:
        return [text]
    if not cuts:
        return list(_slices(text, limit))
    pieces = [""]
    size = 0
    for part in cuts[0].split(text):
        for piece in _cut(part, limit, cuts[1:]):
            if size + size_of(piece.rstrip()) > limit:
                pieces.append("")
                size = 0
            pieces[-1] += piece
            size += size_of(piece)
    return [piece for piece in pieces if piece.strip()]


def _slices(text: str, limit: int) -> Iterator[str]:
    """Cut between any two characters."""
    if text.isascii():
        yield from (text[start : start + limit] for start in range(0, len(text), limit))
        return
    start = size = 0
    for end, letter in enumerate(text):
        width = 2 if letter >= _FIRST_EAST_ASIAN else 1
        if size + width > limit:
            yield text[start:end]
            start, size = end, 0
        size += width
    yield text[start:]
