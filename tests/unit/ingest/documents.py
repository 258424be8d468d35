"""Documents of every format, made here so that a test shows what is in them."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO

from docx import Document
from docx.document import Document as WordDocument
from msgspec.structs import replace
from openpyxl import Workbook
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DictionaryObject, NameObject, StreamObject

from cicada.ingest.model import ParsedDocument
from cicada.ingest.prose.parser import prose_parsers
from cicada.knowledge_bases.schema import Schema
from tests.unit.ingest.scripts import source


def parsed(name: str, content: bytes, sidecar: bytes | None = None, schema: Schema | None = None) -> ParsedDocument:
    """What ingest makes of the file, in a knowledge base of this schema."""
    found = source(name, content)
    parser = prose_parsers()[name[name.rindex(".") :].lower()]
    return parser.parse(replace(found, sidecar=sidecar, schema=schema or Schema()))


@dataclass(frozen=True)
class Entry:
    """An entry of a PDF's outline, which leads to a page that counts from 1."""

    title: str
    page: int
    below: Sequence[Entry] = ()


def pdf(*pages: str, title: str = "", outline: Sequence[Entry] = (), password: str | None = None) -> bytes:
    """Each page a text of lines; an empty one is a blank page. `password` may be empty: encrypted all the same."""
    writer = PdfWriter()
    font = writer._add_object(
        DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject("/Helvetica"),
                NameObject("/Encoding"): NameObject("/WinAnsiEncoding"),
            }
        )
    )
    for text in pages:
        page = writer.add_blank_page(612, 792)
        if text:
            fonts = DictionaryObject({NameObject("/F1"): font})
            page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
            page[NameObject("/Contents")] = writer._add_object(stream(_drawn(text)))
    if title:
        writer.add_metadata({"/Title": title})
    _add_outline(writer, outline, None)
    if password is not None:
        writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
    return _written(writer)


def pdf_with_picture(text: str) -> bytes:
    """The text on the first page, and a page that is a picture."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf(text, ""))))
    picture = stream(b"\x00")
    picture.update({NameObject("/Type"): NameObject("/XObject"), NameObject("/Subtype"): NameObject("/Image")})
    pictures = DictionaryObject({NameObject("/Im1"): writer._add_object(picture)})
    writer.pages[1][NameObject("/Resources")] = DictionaryObject({NameObject("/XObject"): pictures})
    return _written(writer)


def stream(content: bytes) -> StreamObject:
    made = StreamObject()
    made.set_data(content)
    return made


def _drawn(text: str) -> bytes:
    lines = [line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") for line in text.split("\n")]
    shown = " T* ".join(f"({line}) Tj" for line in lines)
    return f"BT /F1 12 Tf 72 720 Td 14 TL {shown} ET".encode("cp1252")


def _add_outline(writer: PdfWriter, entries: Sequence[Entry], parent: object) -> None:
    for entry in entries:
        made = writer.add_outline_item(title=entry.title, page_number=entry.page - 1, parent=parent)  # type: ignore[arg-type]
        _add_outline(writer, entry.below, made)


def _written(writer: PdfWriter) -> bytes:
    packed = BytesIO()
    writer.write(packed)
    return packed.getvalue()


def word() -> WordDocument:
    """An empty document, for tests to fill."""
    document = Document()
    document.core_properties.title = ""
    return document


def saved(document: WordDocument) -> bytes:
    packed = BytesIO()
    document.save(packed)
    return packed.getvalue()


@cache
def handbook() -> bytes:
    """A small Word document with headings, a list and a table."""
    document = word()
    document.add_heading("Handbook", level=1)
    document.add_paragraph("What every employee should know.")
    document.add_heading("Leave", level=2)
    for item in ("Ask two weeks before.", "Write it down."):
        document.add_paragraph(item, style="List Bullet")
    table = document.add_table(rows=0, cols=2)
    for row in (("Kind", "Days"), ("Holiday", "28"), ("Parental", "60")):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    return saved(document)


def workbook(sheets: Mapping[str, Sequence[Sequence[object]]], hidden: Sequence[str] = ()) -> bytes:
    """An Excel workbook of sheets of rows."""
    made = Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
        sheet.sheet_state = "hidden" if name in hidden else "visible"
    packed = BytesIO()
    made.save(packed)
    return packed.getvalue()


def with_part(content: bytes, name: str, part: bytes) -> bytes:
    """The Word document with one part of its package replaced or added."""
    packed = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for info in source.infolist():
            if info.filename != name:
                target.writestr(info.filename, source.read(info))
        target.writestr(name, part)
    return packed.getvalue()


def part_of(content: bytes, name: str) -> bytes:
    with zipfile.ZipFile(BytesIO(content)) as package:
        return package.read(name)
