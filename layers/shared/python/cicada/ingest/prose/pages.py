"""Printed pages as blocks, without running heads and with the outline's entries as headings."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from cicada.ingest.prose.lines import page_blocks
from cicada.ingest.prose.model import Block, Heading

# Below every heading of an outline, so that each page is a section of its own within them.
_PAGE_LEVEL = 100
_DIGITS = re.compile(r"\d+")
# A running head stands in the first or last two lines of at least half of the pages, and of three.
_EDGE = 2
_FEWEST = 3
# Among so many lines of a page an entry's words are looked for; a page of text has up to 200.
_LOOKED_THROUGH = 1_000


class Page(Struct, frozen=True):
    """A page's lines, none of them empty. `number` counts from 1."""

    number: int
    lines: tuple[str, ...]


class OutlineItem(Struct, frozen=True):
    """An entry of the outline: `level` 1 is the outermost, `page` the number of the page that it leads to."""

    title: str
    level: int
    page: int


def pages_as_blocks(pages: Sequence[Page], outline: Sequence[OutlineItem]) -> Iterator[Block]:
    """The pages in order, each under the heading "page 3", which stands below those of the outline."""
    items: dict[int, list[OutlineItem]] = defaultdict(list)
    for item in outline:
        items[item.page].append(item)
    for page in _without_running_heads(pages):
        yield from _page(page, items[page.number])


def page_ranges(numbers: Sequence[int]) -> str:
    """As people write them: `page 3` or `pages 3, 7–9`. At most 20 of them."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    shown = ", ".join("–".join(map(str, run)) for run in runs[:20])
    more = f" and {len(runs) - 20} more" if len(runs) > 20 else ""
    return f"page{'s' if len(numbers) > 1 else ''} {shown}{more}"


def _page(page: Page, items: Sequence[OutlineItem]) -> Iterator[Block]:
    """An entry whose words are not found on the page stands where the one before it does, or above the page."""
    start = 0
    headings: list[Block] = []
    lines = [_letters(line) for line in page.lines[:_LOOKED_THROUGH]] if items else []
    for item in items:
        found = _line_of(_letters(item.title), lines, start)
        if found is not None:
            yield from _text(page, start, found, headings)
            headings, start = [], found + 1
        headings.append(Heading(item.level, item.title))
    yield from _text(page, start, len(page.lines), headings)


def _text(page: Page, start: int, end: int, headings: Sequence[Block]) -> Iterator[Block]:
    yield from headings
    if start < end:
        yield Heading(_PAGE_LEVEL, f"page {page.number}")
        yield from page_blocks(page.lines[start:end])


def _line_of(wanted: str, lines: Sequence[str], start: int) -> int | None:
    """The line that is the title, or that ends with it after a number; both in their `_letters`."""
    for number in range(start, len(lines)):
        line = lines[number]
        if wanted and line.endswith(wanted) and not line.removesuffix(wanted).strip("0123456789."):
            return number
    return None


def _letters(text: str) -> str:
    return "".join(text.casefold().split())


def _without_running_heads(pages: Sequence[Page]) -> Iterator[Page]:
    edges = Counter(line for page in pages for line in {_shape(line) for line in _edge(page.lines)})
    often = max(_FEWEST, len(pages) / 2)
    running = {line for line, times in edges.items() if times >= often}
    for page in pages:
        first, last = _EDGE, len(page.lines) - _EDGE
        kept = (line for number, line in enumerate(page.lines) if first <= number < last or _shape(line) not in running)
        yield Page(page.number, tuple(kept))


def _edge(lines: Sequence[str]) -> list[str]:
    return [line for number, line in enumerate(lines) if number < _EDGE or number >= len(lines) - _EDGE]


def _shape(line: str) -> str:
    """The line with all numbers replaced by the same one, because running heads contain page numbers."""
    return _DIGITS.sub("#", line)
