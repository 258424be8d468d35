"""The blocks of a Word document's body."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from docx.oxml.xmlchemy import BaseOxmlElement as Element

from cicada.ingest.prose.characters import clean_line
from cicada.ingest.prose.docx_styles import Style, W, heading_level, number_of, value_of
from cicada.ingest.prose.model import Block, Heading, ListItem, Paragraph, Table

_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
# What holds paragraphs or runs as a whole: content controls, tracked insertions, and marks of other programs.
_WRAPPERS = {W + name for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag")}
# Text boxes are written twice, the second time for old programs.
_SKIPPED = {W + name for name in ("del", "moveFrom", "pPr", "rPr", "sdtPr")} | {f"{_COMPATIBILITY}Fallback"}
_SPACES = {W + name for name in ("tab", "br", "cr", "p", "tc", "ptab")}
_HYPHENS = {f"{W}noBreakHyphen": "-", f"{W}softHyphen": ""}
_PLAIN = Style()
# As many as Word allows.
_MOST_COLUMNS = 63


def blocks_of(container: Element, styles: Mapping[str, Style]) -> Iterator[Block]:
    """In the document's order. The parser lets nothing be nested deeper than 256 elements."""
    for child in container:
        if child.tag == f"{W}p":
            yield from _paragraph(child, styles)
        elif child.tag == f"{W}tbl":
            yield from _table(child)
        elif child.tag in _WRAPPERS:
            yield from blocks_of(child, styles)


def text_of_title(body: Element, styles: Mapping[str, Style]) -> str:
    """The text of the first paragraph in the style Title."""
    titles = (p for p in body.iter(f"{W}p") if _style(p, styles).is_title)
    return next((text for title in titles if (text := _text(title))), "")


def _style(paragraph: Element, styles: Mapping[str, Style]) -> Style:
    return styles.get(value_of(paragraph, "pPr/pStyle") or "", _PLAIN)


def _paragraph(paragraph: Element, styles: Mapping[str, Style]) -> Iterator[Block]:
    text = _text(paragraph)
    if not text:
        return
    style = _style(paragraph, styles)
    properties = paragraph.find(f"{W}pPr")
    level = heading_level(properties)
    level = style.level if level is None else level
    numbering = value_of(properties, "numPr/numId")
    if level:
        yield Heading(level, text)
    # The numbering 0 takes a paragraph out of the list of its style.
    elif numbering != "0" and (numbering is not None or style.is_list):
        yield ListItem(text, number_of(value_of(properties, "numPr/ilvl")) or 0)
    else:
        yield Paragraph(text)


def _text(element: Element) -> str:
    return clean_line("".join(_texts(element)))


def _texts(element: Element) -> Iterator[str]:
    for child in element:
        if child.tag == f"{W}t":
            yield child.text or ""
        elif child.tag in _HYPHENS:
            yield _HYPHENS[child.tag]
        elif child.tag not in _SKIPPED and not _is_hidden(child):
            if child.tag in _SPACES:
                yield " "
            yield from _texts(child)


def _is_hidden(run: Element) -> bool:
    hidden = value_of(run, "rPr/vanish") if run.tag == f"{W}r" else None
    return hidden is not None and hidden not in ("0", "false", "off")


def _table(table: Element) -> Iterator[Block]:
    """The first row is the header: Word marks few, and a first row that is repeated does no harm."""
    rows = [tuple(_cells(row)) for row in _inside(table, f"{W}tr")]
    rows = [row for row in rows if any(row)]
    if rows:
        yield Table(rows[0] if len(rows) > 1 else (), tuple(rows[1:] or rows))


def _inside(element: Element, tag: str) -> Iterator[Element]:
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _inside(child, tag)


def _cells(row: Element) -> Iterator[str]:
    """A cell over several columns is followed by empty ones, as far as a row goes."""
    columns = 0
    for cell in _inside(row, f"{W}tc"):
        yield _text(cell)
        span = number_of(value_of(cell, "tcPr/gridSpan")) or 1
        empty = max(0, min(span, _MOST_COLUMNS - columns) - 1)
        yield from [""] * empty
        columns += 1 + empty
