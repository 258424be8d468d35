"""Markdown: CommonMark with tables and strikethrough; HTML in it is read as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from cicada.errors import DocumentRejected
from cicada.ingest.prose.characters import clean_code, clean_line
from cicada.ingest.prose.damage import damage_reported
from cicada.ingest.prose.encoding import decode
from cicada.ingest.prose.html_reader import html_blocks
from cicada.ingest.prose.model import Block, Code, Heading, ListItem, Paragraph, Prose, Table, first_heading

# 500,000 lines of the shortest list items or table cells take 1 GB while they are read, as many brackets 3 minutes.
MAX_PARTS = 500_000

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(title|lang|language):[ \t]*(?P<quote>[\"']?)(?P<value>.*?)(?P=quote)[ \t]*$", re.MULTILINE)
_BREAKS = {"softbreak", "hardbreak"}


def read_markdown(content: bytes) -> Prose:
    """The title is that of the front matter, else the first heading. Nothing else of the front matter is kept."""
    decoded = decode(content)
    if sum(map(decoded.text.count, "\n|[")) > MAX_PARTS:
        raise DocumentRejected(
            f"The file has more than {MAX_PARTS:,} lines, table cells and brackets; split it.", "too_large"
        )
    front = _FRONT_MATTER.match(decoded.text)
    fields = {found[1]: found["value"] for found in _FIELD.finditer(front[0])} if front else {}
    with damage_reported("The Markdown is nested too deeply to be read; simplify it and upload it again."):
        blocks = tuple(_blocks(_parser().parse(decoded.text[front.end() if front else 0 :])))
    return Prose(
        blocks,
        title=clean_line(fields.get("title", "")) or first_heading(blocks),
        language=fields.get("lang", fields.get("language", "")),
        problems=decoded.problems,
    )


def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True, "maxNesting": 100}).enable(["table", "strikethrough"])


@dataclass
class _Walk:
    """Where in the flat list of tokens we are."""

    markers: list[str] = field(default_factory=list)
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
    """What a token without text says of those that follow."""
    match token.type:
        case "heading_open":
            walk.heading = int(token.tag[1:])
        case "heading_close":
            walk.heading = 0
        case "bullet_list_open" | "ordered_list_open":
            walk.markers.append("-")
        case "bullet_list_close" | "ordered_list_close":
            walk.markers.pop()
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
        yield ListItem(text, len(walk.markers) - 1, walk.item)
        walk.item = ""
    elif text:
        yield Paragraph(text)


def _texts(children: Sequence[Token]) -> Iterator[str]:
    for child in children:
        if child.type in _BREAKS or (child.type == "html_inline" and child.content.lower().startswith("<br")):
            yield " "
        elif child.type in ("text", "code_inline", "image"):
            yield child.content
