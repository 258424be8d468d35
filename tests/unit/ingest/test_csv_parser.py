"""CSV and TSV: what separates the values, the header, and rows that are found by themselves."""

from __future__ import annotations

import pytest

from cicada.documents.model import ROW, TABLE
from cicada.ingest.chunks import Chunking, size_of
from cicada.ingest.prose import tables
from cicada.ingest.prose.csv_parser import read_csv, separator_of
from cicada.ingest.prose.sections import Heading, Record
from tests.unit.ingest.documents import parsed, rejection

TICKETS = "Id,Status,Note\n1,open,late\n2,closed,\n"


def records(text: str) -> list[dict[str, str]]:
    return [dict(block.values) for block in read_csv(text.encode()).blocks if isinstance(block, Record)]


def test_each_row_is_a_passage_with_its_header() -> None:
    found = parsed("tickets.csv", TICKETS.encode()).passages
    assert [each.text for each in found] == [
        "2 rows with the columns Id, Status, Note.",
        "Id: 1; Status: open; Note: late",
        "Id: 2; Status: closed",
    ]
    assert {(each.title, each.context) for each in found} == {("tickets", "tickets")}


@pytest.mark.parametrize(
    ("separator", "text"),
    [
        (",", "a,b\n1;2,3\n"),
        (";", "Price;Amount\n1,5;2,5\n3,5;4,5\n"),
        ("\t", "a\tb\n1, 2\t3\n"),
        ("|", "a|b\n1|2\n"),
        (";", 'a;b\n"x,y,z";2\n"p,q,r";3\n'),
        (",", "one column\n1\n"),
    ],
)
def test_what_separates_the_values_is_found(separator: str, text: str) -> None:
    assert separator_of(text) == separator


def test_excels_own_line_says_what_separates_the_values() -> None:
    assert records("sep=|\na|b\n1,2|3\n") == [{"a": "1,2", "b": "3"}]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_is_found_as_that_of_a_text(encoding: str) -> None:
    found = parsed("a.csv", "Straße,Nr\nRückgabe,1\n".encode(encoding))
    assert found.passages[1].text == "Straße: Rückgabe; Nr: 1"
    assert [each.kind for each in found.problems] == (["guessed_encoding"] if encoding == "cp1252" else [])


def test_empty_columns_ragged_rows_and_names_that_are_missing_or_there_twice() -> None:
    assert records("Id,,Day,Day,Empty\n1,x,2,3,\n\n,,,,\n2,,,,,more\n") == [
        {"Id": "1", "Column 2": "x", "Day": "2", "Day (2)": "3"},
        {"Id": "2", "Column 6": "more"},
    ]


def test_a_cell_may_have_lines_quotation_marks_and_what_separates() -> None:
    assert records('Id,Note\n1,"say ""yes"",\nor no"\n') == [{"Id": "1", "Note": 'say "yes", or no'}]


def test_what_stands_above_the_header_is_text() -> None:
    found = parsed("a.csv", b"Stock of May\n\nItem,Pieces\nBolt,7\n").passages
    assert [each.text for each in found] == [
        "Stock of May\n1 row with the columns Item, Pieces.",
        "Item: Bolt; Pieces: 7",
    ]


def test_each_part_of_a_row_that_is_larger_than_a_passage_names_its_row_and_column() -> None:
    content = f"Id,Note\n1,{'word ' * 400}\n".encode()
    _, *parts = parsed("a.csv", content).passages
    assert [each.text.partition(" word")[0] for each in parts] == ["Id: 1; Note:"] * 3
    assert all(size_of(each.text) <= Chunking().limit for each in parts)
    assert sum(each.text.count("word") for each in parts) == 400


def test_the_parts_of_a_row_share_its_fields_which_are_read_once() -> None:
    content = ",".join(f"c{number}" for number in range(500)) + "\n" + "1," * 500
    found = [each.metadata for each in parsed("a.csv", content.encode()).passages if "c499" in each.metadata]
    first, second, third, *_ = found
    assert (first[ROW], ROW in second, second is third) == (2.0, False, True)


def test_a_table_without_rows_says_its_columns() -> None:
    assert [each.text for each in parsed("a.csv", b"Id,Status\n").passages] == ["0 rows with the columns Id, Status."]


