"""Lines, headings and sections of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from cicada.ingest.model import Problem
from cicada.ingest.prose.encoding import clean_line, clip

# Properties of a document that are read, and the characters of each.
MAX_PROPERTIES = 100
MAX_PROPERTY = 1_000


class Heading(Struct, frozen=True):
    """`level` 1 is the outermost. Whatever follows belongs to it until a heading of its level or a lower one."""

    level: int
    text: str


class Paragraph(Struct, frozen=True):
    """Text of one line."""

    text: str


class ListItem(Struct, frozen=True):
    """Text of one line. `depth` 0 is the outermost list; `marker` is what stands before it, such as `-` or `3.`."""

    text: str
    depth: int = 0
    marker: str = "-"


class Code(Struct, frozen=True):
    """Text whose line breaks and spaces mean something."""

    lines: tuple[str, ...]


class Table(Struct, frozen=True):
    """Cells of one line each. `header` is empty where no row is marked as one; rows may differ in length."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Record(Struct, frozen=True):
    """A row of a table of data, which is found by itself.

    `number`: its place in the table, the header's row included, from 1. `values`: those of the columns that have one
    there, with the columns' names. `is_sum`: it sums up other rows, and is text alone.
    `plain`: by columns, as fields take them, those of the numbers and days that are written in another way, and lists.
    """

    number: int
    values: tuple[tuple[str, str], ...]
    is_sum: bool = False
    plain: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)


Block = Heading | Paragraph | ListItem | Code | Table | Record


def headed_table(rows: Iterable[tuple[str, ...]]) -> Iterator[Table]:
    """The table of the rows that have text, if any; the first one of several is its header.

    Formats mark few headers, and a first row that is repeated does no harm.
    """
    filled = [row for row in rows if any(row)]
    if filled:
        yield Table(filled[0] if len(filled) > 1 else (), tuple(filled[1:] or filled))


def spread(cells: Iterable[tuple[str, int]], most_columns: int) -> Iterator[str]:
    """The texts of cells. One over several columns, which stand beside it, is followed by empty ones up to the most."""
    columns = 0
    for text, width in cells:
        yield text
        empty = max(0, min(width, most_columns - columns) - 1)
        yield from [""] * empty
        columns += 1 + empty


class Prose(Struct, frozen=True):
    """A document. `title` and `language` are empty where it does not say them; texts hold no control characters.

    `metadata`: what its front matter says; `readers`: those that it names. `properties`: what the format keeps of every
    document, such as its author.
    """

    blocks: tuple[Block, ...]
    title: str = ""
    language: str = ""
    problems: tuple[Problem, ...] = ()
    metadata: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    readers: tuple[str, ...] = ()
    properties: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)


def first_heading(blocks: Iterable[Block]) -> str:
    """The text of the first heading of level 1; without any, of the heading that the document begins with; or empty."""
    found = list(blocks)
    headings = [block for block in found if isinstance(block, Heading)]
    top = next((heading.text for heading in headings if heading.level == 1), "")
    return top or (headings[0].text if headings and found[0] is headings[0] else "")


# A longer heading is usually a paragraph in a heading's style; it is cut in the path.
MAX_HEADING = 200


class Section(Struct, frozen=True):
    """`path`: the headings above, outermost first, each of at most 200 characters. `blocks`: what follows the last."""

    path: tuple[str, ...]
    blocks: tuple[Block, ...]


def sections(blocks: Sequence[Block]) -> Iterator[Section]:
    """The sections that have text, in order. No text is lost: a heading with nothing below it is its section's text."""
    above: list[Heading] = []
    body: list[Block] = []
    for block, following in zip(blocks, [*blocks[1:], None], strict=False):
        if not isinstance(block, Heading):
            body.append(block)
            continue
        yield from _section(above, body)
        above = [*(heading for heading in above if heading.level < block.level), block]
        stands_alone = following is None or (isinstance(following, Heading) and following.level <= block.level)
        body = [Paragraph(block.text)] if stands_alone or len(block.text) > MAX_HEADING else []
    yield from _section(above, body)


def _section(above: list[Heading], body: list[Block]) -> Iterator[Section]:
    if body:
        yield Section(tuple(clip(heading.text, MAX_HEADING) for heading in above), tuple(body))


_ITEM = re.compile(r"(?P<bullet>[-*•‣◦▪●–])\s+(?=\S)|(?P<number>\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+(?=\S)")
_SENTENCE_END = re.compile(r"[.!?:;…。！？][\"'”’)\]]?$")
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]$")
# A line that ends a sentence in the first three quarters of the width ends its paragraph too.
_FULL_LINE = 0.75


def text_blocks(lines: Iterable[str]) -> Iterator[Paragraph | ListItem]:
    """Paragraphs end at empty lines; a line that begins with a bullet or a number is a list item.

    An item's further lines are indented; without indentation, what follows an item is a paragraph.
    """
    group: list[str] = []
    for line in lines:
        stripped = line.strip()
        starts = not stripped or bool(_ITEM.match(stripped))
        leaves = bool(group) and bool(_ITEM.match(group[0])) and line[:1] not in " \t"
        if starts or leaves:
            yield from _block(group)
            group = []
        if stripped:
            group.append(stripped)
    yield from _block(group)


def page_blocks(lines: Iterable[str]) -> Iterator[Paragraph | ListItem]:
    """The blocks of a printed page, which has no empty lines and no indentation to go by.

    Words that are cut at the end of a line are made whole.
    """
    found = [line.strip() for line in lines]
    width = max(map(len, found), default=0)
    # Joined when the paragraph ends: line by line, a page of nothing but hyphens would take hours.
    group: list[str] = []
    for line in found:
        if not line or _ITEM.match(line):
            yield from _block(["".join(group)])
            group = []
        if line and group and _HYPHEN.search(group[-1]) and line[0].islower():
            group[-1] = group[-1][:-1]
            group.append(line)
        elif line:
            group.append(f" {line}" if group else line)
        if group and len(line) < _FULL_LINE * width and _SENTENCE_END.search(line):
            yield from _block(["".join(group)])
            group = []
    yield from _block(["".join(group)])


def _block(group: list[str]) -> Iterator[Paragraph | ListItem]:
    text = clean_line(" ".join(group))
    item = _ITEM.match(text)
    if item:
        yield ListItem(text[item.end() :], marker=item["number"] or "-")
    elif text:
        yield Paragraph(text)
