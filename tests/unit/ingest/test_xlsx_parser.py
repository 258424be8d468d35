"""XLSX: sheets, values of every type, and sheets that are larger than they look."""

from __future__ import annotations

from datetime import date, datetime, time

import pytest

from cicada.documents.model import SectionLocator
from cicada.errors import DocumentRejectedError
from cicada.ingest.model import Problem
from cicada.ingest.prose.sections import Heading, Paragraph, Record
from cicada.ingest.prose.xlsx_parser import read_xlsx
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from tests.unit.ingest.documents import parsed, part_of, with_part, workbook

SHEET = "xl/worksheets/sheet1.xml"


def values(*rows: list[object]) -> list[dict[str, str]]:
    return [dict(each.values) for each in read_xlsx(workbook({"S": rows})).blocks if isinstance(each, Record)]


def with_cells(cells: str) -> bytes:
    content = workbook({"S": [["a", "b"], ["1", "2"]]})
    before, _, after = part_of(content, SHEET).decode().partition("</sheetData>")
    return with_part(content, SHEET, f"{before}{cells}</sheetData>{after}".encode())


def test_sheets_are_read_in_order_each_under_its_name() -> None:
    content = workbook({"Stock": [["Item", "Pieces"], ["Bolt", 7]], "Empty": [], "Sites": [["Site"], ["Ulm"]]})
    assert read_xlsx(content).blocks == (
        Heading(1, "Stock"),
        Paragraph("1 row with the columns Item, Pieces."),
        Record(2, (("Item", "Bolt"), ("Pieces", "7"))),
        Heading(1, "Sites"),
        Paragraph("1 row with the columns Site."),
        Record(2, (("Site", "Ulm"),)),
    )
    last = parsed("stock.xlsx", content).passages[-1]
    assert (last.context, last.locator) == ("stock · Sites", SectionLocator(("Sites",)))


def test_two_tables_in_a_sheet_stand_under_headings_of_their_own() -> None:
    rows: list[list[object]] = [["Item", "Pieces"], ["Bolt", 7], ["Nut", 3], ["Pin", 5], [], ["Sites"]]
    content = workbook({"Stock": [*rows, ["Site", "Day"], ["Ulm", date(2026, 1, 31)]]})
    assert [each for each in read_xlsx(content).blocks if isinstance(each, Heading)] == [
        Heading(1, "Stock"),
        Heading(2, "Sites"),
    ]
    last = parsed("stock.xlsx", content).passages[-1]
    assert (last.text, last.locator) == ("Site: Ulm; Day: 2026-01-31", SectionLocator(("Stock", "Sites")))


def test_values_are_written_as_fields_are() -> None:
    instant = datetime.fromisoformat("2026-01-02T03:04:00")
    written = [date(2026, 1, 31), instant, time(7, 30), 12.5, 0.1 + 0.2, 1e20, 1e-7, True]
    (found,) = values(list("abcdefgh"), written)
    assert list(found.values()) == [
        *("2026-01-31", "2026-01-02 03:04", "07:30", "12.5", "0.3", "100000000000000000000", "0.0000001", "yes")
    ]


def test_a_formula_counts_by_its_stored_value_and_a_wrong_one_by_none() -> None:
    cells = '<row r="3"><c r="A3"><f>1+1</f><v>2</v></c><c r="B3" t="e"><v>#N/A</v></c></row>'
    assert read_xlsx(with_cells(cells)).blocks[-1] == Record(3, (("a", "2"),))


@pytest.mark.parametrize(
    ("cells", "reasons"),
    [
        ('<c r="A3"><f>1+1</f><v>2</v></c><c r="B3" t="str"><f>""</f><v></v></c>', []),
        ('<c r="A3"><v>1</v></c><c r="B3"><f>1+1</f></c>', ["1 formula has no stored value"]),
        (
            '<c r="A3"><f>1+1</f><v></v></c><c r="B3"><f t="shared" si="0"/><v/></c>',
            ["2 formulas have no stored values"],
        ),
    ],
)
def test_formulas_without_stored_values_are_reported(cells: str, reasons: list[str]) -> None:
    found = read_xlsx(with_cells(f'<row r="3">{cells}</row>')).problems
    assert [each.reason.partition(";")[0] for each in found] == reasons


def test_texts_that_sheets_share_are_read_as_excel_writes_them() -> None:
    names = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    runs = "<r><t>two </t></r><r><t>runs</t></r><rPh sb='0' eb='3'><t>x</t></rPh>"
    strings = f"<sst {names}><si><t>plain</t></si><si>{runs}</si></sst>"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    content = with_cells('<row r="3"><c r="A3" t="s"><v>0</v></c><c r="B3" t="s"><v>1</v></c></row>')
    types = part_of(content, "[Content_Types].xml").decode()
    override = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'
    content = with_part(content, "[Content_Types].xml", types.replace("</Types>", override).encode())
    found = read_xlsx(with_part(content, "xl/sharedStrings.xml", strings.encode())).blocks[-1]
    assert found == Record(3, (("a", "plain"), ("b", "two runs")))


def test_a_hidden_sheet_is_left_out_and_reported() -> None:
    found = read_xlsx(workbook({"Open": [["a"], ["1"]], "Kept": [["b"], ["2"]]}, hidden=["Kept"]))
    assert Heading(1, "Kept") not in found.blocks
    assert found.problems == (
        Problem("Kept", "The sheet is hidden, so it was left out; show it and upload it again.", "hidden"),
    )


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ('<row r="999999999"><c r="A999999999"><v>1</v></c></row>', "damaged"),
        ("".join(f'<row r="{row}"><c r="ZZZ{row}"><v>1</v></c></row>' for row in range(3, 99)), "too_large"),
        ('<row r="3"><c r="A3" t="s"><v>99</v></c></row>', "damaged"),
    ],
)
def test_a_sheet_that_is_larger_than_it_looks_or_wrong_is_refused(cells: str, kind: str) -> None:
    with pytest.raises(DocumentRejectedError) as caught:
        read_xlsx(with_cells(cells))
    assert caught.value.kind == kind


def test_a_program_is_no_author() -> None:
    schema = Schema({"author": SchemaField("author", FieldType.PERSON)})
    content = workbook({"S": [["a", "b"], ["1", "2"]]})
    core = part_of(content, "docProps/core.xml")
    assert b">openpyxl<" in core
    assert "author" not in parsed("a.xlsx", content, schema=schema).passages[0].metadata
    by_ann = with_part(content, "docProps/core.xml", core.replace(b"openpyxl", b"Ann Lee"))
    assert parsed("a.xlsx", by_ann, schema=schema).passages[0].metadata["author"] == "Ann Lee"
