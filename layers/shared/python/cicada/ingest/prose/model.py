"""Values of prose: what a document of any format consists of, in its order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from cicada.ingest.model import Problem

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


Block = Heading | Paragraph | ListItem | Code | Table


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