@pytest.mark.parametrize("limit", ["MAX_ROWS", "MAX_CELLS"])
def test_too_many_rows_or_cells_are_refused(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(tables, limit, 2)
    error = rejection(read_csv, TICKETS.encode())
    assert (error.kind, "The table has more than 2" in str(error)) == ("too_large", True)


def test_a_quotation_mark_without_its_end_is_named() -> None:
    error = rejection(read_csv, b'a,b\n1,"' + b"word,\n" * 30_000)
    assert (error.kind, "a quotation mark may be missing" in str(error)) == ("damaged", True)


@pytest.mark.parametrize("column", ["readers", "_acl", "Permissions"])
def test_a_column_that_names_readers_keeps_the_table_out(column: str) -> None:
    """Rows of one file have the same readers; whoever writes such a column means them to have others."""
    assert rejection(read_csv, f"Id,{column}\n1,group:hr\n".encode()).kind == "front_matter"
    assert records(f"Id,{column}\n1,ok\n")


@pytest.mark.parametrize(
    ("rows", "counted"),
    [
        ("IT,open,5\nSubtotal IT,,5\nQA,open,1\nGrand total,,6\n", ["IT", "QA"]),
        ('IT,open,5\nGesamtsumme,,"5,00 €"\n', ["IT"]),
        ("IT,open,5\nTotal,,\n", ["IT"]),
        ("IT,open,5\nQA,open,1\n\n,,6\n", ["IT", "QA"]),
        ("IT,open,5\n,open,1\nQA,,6\n", ["IT", None, "QA"]),
        ("Total Gym,sold,5\nTotal,sold,3\nIT Total,3,4\n", ["Total Gym", "Total", "IT Total"]),
    ],
)
def test_a_row_that_sums_up_others_is_text_and_not_counted(rows: str, counted: list[str]) -> None:
    found = parsed("a.csv", f"Dept,Status,Amount\n{rows}".encode()).passages
    assert [each.metadata.get("Dept") for each in found if ROW in each.metadata] == counted
    assert len(found) == 1 + len(list(filter(None, rows.split("\n"))))
    number = "1 row" if len(counted) == 1 else f"{len(counted)} rows"
    assert found[0].text == f"{number} with the columns Dept, Status, Amount."


def test_lines_of_a_name_and_a_value_above_the_header_are_text() -> None:
    text = "Report;Tickets\nDate;31.01.2026\n\nId;Status;Hours\n1;open;2\n2;closed;3\n"
    assert records(text) == [
        {"Id": "1", "Status": "open", "Hours": "2"},
        {"Id": "2", "Status": "closed", "Hours": "3"},
    ]
    assert records("Id,Note\n1,x,more\n2,y,more\n")[0] == {"Id": "1", "Note": "x", "Column 3": "more"}
    assert records("Id,Note\n1,x\n2,y,stray\n3,z\n")[1] == {"Id": "2", "Note": "y", "Column 3": "stray"}


@pytest.mark.parametrize("header", [",2025,,2026,\nRegion,Q1,Q2,Q1,Q2\n", "Sales\n\nRegion,2025,,2026\n,Q1,Q2,Q1,Q2\n"])
def test_a_header_of_two_rows_gives_names_of_both(header: str) -> None:
    row = {"Region": "North", "2025 Q1": "1", "2025 Q2": "2", "2026 Q1": "3", "2026 Q2": "4"}
    assert records(f"{header}North,1,2,3,4\n") == [row]
    assert records("A,,B,\n0,0,0,0\n")[0] == {"A": "0", "Column 2": "0", "B": "0", "Column 4": "0"}


def test_a_header_that_is_repeated_is_no_row() -> None:
    assert records("Id,Status\n1,open\n\nId,Status\n2,open\n") == [
        {"Id": "1", "Status": "open"},
        {"Id": "2", "Status": "open"},
    ]


def test_amounts_with_commas_below_a_title_are_not_cut() -> None:
    text = "Stock\nMade 2026-01-31, by Ann\n\nId;Status;Amount\n1;open;1,50\n2;open;2,50\n"
    assert [each["Amount"] for each in records(text)] == ["1,50", "2,50"]


def tables_in(text: str) -> list[list[dict[str, str]]]:
    """The records of each table, whose heading, if it has one, is the first."""
    found: list[list[dict[str, str]]] = [[]]
    for block in read_csv(text.encode()).blocks:
        if isinstance(block, Heading):
            found.append([{"": block.text}])
        elif isinstance(block, Record):
            found[-1].append(dict(block.values))
    return [table for table in found if table]


ITEMS = "Item,Pieces\nBolt,7\nNut,3\nPin,5\n"


@pytest.mark.parametrize(
    ("second", "name", "record"),
    [
        ("Site,Staff\nUlm,12\nBonn,4\n", "Table 2", {"Site": "Ulm", "Staff": "12"}),
        ("Sites\nSite,Staff\nUlm,12\n", "Sites", {"Site": "Ulm", "Staff": "12"}),
        ("Sites\n\nSite,Staff\nUlm,12\n", "Sites", {"Site": "Ulm", "Staff": "12"}),
        ("Name,City,Land\nAnn,Ulm,DE\nBob,Graz,AT\n", "Table 2", {"Name": "Ann", "City": "Ulm", "Land": "DE"}),
        ("Region,2025,2026\nNorth,3,4\n", "Table 2", {"Region": "North", "2025": "3", "2026": "4"}),
    ],
)
def test_tables_with_a_header_each_are_kept_apart_by_empty_rows(second: str, name: str, record: dict[str, str]) -> None:
    first, other = tables_in(f"{ITEMS}\n\n{second}")
    assert [each["Item"] for each in first] == ["Bolt", "Nut", "Pin"]
    assert other[:2] == [{"": name}, record]


@pytest.mark.parametrize(
    "rest",
    [
        "Cog,9\nGear,2\n",
        "Item,Pieces\nCog,9\n",
        "Total,15\n",
        "Cog,unknown\nGear,2\n",
        "Nut,many\nGear,2\n",
        "Of iron\nCog,9\nGear,2\n",
        "Checked by Ann\n",
        "Cog,9,sold\nGear,2,sold\n",
        "Cog,sold\nGear,5,kept\n",
    ],
)
def test_rows_without_a_header_of_their_own_go_on_with_the_table_above(rest: str) -> None:
    [only] = tables_in(f"{ITEMS}\n{rest}")
    lines = [each for each in rest.splitlines() if each != "Item,Pieces"]
    assert len(only) == 3 + len(lines)


def test_a_title_begins_a_table_of_texts_with_other_columns() -> None:
    people = "Id,City,Land\nA,Ulm,DE\nB,Graz,AT\n"
    assert len(tables_in(f"{people}\nStaff\nName,Role\nAnn,chief\nBob,clerk\n")) == 2
    assert len(tables_in(f"{people}\nName,Role\nAnn,chief\nBob,clerk\n")) == 1
    assert len(tables_in(f"{people}\nStaff\nName,Role,Since\nAnn,chief,May\nBob,clerk,June\n")) == 1


def test_rows_of_each_table_are_called_by_its_name() -> None:
    found = parsed("stock.csv", f"{ITEMS}\nSites\nSite,Staff\nUlm,12\n".encode()).passages
    assert [each.metadata[TABLE] for each in found if ROW in each.metadata] == [*["stock"] * 3, "stock › Sites"]
    assert found[-1].metadata[ROW] == 8.0


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Bolt,7\nNut,3\n", {"A": "Bolt", "B": "7"}),
        ("Bolt,2026-01-31\nNut,2026-02-01\n", {"A": "Bolt", "B": "2026-01-31"}),
        ("Ann,ann@example.org\nBob,bob@example.org\n", {"A": "Ann", "B": "ann@example.org"}),
        ("Hamlet,1601\nMacbeth,1606\n", {"A": "Hamlet", "B": "1601"}),
        ("Bolt,1950,3\nNut,2300,4\n", {"A": "Bolt", "B": "1950", "C": "3"}),
        ("Stock\n\nBolt,,7\nNut,iron,3\n", {"A": "Bolt", "C": "7"}),
        ("12\n17\n", {"A": "12"}),
    ],
)
def test_a_table_without_a_header_keeps_its_first_row(text: str, first: dict[str, str]) -> None:
    assert records(text)[0] == first
    assert len(records(text)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "Name,City\nAnn,Ulm\nBob,Graz\n",
        "Region,2025,2026\nNorth,3,400\nSouth,5,6\n",
        "Item,1,2\nBolt,7,7\nNut,3,4\n",
        "Item,10,20,50\nBolt,7,7,9\nNut,3,3,3\n",
        "Item,Pieces\nBolt,7\nNut,3\n",
    ],
)
def test_names_of_columns_are_no_row(text: str) -> None:
    names = text.partition("\n")[0].split(",")
    assert [list(each) for each in records(text)] == [names, names]


def test_many_tables_are_read_in_a_moment() -> None:
    """Each is compared with a few rows of the one before: that it is with all takes minutes."""
    text = "\n\n".join(f"Id{n},Note{n}\n{n},a\n{n},b\n{n},c" for n in range(2_000))
    assert sum(len(table) for table in tables_in(text)) > 6_000
