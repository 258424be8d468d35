"""Tables from the file to the answer: their rows are planned for, counted, computed with and listed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.answering.events import events_of
from cicada.answering.figures import shown_figure
from cicada.answering.named_documents import Meant, meant_by
from cicada.answering.parts import Finished, Listed
from cicada.conversation.model import Question
from cicada.conversation.protocol import Listing
from cicada.dialogue import Shown, ShownDocument
from cicada.documents.aggregates import Figure
from cicada.documents.catalogue import Aggregate, ListedPage, Operation, Sort, record_of
from cicada.documents.model import ROW, TABLE, AnyOf, Condition, DocumentKey, Range
from cicada.identity import Principal
from cicada.ingest.contexts import prefixes_of
from cicada.ingest.model import Outcome
from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.values import described
from cicada.permissions import base_of, every_document, readable_passages
from cicada.retrieval.model import RankedPassage
from cicada.retrieval.strategies.hybrid import FilteredSearch, HybridSearch
from cicada.understanding.by_rules import RulesPlanner
from cicada.understanding.plan import Classification, Intent, Plan, PlanRequest, Shape
from tests.fakes.context_writer import ScriptedContextWriter
from tests.unit.answering.desk import DESK, NOW, PLANNER, Desk
from tests.unit.answering.situation import ANN, only
from tests.unit.ingest.documents import parsed
from tests.unit.ingest.passage_index import CountingEmbedder

STATUSES = ("open", "closed", "waiting")
TICKETS = "Id,Status,Owner,Hours,Opened\n" + "".join(
    f"T-{number},{STATUSES[number % 3]},{('Ann Lee', 'Bo Chan')[number % 2]},{number},2026-01-{number + 1:02}\n"
    for number in range(30)
)


@pytest.fixture
def desk() -> Desk:
    desk = Desk()
    desk.put("tickets.csv", TICKETS)
    desk.put("rules.md", "---\nstatus: binding\n---\nAnswer within a day.")
    return desk


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("How many rows with status open?", "10 rows match (Status: open)."),
        ("How many open tickets does Ann Lee have?", "5 rows match (Status: open; table: tickets; Owner: Ann Lee)."),
        ("Sum of hours of the closed tickets", "10 rows match (Status: closed; table: tickets). Hours, sum: 145."),
        ("How many rows are there?", "30 rows match."),
        ("How many rows by status?", "30 rows match. By Status: closed 10, open 10, waiting 10."),
        (
            "Which row has the highest hours?",
            "30 rows match (table: tickets). Highest Hours: 29 (T-29 – tickets, row 31).",
        ),
    ],
)
def test_rows_are_counted_and_computed_with(desk: Desk, message: str, answer: str) -> None:
    assert desk.said(message)[0] == answer


def test_rows_are_listed_with_their_columns(desk: Desk) -> None:
    _, listed = desk.said("List the rows with status waiting")
    assert [(row.title, row.metadata["Id"]) for row in listed.rows][:2] == [
        ("T-2 – tickets, row 4", "T-2"),
        ("T-5 – tickets, row 7", "T-5"),
    ]
    assert (listed.total, {row.document.document_id for row in listed.rows}) == (10, {"tickets.csv"})


@pytest.fixture
def wide() -> Desk:
    """A table of fourteen columns."""
    desk = Desk()
    others = "Hull,Mast,Sail,Keel,Berths,Engine,Port,Owner,Licence,Draught,Flag,Insurer"
    desk.put("boats.csv", f"Name,Length,{others}\nWespe,7,{'x,' * 11}Lux\nMoewe,9,{'y,' * 11}Nord\n")
    return desk


def test_a_list_says_which_columns_it_leaves_out(wide: Desk) -> None:
    text, listed = wide.said("List all boats")
    assert text == (
        "2 rows match (table: boats)."
        " 4 more columns are not shown: Licence, Draught, Flag, Insurer; name one to see it."
    )
    assert list(listed.columns)[-2:] == ["Port", "Owner"]


def test_what_documents_have_in_common_is_shown_behind_the_columns() -> None:
    desk = Desk()
    sidecar = '{"metadataAttributes": {"responsible": "Ann Lee"}}'
    desk.put("rules.md", "Wear a vest.", sidecar)
    desk.put("boats.csv", "Name,Length,Hull\nWespe,7,x\nMoewe,9,y\n", sidecar)
    assert list(desk.said("List all boats")[1].columns) == ["Name", "Length", "Hull", "responsible"]


def test_a_column_that_is_named_is_shown_first(wide: Desk) -> None:
    text, listed = wide.said("List all boats with their insurer")
    assert (next(iter(listed.columns)), len(listed.columns)) == ("Insurer", 10)
    assert "4 more columns are not shown: Owner, Licence, Draught, Flag;" in text
    assert wide.said("What is the insurer of the Wespe?")[0].endswith("Wespe – boats, row 2: Insurer Lux.")


def test_the_next_page_is_of_rows_again(desk: Desk) -> None:
    more = Plan(Intent.SCRIPT_QUERY, Shape.METADATA_ONLY, "more", knowledge_base="desk", offset=20, of_rows=True)
    listed, _, end = list(desk.listings.answer(more, Question("more", "s", "desk"), ANN))[-3:]
    assert isinstance(listed, Listed) and isinstance(end, Finished)
    assert (len(listed.rows), listed.next_offset, end.of_rows) == (10, None, True)


def test_rows_that_meet_the_conditions_are_listed_though_they_have_no_value_to_be_ordered_by(desk: Desk) -> None:
    desk.put("report.md", "---\nowner: Dee\ndate: 2026-02-01\n---\nA report.")
    text, listed = desk.said("tickets of Ann Lee, newest date first")
    assert text.startswith("15 rows match")
    assert len(listed.rows) == 15


def test_a_name_that_no_column_can_have_is_said_to_be_left_out() -> None:
    desk = Desk()
    desk.put("hours.csv", "Day,Hours\n2026-01-01,3\n2026-01-02,5\n")
    text, _ = desk.said("How many rows does Zoe own?")
    assert text == "2 rows match. I left out “Zoe”, which I could not use as a condition."
    text, _ = desk.said("How many rows are there?")
    assert text == "2 rows match."


def test_rows_are_called_by_their_table(desk: Desk) -> None:
    """Two tables have a column of the same name, and a document has the field too."""
    desk.put("complaints_2026.csv", "Id,Status,From\nC-1,open,Ann Lee\nC-2,closed,Bo Chan\nC-3,open,Bo Chan\n")
    assert desk.said("How many complaints are open?")[0] == "2 rows match (table: complaints_2026; Status: open)."
    assert desk.said("Which tickets are still open?")[0].startswith("10 rows match (table: tickets; Status: open).")
    assert desk.said("How many tickets are there?")[0] == "30 rows match (table: tickets)."
    _, listed = desk.said("List all complaints that are not closed")
    assert [row.metadata["Id"] for row in listed.rows] == ["C-1", "C-3"]


def test_a_row_is_called_by_its_name_and_a_year_is_written_as_one() -> None:
    desk = Desk()
    desk.put("boats.csv", "Name,Built,Price\nAlte Liebe,1987,1900\nWespe,2025,9150\nMoewe,2001,3000\n")
    assert desk.said("Which is the oldest boat?")[0] == (
        "3 rows match (table: boats). Lowest Built: 1987 (Alte Liebe – boats, row 2)."
    )
    assert desk.said("What is the price of the Wespe?")[0] == (
        "1 row matches (Name: Wespe; table: boats). Wespe – boats, row 3: Price 9,150."
    )


def test_a_column_whose_numbers_are_all_years_has_no_separators_whatever_its_name() -> None:
    desk = Desk()
    desk.put("fests.csv", "Fest,Season,Price,Guests\nHay,2021,1900,1800\nWheat,2019,1700,1400\nOats,2021,1600,2000\n")
    _, listed = desk.said("List all fests")
    event = only(Listing, events_of((listed,)))
    assert event.documents[0].fields | {"Fest": ""} == {
        "Fest": "",
        "Season": "2021",
        "Price": "1,900",
        "Guests": "1,800",
    }
    assert described(AnyOf("Season", frozenset({2021.0})), Schema({})) == "Season: 2021"
    assert desk.said("How many fests per season?")[0].endswith("By Season: 2021 2, 2019 1.")
    assert desk.said("What is the lowest season?")[0].startswith("3 rows match (table: fests). Season, lowest: 2019.")


def test_a_sum_of_what_may_be_years_is_a_number() -> None:
    figure = Figure(2000.0, 3)
    operations: tuple[Operation, ...] = ("sum", "avg", "count", "max")
    shown = [shown_figure(figure, Aggregate(op, "visitors")) for op in operations]
    assert shown == ["2,000", "2,000", "2,000", "2000"]


def test_a_column_of_the_name_of_tables_keeps_its_values(desk: Desk) -> None:
    """The base knows tables already when the column comes."""
    desk.put("bookings.csv", "Guest,Table\nAnn,4\nBo,5\nCy,5\n")
    assert desk.said("How many rows with table 5?")[0] == "2 rows match (Table: 5; table name: bookings)."
    assert desk.said("How many bookings are there?")[0] == "3 rows match (table name: bookings)."


@pytest.mark.parametrize("name", ["#table", "#Table", "#row"])
def test_no_attribute_of_a_document_makes_it_a_row(desk: Desk, name: str) -> None:
    desk.put("note.md", "A note.", f'{{"metadataAttributes": {{"{name}": "tickets"}}}}')
    assert desk.said("How many tickets are there?")[0] == "30 rows match (table: tickets)."
    assert desk.said("How many documents are there?")[1].rows.items[0].metadata.keys() == {"language"}


def test_a_table_that_is_called_as_a_column_takes_no_condition_on_it(desk: Desk) -> None:
    desk.put("status.csv", "Code,Meaning\n1,new\n2,old\n")
    assert desk.said("How many rows with status open?")[0] == "10 rows match (Status: open)."


def test_a_long_name_of_one_table_leaves_the_others_theirs(desk: Desk) -> None:
    desk.put(f"{'register of the service ' * 4}.csv", "Code,Meaning\n1,new\n")
    assert desk.said("How many tickets are there?")[0] == "30 rows match (table: tickets)."


def test_documents_are_counted_as_before(desk: Desk) -> None:
    assert desk.said("How many documents are there?")[0] == "2 documents match."
    assert desk.said("How many documents with status binding?")[0] == "1 document matches (Status: binding)."


def test_rows_go_and_change_with_their_document(desk: Desk) -> None:
    desk.put("tickets.csv", TICKETS.replace("open", "closed"))
    assert desk.said("How many rows with status closed?")[0] == "20 rows match (Status: closed)."
    tickets = DocumentKey(DESK, "tickets.csv")
    desk.store.remove(tickets)
    desk.ingester.ingest(tickets)
    assert desk.index.records(every_document(DESK)) == ()
    assert set(base_of(desk.bases, ANN, "desk").schema.fields) == {"Status"}


def test_rows_are_for_the_viewers_of_their_document(desk: Desk) -> None:
    sidecar = '{"accessControlList": [{"name": "hr", "type": "GROUP", "access": "ALLOW"}]}'
    desk.put("tickets.csv", TICKETS, sidecar)
    assert "Owner" not in base_of(desk.bases, ANN, "desk").schema.fields
    assert desk.said("How many rows are there?")[0] == "1 document matches."
    assert (
        desk.said("How many rows are there?", Principal("acme", "eve", groups=frozenset({"hr"})))[0] == "30 rows match."
    )


def test_rows_that_a_search_found_are_listed_by_their_document_whatever_the_conditions(desk: Desk) -> None:
    """The document itself does not meet a condition on its rows; the search that found the row has checked it."""
    table = DocumentKey(DESK, "tickets.csv")
    is_open: tuple[Condition, ...] = (AnyOf("Status", frozenset({"open"})),)
    plan = Plan(Intent.SCRIPT_QUERY, Shape.HYBRID, "q", "late", "desk", is_open, wants_documents=True)
    found = {table: RankedPassage(desk.index.passages_of(table)[1], 0.9)}
    parts = list(desk.listings.about(plan, readable_passages(ANN, "desk", is_open), ANN, found))
    assert [row.document for row in only(Listed, parts).rows] == [table]


def test_a_column_of_readers_takes_the_version_before_out(desk: Desk) -> None:
    """Whoever adds it means the rows for some; the old ones are for everybody."""
    document = DocumentKey(DESK, "tickets.csv")
    desk.store.put(document, b"Id,readers\n1,group:hr\n")
    assert desk.ingester.ingest(document).outcome is Outcome.REJECTED
    assert desk.index.row(document) is None
    desk.store.put(document, TICKETS.encode())
    assert [each.kind for each in desk.ingester.ingest(document).problems] == ["no_readers"]


def test_no_context_is_written_for_a_row() -> None:
    writer = ScriptedContextWriter()
    passages = parsed("tickets.csv", TICKETS.encode()).passages
    texts = prefixes_of(passages, writer, None).texts
    assert [bool(each) for each in texts] == [True] + [False] * 30


def test_a_record_is_named_by_its_code() -> None:
    desk = Desk()
    desk.put("members.csv", "Member no,Name,Born\n1001,Clara Voss,1988-04-12\n1003,Mia Thorsen,1954-01-22\n")
    assert desk.said("Show member 1003")[0].startswith("1 row matches (table: members; Member no: 1003).")
    assert "members, row 3" in desk.said("Who is the oldest member?")[0]


def test_a_condition_on_a_number_is_said_as_one() -> None:
    desk = Desk()
    desk.put("members.csv", "Name,Fee\nClara Voss,24\nMia Thorsen,12\n")
    assert desk.said("Which members have a fee above 12?")[0] == "1 row matches (table: members; Fee: above 12)."


def test_a_search_with_conditions_on_columns_finds_the_rows_that_meet_them(desk: Desk) -> None:
    search = FilteredSearch(HybridSearch(desk.index, CountingEmbedder()), desk.index)
    long = replace(readable_passages(ANN, "desk"), conditions=(Range("Hours", above=27),))
    found = search.retrieve("open tickets", long)
    assert {each.passage.metadata["Id"] for each in found.passages} == {"T-28", "T-29"}
    assert not search.retrieve("open tickets", replace(long, conditions=(Range("Hours", above=99),))).passages


@pytest.mark.parametrize(
    ("message", "shape", "fields"),
    [("who is its owner?", Shape.METADATA_ONLY, ("Owner",)), ("why was it reported?", Shape.METADATA_ONLY, ())],
)
def test_it_is_the_row_that_came_first_in_an_order(desk: Desk, message: str, shape: Shape, fields: tuple[str]) -> None:
    schema = base_of(desk.bases, ANN, "desk").schema
    table = AnyOf(TABLE, frozenset({"tickets"}))
    page = ListedPage("desk", "desk", (table,), Sort("Hours", descending=True), limit=1, of_rows=True)
    shown = Shown("desk", (ShownDocument(1, "tickets.csv", row=31),))
    request = PlanRequest(message, "desk", NOW, messages=("longest ticket",), schema=schema, listing=page, shown=shown)
    plan = PLANNER.plan(request)
    assert (plan.shape, plan.fields, plan.filters) == (shape, fields, (AnyOf(ROW, frozenset({31.0})), table))
    assert plan.named == ("tickets.csv",)
    another = PLANNER.plan(
        replace(request, message="what is the status of tickets of Ann Lee and their hours in her time?")
    )
    assert another.shape is Shape.METADATA_ONLY and not any(each.field == ROW for each in another.filters)
    elsewhere = PLANNER.plan(replace(request, shown=replace(shown, knowledge_base="store")))
    assert not any(each.field == ROW for each in elsewhere.filters)


@pytest.mark.parametrize(
    ("message", "shape", "fields"),
    [
        ("the second one", Shape.METADATA_ONLY, ()),
        ("tell me about the second one", Shape.METADATA_ONLY, ()),
        ("the second one: who is its owner?", Shape.METADATA_ONLY, ("Owner",)),
        ("who is the owner of the second one?", Shape.METADATA_ONLY, ("Owner",)),
        ("2", Shape.METADATA_ONLY, ()),
    ],
)
def test_a_number_chooses_one_of_the_rows_that_were_listed(
    desk: Desk, message: str, shape: Shape, fields: tuple[str]
) -> None:
    table = AnyOf(TABLE, frozenset({"tickets"}))
    shown = Shown("desk", tuple(ShownDocument(at, "tickets.csv", row=30 + at) for at in (1, 2, 3)))
    request = PlanRequest(
        message,
        "desk",
        NOW,
        messages=("open tickets",),
        schema=base_of(desk.bases, ANN, "desk").schema,
        listing=ListedPage("desk", "desk", (table,), of_rows=True),
        shown=shown,
    )
    planner = RulesPlanner(lambda *_: Classification(Intent.GENERAL, 0.99, "small talk"), PLANNER)
    plan = planner.plan(request)
    assert (plan.shape, plan.fields, plan.filters) == (shape, fields, (AnyOf(ROW, frozenset({32.0})), table))
    assert plan.named == ("tickets.csv",)
    beyond = planner.plan(replace(request, message="the fourth one: who is its owner?"))
    assert beyond.clarification == "The last answer shows nothing under 4: its numbers go to 3. Which one?"


def test_numbers_after_the_first_rows_of_an_order_are_of_these(desk: Desk) -> None:
    table = AnyOf(TABLE, frozenset({"tickets"}))
    page = ListedPage("desk", "desk", (table,), Sort("Hours", descending=True), limit=2, of_rows=True)
    shown = Shown("desk", tuple(ShownDocument(at, "tickets.csv", row=29 + at) for at in (1, 2)))
    schema = base_of(desk.bases, ANN, "desk").schema
    messages = ("the two tickets with most hours",)
    request = PlanRequest("and their hours in total?", "desk", NOW, messages=messages, schema=schema, shown=shown)
    plan = PLANNER.plan(replace(request, listing=page))
    assert (plan.aggregates, plan.named) == ((Aggregate("sum", "Hours"),), ("tickets.csv",))
    assert plan.filters == (AnyOf(ROW, frozenset({30.0, 31.0})), table)
    asked = replace(plan, knowledge_base="desk")
    meant = meant_by(asked, Question(request.message, "s", "desk"), ANN, desk.listings)
    assert isinstance(meant, Meant)
    parts = desk.listings.answer(meant.plan, Question(request.message, "s", "desk"), ANN, meant.documents)
    numbers = only(Listed, parts).numbers
    assert numbers is not None and numbers.found.documents == 2
    assert PLANNER.plan(replace(request, listing=replace(page, limit=None))).named == ()


def test_a_row_is_of_its_document_where_another_has_a_table_of_that_name(desk: Desk) -> None:
    desk.put("old/tickets.csv", TICKETS.replace("Ann Lee", "Cy Dunn"))
    row = (AnyOf(ROW, frozenset({2.0})), AnyOf(TABLE, frozenset({"tickets"})))
    plan = Plan(Intent.SCRIPT_QUERY, Shape.METADATA_ONLY, "its owner?", "", "desk", row, fields=("Owner",))
    for document, owner in (("old/tickets.csv", "Cy Dunn"), ("tickets.csv", "Ann Lee")):
        question = Question("its owner?", "s", "desk")
        meant = meant_by(replace(plan, named=(document,)), question, ANN, desk.listings)
        assert isinstance(meant, Meant)
        parts = desk.listings.answer(meant.plan, question, ANN, meant.documents)
        assert [each.metadata["Owner"] for each in only(Listed, parts).rows] == [owner]


def test_a_row_is_called_by_the_column_that_is_called_as_it_is() -> None:
    passage = parsed("boats.csv", b"Name of donor,Boat\nAnn Lee,Kormoran\n").passages[1]
    assert record_of(passage).title == "Kormoran \u2013 boats, row 2"
