"""DOCX: styles, lists, tables, and packages that are made to harm in ways of their own (`test_packages.py`)."""

from __future__ import annotations

import struct
import zipfile
import zlib
from io import BytesIO

import pytest
from docx.enum.style import WD_STYLE_TYPE

from cicada.ingest.prose import docx_reader
from cicada.ingest.prose.docx_reader import read_docx
from cicada.ingest.prose.package import PackageKind, repacked
from cicada.ingest.prose.sections import Block, Heading, ListItem, Paragraph, Table
from tests.unit.ingest.documents import handbook, part_of, rejection, saved, with_part, word

DOCUMENT = "word/document.xml"
_NAMES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)


def body(xml: str) -> bytes:
    """A Word document with this body."""
    return with_part(handbook(), DOCUMENT, f"<w:document {_NAMES}><w:body>{xml}</w:body></w:document>".encode())


def blocks(xml: str) -> tuple[Block, ...]:
    return read_docx(body(xml)).blocks


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def paragraph(inner: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def safe_package(content: bytes) -> bytes:
    """What the library is given to read."""
    return repacked(content, PackageKind("Word document", "DOCX", "Word", docx_reader.MAX_XML_BYTES))


def test_a_document_is_read_in_its_order() -> None:
    found = read_docx(handbook())
    assert found.title == "Handbook"
    assert found.blocks == (
        Heading(1, "Handbook"),
        Paragraph("What every employee should know."),
        Heading(2, "Leave"),
        ListItem("Ask two weeks before."),
        ListItem("Write it down."),
        Table(("Kind", "Days"), (("Holiday", "28"), ("Parental", "60"))),
    )


def test_a_heading_is_known_by_its_style_by_what_that_is_based_on_and_by_its_outline_level() -> None:
    document = word()
    own = document.styles.add_style("Chapter", WD_STYLE_TYPE.PARAGRAPH)
    own.base_style = document.styles["Heading 3"]
    document.add_paragraph("By its base", style="Chapter")
    document.add_paragraph("Plain")
    assert read_docx(saved(document)).blocks == (Heading(3, "By its base"), Paragraph("Plain"))
    assert blocks(paragraph(run("By level"), '<w:outlineLvl w:val="1"/>')) == (Heading(2, "By level"),)
    level_nine = '<w:pStyle w:val="Heading1"/><w:outlineLvl w:val="9"/>'
    assert blocks(paragraph(run("Body text"), level_nine)) == (Paragraph("Body text"),)


def test_a_circle_of_styles_ends() -> None:
    styles = part_of(handbook(), "word/styles.xml").replace(
        b'<w:basedOn w:val="Normal"/>', b'<w:basedOn w:val="Title"/>'
    )
    assert read_docx(with_part(handbook(), "word/styles.xml", styles)).blocks[0] == Heading(1, "Handbook")


def test_a_long_chain_of_styles_is_read_from_its_end_to_its_beginning() -> None:
    # Gone through for each style apart, these would be a hundred million steps.
    last = 20_000
    chain = "".join(
        f'<w:style w:styleId="s{number}"><w:basedOn w:val="s{number + 1}"/></w:style>' for number in range(last)
    )
    end = f'<w:style w:styleId="s{last}"><w:name w:val="heading 4"/></w:style>'
    content = with_part(
        body(paragraph(run("Deep"), '<w:pStyle w:val="s0"/>')),
        "word/styles.xml",
        f"<w:styles {_NAMES}>{chain}{end}</w:styles>".encode(),
    )
    assert read_docx(content).blocks == (Heading(4, "Deep"),)


def test_the_title_is_the_paragraph_that_is_one_or_the_property() -> None:
    document = word()
    document.add_heading("First heading", level=1)
    assert read_docx(saved(document)).title == "First heading"
    document.core_properties.title = "Property"
    assert read_docx(saved(document)).title == "Property"
    document.add_heading("The title", level=0)
    assert read_docx(saved(document)).title == "The title"


def test_lists_keep_their_depth_and_a_paragraph_may_leave_its_list() -> None:
    number = '<w:numPr><w:ilvl w:val="2"/><w:numId w:val="1"/></w:numPr>'
    out = '<w:pStyle w:val="ListBullet"/><w:numPr><w:numId w:val="0"/></w:numPr>'
    assert blocks(paragraph(run("Deep"), number) + paragraph(run("Out"), out)) == (
        ListItem("Deep", 2),
        Paragraph("Out"),
    )


def test_inserted_text_counts_and_deleted_and_hidden_text_does_not() -> None:
    inner = (
        f"<w:ins>{run('new ')}</w:ins><w:del><w:r><w:delText>old </w:delText></w:r></w:del>"
        f"<w:moveFrom>{run('from ')}</w:moveFrom><w:hyperlink>{run('link')}</w:hyperlink>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
        '<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t xml:space="preserve"> shown</w:t></w:r>'
        "<w:r><w:tab/><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t><w:br/><w:t>c</w:t><w:instrText>PAGE</w:instrText></w:r>"
    )
    assert blocks(paragraph(inner)) == (Paragraph("new link shown a-b c"),)


def test_content_controls_and_text_boxes_are_read_once() -> None:
    control = f"<w:sdt><w:sdtPr><w:t>x</w:t></w:sdtPr><w:sdtContent>{paragraph(run('Inside'))}</w:sdtContent></w:sdt>"
    box = f"<w:txbxContent>{paragraph(run('one'))}{paragraph(run('two'))}</w:txbxContent>"
    choice = f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    assert blocks(control + paragraph(f"<w:r>{choice}</w:r>")) == (Paragraph("Inside"), Paragraph("one two"))


def test_tables_keep_wide_cells_and_what_is_in_them() -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{text}</w:tc>"

    wide = cell(paragraph(run("Wide")), '<w:gridSpan w:val="2"/>')
    huge = cell(paragraph(run("Huge")), '<w:gridSpan w:val="999999999"/>')
    inner = f"<w:tbl><w:tr>{cell(paragraph(run('in')))}{cell(paragraph(run('ner')))}</w:tr></w:tbl>"
    two = cell(paragraph(run("a")) + paragraph(run("b")))
    rows = "".join(f"<w:tr>{cells}</w:tr>" for cells in (wide, huge + two, cell(inner), cell("<w:p/>")))
    assert blocks(f"<w:tbl>{rows}</w:tbl>") == (Table(("Wide", ""), (("Huge", "a b"), ("in ner",))),)


def test_wide_cells_fill_a_row_up_to_what_word_allows() -> None:
    wide = '<w:tc><w:tcPr><w:gridSpan w:val="50"/></w:tcPr></w:tc>'
    last = f"<w:tc>{paragraph(run('Last'))}</w:tc>"
    [table] = blocks(f"<w:tbl><w:tr>{wide * 100}{last}</w:tr></w:tbl>")
    assert isinstance(table, Table)
    assert table.rows == (("",) * 161 + ("Last",),)


def test_a_table_of_one_row_has_no_header() -> None:
    assert blocks(f"<w:tbl><w:tr><w:tc>{paragraph(run('One'))}</w:tc></w:tr></w:tbl>") == (Table((), (("One",),)),)


def test_strange_properties_do_not_keep_the_text_out() -> None:
    found = read_docx(with_part(handbook(), "docProps/core.xml", b"<other/>"))
    assert found.title == "Handbook"


@pytest.mark.parametrize(
    "content",
    [
        handbook()[:-500],
        b"PK\x03\x04" + b"word/document.xml" * 9,
        with_part(handbook(), DOCUMENT, b""),
        with_part(handbook(), DOCUMENT, b"<x/>"),
        with_part(handbook(), DOCUMENT, f"<w:document {_NAMES}/>".encode()),
        with_part(handbook(), "[Content_Types].xml", b"<Types/>"),
        with_part(handbook(), "word/styles.xml", b"<"),
        body("<w:sdt>" * 5_000),
    ],
)
def test_a_damaged_document_is_refused(content: bytes) -> None:
    error = rejection(read_docx, content)
    assert (error.kind, "damaged" in str(error)) == ("damaged", True)


def lying(content: bytes, declared: int) -> bytes:
    """The package with another size declared for its last part, as both its headers have it."""
    made = bytearray(content)
    central = made.rfind(b"PK\x01\x02")
    local = struct.unpack_from("<I", made, central + 42)[0]
    checksum = zlib.crc32(part_of(content, DOCUMENT)[:declared])
    for offset in (central + 16, local + 14):
        struct.pack_into("<I", made, offset, checksum)
    for offset in (central + 24, local + 22):
        struct.pack_into("<I", made, offset, declared)
    return bytes(made)


def test_a_package_that_declares_too_much_is_not_unpacked() -> None:
    assert rejection(read_docx, lying(body(paragraph(run("Small."))), declared=40_000_000)).kind == "too_large"


def test_a_part_larger_than_it_declares_is_cut_there_and_never_unpacked_whole() -> None:
    content = lying(body("<w:p/>" * 100_000), declared=1_000)
    with zipfile.ZipFile(BytesIO(safe_package(content))) as package:
        assert len(package.read(DOCUMENT)) == 1_000
    assert rejection(read_docx, content).kind == "damaged"


def test_what_is_unpacked_is_counted_over_all_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    total = sum(
        len(part_of(handbook(), name)) for name in zipfile.ZipFile(BytesIO(handbook())).namelist() if "xml" in name
    )
    monkeypatch.setattr(docx_reader, "MAX_XML_BYTES", total + 10_000)
    assert read_docx(handbook()).blocks
    monkeypatch.setattr(docx_reader, "MAX_XML_BYTES", 10_000)
    assert rejection(read_docx, handbook()).kind == "too_large"


def test_the_library_is_given_no_pictures() -> None:
    content = with_part(handbook(), "word/media/image1.png", b"\x00" * 60_000_000)
    assert len(safe_package(content)) < 1_000_000


def test_a_part_that_is_there_twice_is_refused() -> None:
    packed = BytesIO(handbook())
    with zipfile.ZipFile(packed, "a") as package, pytest.warns(UserWarning, match="Duplicate name"):
        package.writestr(DOCUMENT, b"<x/>")
    assert rejection(read_docx, packed.getvalue()).kind == "damaged"
