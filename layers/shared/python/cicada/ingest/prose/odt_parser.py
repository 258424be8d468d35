"""Reads ODT."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lxml.etree import _Element as Element

from cicada.ingest.prose.encoding import clean_line, whole_number
from cicada.ingest.prose.package import Package, PackageKind, encrypted, opened
from cicada.ingest.prose.sections import (
    MAX_PROPERTY,
    Block,
    Heading,
    ListItem,
    Paragraph,
    Prose,
    first_heading,
    headed_table,
)

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
DC = "{http://purl.org/dc/elements/1.1/}"
# As of a Word document; memory: docs/decisions/0042.
MAX_XML_BYTES = 20_000_000

_MANIFEST, _CONTENT, _META = "META-INF/manifest.xml", "content.xml", "meta.xml"
_ENCRYPTED = b"encryption-data"
# Notes, comments and deletions are not read, as those of a Word document are not.
_SKIPPED = {
    *(
        TEXT + name
        for name in ("tracked-changes", "note", "hidden-text", "hidden-paragraph", "sequence-decls", "ruby-text")
    ),
    *(OFFICE + name for name in ("annotation", "annotation-end", "forms")),
}
_SPACES = {TEXT + name for name in ("s", "tab", "line-break", "p", "h")} | {f"{TABLE}table-cell"}
_ROWS = {TABLE + name for name in ("table-header-rows", "table-rows", "table-row-group")}
_CELLS = {TABLE + name for name in ("table-cell", "covered-table-cell")}
# Tables of a text; a spreadsheet's last cell is repeated to the end of its sheet.
_MOST_COLUMNS = 100
_DEEPEST_HEADING = 9
_PROPERTIES: Mapping[str, str] = {
    "author": f"{META}initial-creator",
    "subject": f"{DC}subject",
    "keywords": f"{META}keyword",
    "date": f"{META}creation-date",
    "created": f"{META}creation-date",
    "modified": f"{DC}date",
}


def read_odt(content: bytes) -> Prose:
    """The title is the document's property, else the first heading.

    Deleted and hidden text, notes, comments, headers and footers are not read.
    """
    kind = PackageKind("OpenDocument text", "ODT", "LibreOffice", MAX_XML_BYTES)
    with opened(content, kind) as package:
        if _MANIFEST in package and _ENCRYPTED in package.part(_MANIFEST):
            raise encrypted(kind)
        root = package.xml(_CONTENT)
        body = root.find(f"{OFFICE}body/{OFFICE}text")
        blocks = tuple(_Walk(_hidden_styles(root)).blocks(body if body is not None else ()))
        title, language, properties = _described(package)
    return Prose(blocks, title=title or first_heading(blocks), language=language, properties=properties)


def _hidden_styles(root: Element) -> frozenset[str]:
    """The names of the automatic styles whose text is not shown."""
    found = root.iterfind(f"{OFFICE}automatic-styles/{STYLE}style")
    return frozenset(
        style.get(f"{STYLE}name", "")
        for style in found
        if any(each.get(f"{TEXT}display") == "none" for each in style.iterfind(f"{STYLE}text-properties"))
    )


class _Walk:
    """The blocks of a text in its order. `hidden`: the styles of text that is not shown."""

    def __init__(self, hidden: frozenset[str]) -> None:
        self._hidden = hidden

    def blocks(self, container: Element, depth: int = -1) -> Iterator[Block]:
        """`depth`: of the list that the container is an item of, from 0; -1 outside of lists."""
        for child in container:
            if self._is_left_out(child):
                continue
            if child.tag == f"{TEXT}h":
                yield from self._heading(child)
            elif child.tag == f"{TEXT}p":
                text = self._text(child)
                if text:
                    yield Paragraph(text) if depth < 0 else ListItem(text, depth)
            elif child.tag == f"{TABLE}table":
                yield from headed_table(map(self._cells, _rows(child)))
            elif child.tag == f"{TEXT}list":
                yield from self.blocks(child, depth + 1)
            else:
                yield from self.blocks(child, depth)

    def _heading(self, heading: Element) -> Iterator[Block]:
        level = whole_number(heading.get(f"{TEXT}outline-level"), most_digits=2) or 1
        if text := self._text(heading):
            yield Heading(min(level, _DEEPEST_HEADING), text)

    def _cells(self, row: Element) -> tuple[str, ...]:
        cells: list[str] = []
        for cell in row:
            if cell.tag in _CELLS:
                repeated = whole_number(cell.get(f"{TABLE}number-columns-repeated"), most_digits=5)
                times = 1 if repeated is None else repeated
                cells += [self._text(cell)] * min(times, max(_MOST_COLUMNS - len(cells), 0))
        return tuple(cells)

    def _is_left_out(self, element: Element) -> bool:
        is_hidden = element.get(f"{TEXT}display") == "none" or element.get(f"{TEXT}style-name", "") in self._hidden
        return element.tag in _SKIPPED or is_hidden

    def _text(self, element: Element) -> str:
        return clean_line("".join(self._texts(element)))

    def _texts(self, element: Element) -> Iterator[str]:
        yield element.text or ""
        for child in element:
            if not self._is_left_out(child):
                if child.tag in _SPACES:
                    yield " "
                yield from self._texts(child)
            yield child.tail or ""


def _rows(table: Element) -> Iterator[Element]:
    for child in table:
        if child.tag == f"{TABLE}table-row":
            yield child
        elif child.tag in _ROWS:
            yield from _rows(child)


def _described(package: Package) -> tuple[str, str, dict[str, str]]:
    """The title, the language and the properties; none where they are missing or damaged."""
    try:
        meta = package.xml(_META).find(f"{OFFICE}meta") if _META in package else None
    except SyntaxError:
        meta = None
    if meta is None:
        return "", "", {}
    found: dict[str, str] = {}
    for name, tag in _PROPERTIES.items():
        text = clean_line(", ".join(each.text or "" for each in meta.iterfind(tag)))
        day = text.partition("T")[0] if name in ("date", "created", "modified") else text
        if day and len(day) <= MAX_PROPERTY:
            found[name] = day
    return clean_line(meta.findtext(f"{DC}title", "")), meta.findtext(f"{DC}language", ""), found
