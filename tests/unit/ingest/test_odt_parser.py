"""ODT: headings, lists and tables, and what is not shown."""

from __future__ import annotations

from cicada.ingest.prose.odt_parser import read_odt
from cicada.ingest.prose.sections import Block, Heading, ListItem, Paragraph, Table
from tests.unit.ingest.documents import odt, rejection

HEADING = '<text:h text:outline-level="2">Leave</text:h>'
HIDDEN = '<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>'


def blocks(body: str, styles: str = "") -> tuple[Block, ...]:
    return read_odt(odt(body, styles)).blocks


def cell(text: str, more: str = "") -> str:
    return f"<table:table-cell {more}><text:p>{text}</text:p></table:table-cell>"


def test_headings_paragraphs_and_lists_keep_their_order_and_depth() -> None:
    inner = "<text:list><text:list-item><text:p>in time</text:p></text:list-item></text:list>"
    body = f"{HEADING}<text:list><text:list-item><text:p>Ask</text:p>{inner}</text:list-item></text:list>"
    assert blocks(f"<text:section>{body}</text:section><text:p>End</text:p>") == (
        Heading(2, "Leave"),
        ListItem("Ask", 0),
        ListItem("in time", 1),
        Paragraph("End"),
    )


def test_spaces_tabs_and_line_breaks_part_words() -> None:
    inner = 'a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d<text:span>e</text:span>f'
    assert blocks(f"<text:p>{inner}</text:p>") == (Paragraph("a b c def"),)


def test_deleted_and_hidden_text_notes_and_comments_are_left_out() -> None:
    note = "<text:note><text:note-body><text:p>note</text:p></text:note-body></text:note>"
    comment = "<office:annotation><text:p>comment</text:p></office:annotation>"
    deleted = "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
    hidden = '<text:span text:style-name="T1">secret</text:span><text:hidden-text>x</text:hidden-text>'
    section = '<text:section text:display="none"><text:p>away</text:p></text:section>'
    assert blocks(f"{deleted}<text:p>a{note}b{comment}c{hidden}d</text:p>{section}", HIDDEN) == (Paragraph("abcd"),)


def test_a_table_has_its_first_row_as_header_and_few_of_repeated_cells() -> None:
    header = f"<table:table-header-rows><table:table-row>{cell('Kind')}{cell('Days')}</table:table-row>"
    row = f"<table:table-row>{cell('30', chr(32) + 'table:number-columns-repeated=' + chr(34) + '99999' + chr(34))}"
    body = f"<table:table>{header}</table:table-header-rows>{row}</table:table-row></table:table>"
    assert blocks(body) == (Table(("Kind", "Days"), (("30",) * 100,)),)


def test_title_language_and_properties_are_the_documents_own() -> None:
    meta = "<dc:title>Handbook</dc:title><dc:language>de-DE</dc:language><dc:date>2026-01-31T10:00:00</dc:date>"
    keywords = "<meta:keyword>leave</meta:keyword><meta:keyword>sick</meta:keyword>"
    found = read_odt(odt(HEADING, meta=meta + keywords))
    assert (found.title, found.language) == ("Handbook", "de-DE")
    assert found.properties == {"keywords": "leave, sick", "modified": "2026-01-31"}
    assert read_odt(odt(HEADING, meta="<")).title == "Leave"


def test_a_document_with_a_password_is_refused() -> None:
    error = rejection(read_odt, odt(HEADING, manifest="<manifest><manifest:encryption-data/></manifest>"))
    assert (error.kind, "needs a password" in str(error)) == ("encrypted", True)
