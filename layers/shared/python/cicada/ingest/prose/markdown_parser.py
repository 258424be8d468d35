"""Markdown: CommonMark with tables and strikethrough; HTML in it is read as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec import Struct, field

from cicada.errors import DocumentRejectedError
from cicada.ingest.prose.encoding import clean_code, clean_line, damage_reported, decode
from cicada.ingest.prose.front_matter import read_front_matter
from cicada.ingest.prose.html_parser import html_blocks
from cicada.ingest.prose.sections import Block, Code, Heading, ListItem, Paragraph, Prose, Table, first_heading

# Memory for so many: docs/figures/reader-limits.json.
MAX_PARTS = 200_000
# What begins a line, a cell or something within a line. An opening bracket whose end is missing takes most.
_PARTS = "\n|*_~`<&\\"
_BRACKET_PARTS = 5
# The parser only looks whether something begins at these: a tenth of the work. It passes over others.
_TENTHS = "$%+-:=>@]^{}!"
_BREAKS = {"softbreak", "hardbreak"}


def read_markdown(content: bytes) -> Prose:
    """The title is that of the front matter, else the first heading. The front matter is no part of the text."""
    decoded = decode(content)
    _check_size(decoded.text)
    front = read_front_matter(decoded.text)
    with damage_reported("The Markdown is nested too deeply to be read; simplify it and upload it again."):
        blocks = tuple(_blocks(_parser().parse(decoded.text[front.length :])))
    return Prose(
        blocks,
        title=clean_line(front.title) or first_heading(blocks),
        language=front.language,
        problems=(*decoded.problems, *front.problems),
        metadata=front.metadata,
        readers=front.readers or (),
    )


def _check_size(text: str) -> None:
    """Refuse too many tokens before parsing, since they take many times the memory of their text."""
    parts = sum(map(text.count, _PARTS)) + _BRACKET_PARTS * text.count("[") + sum(map(text.count, _TENTHS)) // 10
    if parts > MAX_PARTS:
        raise DocumentRejectedError(
            f"The file has more than {MAX_PARTS:,} lines, table cells, links (each counts as {_BRACKET_PARTS}) and "
            "other marks; split it.",
            "too_large",
        )


def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True, "maxNesting": 100}).enable(["table", "strikethrough"])


class _Walk(Struct):
    """A position in the flat list of tokens. `depth`: how many lists are open; `item`: the mark of one that begins."""

    depth: int = 0
    item: str = ""
    rows: list[tuple[str, ...]] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    in_cell: bool = False
    heading: int = 0


def _blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    walk = _Walk()
    for token in tokens:
        match token.type:
            case "inline":
                yield from _inline(token, walk)
            case "fence" | "code_block":
                if lines := clean_code(token.content):
                    yield Code(lines)
            case "html_block":
                yield from html_blocks(token.content)
            case "table_close":
                yield Table(walk.rows[0], tuple(walk.rows[1:]))
            case _:
                _step(token, walk)
                _table_step(token, walk)


def _step(token: Token, walk: _Walk) -> None:
    """Update the walk by a token without text."""
    match token.type:
        case "heading_open":
            walk.heading = int(token.tag[1:])
        case "heading_close":
            walk.heading = 0
        case "bullet_list_open" | "ordered_list_open":
            walk.depth += 1
        case "bullet_list_close" | "ordered_list_close":
            walk.depth -= 1
        case "list_item_open":
            walk.item = f"{token.info}{token.markup}" if token.info else "-"
        case "list_item_close":
            walk.item = ""


def _table_step(token: Token, walk: _Walk) -> None:
    match token.type:
        case "table_open":
            walk.rows = []
        case "tr_open":
            walk.cells = []
        case "tr_close":
            walk.rows.append(tuple(walk.cells))
        case "th_open" | "td_open":
            walk.in_cell = True
        case "th_close" | "td_close":
            walk.in_cell = False


def _inline(token: Token, walk: _Walk) -> Iterator[Block]:
    text = clean_line("".join(_texts(token.children or ())))
    if walk.in_cell:
        walk.cells.append(text)
    elif text and walk.heading:
        yield Heading(walk.heading, text)
    elif text and walk.item:
        yield ListItem(text, walk.depth - 1, walk.item)
        walk.item = ""
    elif text:
        yield Paragraph(text)


def _texts(children: Sequence[Token]) -> Iterator[str]:
    for child in children:
        if child.type in _BREAKS or (child.type == "html_inline" and child.content.lower().startswith("<br")):
            yield " "
        elif child.type in ("text", "code_inline", "image"):
            yield child.content
