"""Documents of every format, made here so that a test shows what is in them."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO

import pytest
from docx import Document
from docx.document import Document as WordDocument
from msgspec.structs import replace
from openpyxl import Workbook
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DictionaryObject, NameObject, StreamObject

from cicada.errors import DocumentRejectedError
from cicada.ingest.model import ParsedDocument
from cicada.ingest.prose.parser import prose_parsers
from cicada.knowledge_bases.schema import Schema
from tests.unit.ingest.scripts import source


def parsed(name: str, content: bytes, sidecar: bytes | None = None, schema: Schema | None = None) -> ParsedDocument:
    """What ingest makes of the file, in a knowledge base of this schema."""
    found = source(name, content)
    parser = prose_parsers()[name[name.rindex(".") :].lower()]
    return parser.parse(replace(found, sidecar=sidecar, schema=schema or Schema()))


def rejection(read: Callable[..., object], *given: object) -> DocumentRejectedError:
    """Why a document is refused that is read from what is given."""
    with pytest.raises(DocumentRejectedError) as caught:
        read(*given)
    return caught.value


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


_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SLIDE_NAMES = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    f'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:r="{_OFFICE}"'
)


def shape(*paragraphs: str, place: str = "", level: int = 0) -> str:
    """A shape of a slide; `place`: as which placeholder."""
    texts = "".join(f'<a:p><a:pPr lvl="{level}"/><a:r><a:t>{text}</a:t></a:r></a:p>' for text in paragraphs)
    role = f'<p:ph type="{place}"/>' if place else ""
    return f"<p:sp><p:nvSpPr><p:cNvPr/><p:nvPr>{role}</p:nvPr></p:nvSpPr><p:txBody>{texts}</p:txBody></p:sp>"


def presentation(*slides: str, notes: str = "", show: Sequence[bool] = ()) -> bytes:
    """A PowerPoint presentation of slides of these shapes. `notes`: shapes of the first one's."""

    def relations(*each: tuple[str, str]) -> str:
        inner = "".join(
            f'<Relationship Id="r{number}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
            for number, (kind, target) in enumerate(each, 1)
        )
        return f"<Relationships>{inner}</Relationships>"

    ids = "".join(f'<p:sldId r:id="r{number}"/>' for number in range(1, len(slides) + 1))
    parts = {
        "ppt/presentation.xml": f"<p:presentation {_SLIDE_NAMES}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            *(("slide", f"slides/slide{number}.xml") for number in range(1, len(slides) + 1))
        ),
    }
    for number, shapes in enumerate(slides, 1):
        shown = show[number - 1] if show else True
        parts[f"ppt/slides/slide{number}.xml"] = _slide("sld", shapes, shown)
    if notes:
        parts["ppt/slides/_rels/slide1.xml.rels"] = relations(("notesSlide", "../notesSlides/notesSlide1.xml"))
        parts["ppt/notesSlides/notesSlide1.xml"] = _slide("notes", notes)
    return zipped(parts)


def _slide(kind: str, shapes: str, shown: bool = True) -> str:
    tree = f"<p:cSld><p:spTree>{shapes}</p:spTree></p:cSld>"
    return f'<p:{kind} {_SLIDE_NAMES} show="{shown:d}">{tree}</p:{kind}>'


_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_ODF_NAMES = " ".join(f'xmlns:{name}="{_ODF}:{name}:1.0"' for name in ("office", "text", "table", "style", "meta"))


def odt(body: str, styles: str = "", meta: str = "", manifest: str = "<manifest/>") -> bytes:
    """An OpenDocument text with this body."""
    styled = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    text = f"<office:body><office:text>{body}</office:text></office:body>"
    described = f'<office:meta xmlns:dc="http://purl.org/dc/elements/1.1/">{meta}</office:meta>'
    return zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"<office:document-content {_ODF_NAMES}>{styled}{text}</office:document-content>",
            "meta.xml": f"<office:document-meta {_ODF_NAMES}>{described}</office:document-meta>",
            "META-INF/manifest.xml": manifest,
        }
    )


def zipped(parts: Mapping[str, str]) -> bytes:
    """A package of these parts, the first one not compressed, as the format's mark is."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as package:
        for number, (name, part) in enumerate(parts.items()):
            package.writestr(name, part, zipfile.ZIP_DEFLATED if number else zipfile.ZIP_STORED)
    return packed.getvalue()


def with_part(content: bytes, name: str, part: bytes) -> bytes:
    """The Word document with one part of its package replaced or added."""
    packed = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for info in source.infolist():
            if info.filename != name:
                target.writestr(info.filename, source.read(info), compress_type=info.compress_type)
        target.writestr(name, part)
    return packed.getvalue()


def part_of(content: bytes, name: str) -> bytes:
    with zipfile.ZipFile(BytesIO(content)) as package:
        return package.read(name)
