"""Reads DOCX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from io import BytesIO
from zipfile import BadZipFile

from docx import Document
from docx.document import Document as WordDocument
from docx.opc.exceptions import OpcError
from docx.oxml.xmlchemy import BaseOxmlElement as Element
from msgspec import Struct

from cicada.errors import DocumentRejectedError
from cicada.ingest.prose.encoding import STUMBLES, clean_line, damage_reported, whole_number
from cicada.ingest.prose.package import PackageKind, repacked
from cicada.ingest.prose.sections import (
    MAX_PROPERTY,
    Block,
    Heading,
    ListItem,
    Paragraph,
    Prose,
    first_heading,
    headed_table,
    spread,
)

# Memory for so many bytes of small elements: docs/figures/reader-limits.json.
MAX_XML_BYTES = 20_000_000
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
# Outline levels 0 to 8 are headings; 9 is body text.
DEEPEST_HEADING = 9
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)


class Style(Struct, frozen=True):
    """`level`: of a heading from 1, 0 for body text, None if it sets none. `base`: the id of what it is based on.

    A style is Word's own wherever its name is English in the file.
    """

    level: int | None = None
    is_list: bool = False
    is_title: bool = False
    base: str = ""

    def on(self, base: Style) -> Style:
        """The style with what it has from its base."""
        level = base.level if self.level is None else self.level
        return Style(level, self.is_list or base.is_list, self.is_title or base.is_title, self.base)


def styles_of(root: Element) -> Mapping[str, Style]:
    """The paragraph styles by their id, each with what it has from the styles that it is based on."""
    elements = {style.get(f"{W}styleId", ""): style for style in root.findall(f"{W}style")}
    styles: dict[str, Style] = {}
    for style_id in elements:
        _resolve(style_id, elements, styles)
    return styles


def value_of(parent: Element | None, path: str) -> str | None:
    """The `w:val` of the element at `path` (names with a slash between them), None where it is not there."""
    found = parent.find("/".join(W + name for name in path.split("/"))) if parent is not None else None
    return None if found is None else found.get(f"{W}val", "")


def heading_level(properties: Element | None) -> int | None:
    """The explicit heading level of a paragraph or a style; 0 for body text, None if it is not set."""
    level = whole_number(value_of(properties, "outlineLvl"))
    return None if level is None else (level + 1 if level < DEEPEST_HEADING else 0)


def _resolve(style_id: str, elements: Mapping[str, Element], styles: dict[str, Style]) -> None:
    """Resolve each style once: hostile ones inherit a hundred thousand deep or in a cycle."""
    new: list[str] = []
    while style_id in elements and style_id not in styles:
        styles[style_id] = _own(elements[style_id])
        new.append(style_id)
        style_id = styles[style_id].base
    for each in reversed(new):
        if base := styles.get(styles[each].base):
            styles[each] = styles[each].on(base)


def _own(style: Element) -> Style:
    name = (value_of(style, "name") or "").strip()
    properties = style.find(f"{W}pPr")
    found = _HEADING.fullmatch(name)
    return Style(
        level=int(found[1]) if found else heading_level(properties),
        is_list=name.lower().startswith("list ") or value_of(properties, "numPr/numId") is not None,
        is_title=name.lower() == "title",
        base=value_of(style, "basedOn") or "",
    )


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
    """The blocks in the document's order. The parser lets nothing be nested deeper than 256 elements."""
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
    elif numbering != "0" and (numbering is not None or (style.is_list and not style.level)):
        yield ListItem(text, whole_number(value_of(properties, "numPr/ilvl")) or 0)
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
    rows = (_inside(row, f"{W}tc") for row in _inside(table, f"{W}tr"))
    yield from headed_table(tuple(spread(map(_cell, row), _MOST_COLUMNS)) for row in rows)


def _cell(cell: Element) -> tuple[str, int]:
    return _text(cell), whole_number(value_of(cell, "tcPr/gridSpan")) or 1


def _inside(element: Element, tag: str) -> Iterator[Element]:
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _inside(child, tag)


# Names of fields, and python-docx's names of the properties: https://python-docx.readthedocs.io/en/latest/api/document.html
_PROPERTIES: Mapping[str, str] = {
    "title": "title",
    "author": "author",
    "subject": "subject",
    "category": "category",
    "keywords": "keywords",
    "status": "content_status",
    "version": "version",
    "date": "created",
    "created": "created",
    "modified": "modified",
}


def read_docx(content: bytes) -> Prose:
    """The title is the paragraph of the style Title, else the document's property, else the first heading.

    Deleted and hidden text is left out, inserted text is in, and headers, footers, notes and comments are not read.
    """
    document = _opened(content)
    styles = styles_of(document.styles.element)
    blocks = tuple(blocks_of(document.element.body, styles))
    properties = _properties(document)
    title = text_of_title(document.element.body, styles) or properties.pop("title", "")
    return Prose(blocks, title=title or first_heading(blocks), properties=properties)


def _opened(content: bytes) -> WordDocument:
    sentence = "The Word document is damaged, or of another form than Word's usual DOCX; save it as a new DOCX."
    kind = PackageKind("Word document", "DOCX", "Word", MAX_XML_BYTES)
    with damage_reported(sentence, OpcError, SyntaxError, BadZipFile):
        document = Document(BytesIO(repacked(content, kind)))
        # Parts are read when they are first used.
        if document.element.body is None or document.styles.element is None:
            raise DocumentRejectedError(sentence, "damaged")
        return document


def _properties(document: WordDocument) -> dict[str, str]:
    """Properties by their names in Word, without empty and damaged ones, which are no reason to refuse the text."""
    found: dict[str, str] = {}
    for name, attribute in _PROPERTIES.items():
        try:
            value = getattr(document.core_properties, attribute)
            text = clean_line(value.date().isoformat() if isinstance(value, datetime) else value or "")
        except (*STUMBLES, OpcError, SyntaxError):
            continue
        if text and (len(text) <= MAX_PROPERTY or name == "title"):
            found[name] = text
    return found
