"""Bases of several tables that share words: of a library, and of an allotment society."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.answering.listing_sentences import DOUBT
from cicada.dialogue import Shown, ShownDocument, Turn
from cicada.documents.catalogue import ListedPage
from cicada.documents.model import ROW, TABLE, AnyOf
from cicada.permissions import base_of
from cicada.understanding.plan import Plan, PlanRequest, Shape
from tests.unit.answering.desk import NOW, PLANNER, Desk
from tests.unit.answering.situation import ANN

BOOKS = """Title,Author,Year,Genre,Copies,Language,Price
Wolf Hall,Hilary Mantel,2009,historical,2,English,14.00
Der Trafikant,Robert Seethaler,2012,novel,1,German,11.00
The Overstory,Richard Powers,2018,novel,2,English,16.99
Piranesi,Susanna Clarke,2020,fantasy,4,English,9.99
"""
LOANS = """Loan,Book,Member,Out,Due,Returned,Volunteer on duty
AB-101,Wolf Hall,Iris Bell,2026-01-05,2026-01-26,2026-01-20,Vera
AB-102,Piranesi,Iris Bell,2026-01-20,2026-02-10,,
AB-103,The Overstory,Omar Haddad,2026-02-20,2026-03-13,,Vera
"""
MEMBERS = "Name,Joined,Email\nIris Bell,2019,iris@example.org\nOmar Haddad,2021,\nVera Lind,2018,vera@example.org\n"
VOLUNTEERS = "Volunteer,Phone\nVera,0711\nTom,0712\n"
EVENTS = "Event,Date,Room,Guests\nReading,2026-03-20,Hall,40\nQuiz,2026-04-02,Cellar,60\nFair,2026-02-01,Hall,90\n"


HOLDERS = """Holder,Year of birth,Enrolled on,Fee,Paid so far,Balance,Hrs per week
Mrs E. Quill,1950,2025-04-02,90,90,0,3
Abel Stone,1988,2024-03-01,90,40,50,10
Petra Nagy,2001,2025-05-20,60,30,30,6
the scouts of St Mary's hill,,2023-02-11,20,20,0,2
Joan Ferry,1971,2024-08-08,60,60,0,4
"""
TOOLS = """Tool,Lent to,Out since,Back by,Came back
Rotavator,Abel Stone,2026-02-01,2026-02-14,
Long ladder,Petra Nagy,2026-02-20,2026-03-14,
Shredder,Mrs E. Quill,2026-01-05,2026-01-12,2026-01-11
"""
JOBS = """Day,Done by,Cost,Paid by
2026-01-08,Dr. Root,96,society
2026-01-22,Dr. Root,40,holder
2026-02-03,Tree firm Hall,200,society
"""


@pytest.fixture(scope="module")
def allotments() -> Desk:
    desk = Desk()
    for name, content in {"holders": HOLDERS, "tools": TOOLS, "jobs": JOBS}.items():
        desk.put(f"{name}.csv", content)
    return desk


@pytest.fixture(scope="module")
def library() -> Desk:
    desk = Desk()
    tables = {"books": BOOKS, "loans": LOANS, "members": MEMBERS, "volunteers": VOLUNTEERS, "events": EVENTS}
    for name, content in tables.items():
        desk.put(f"{name}.csv", content)
    return desk


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("which books has Iris Bell borrowed?", "2 rows match (Member: Iris Bell; table: loans)."),
        ("how many copies of Piranesi are there", "1 row matches (Row title: Piranesi; table: books). Copies, sum: 4."),
        ("books that aren't English", "1 row matches (table: books; Row language: not English)."),
        ("loans without a volunteer", "1 row matches (table: loans; Volunteer on duty: none)."),
        ("which loans are overdue?", "1 row matches (table: loans; Due: before 2026-03-01; Returned: none)."),
        ("what is overdue?", "1 row matches (table: loans; Due: before 2026-03-01; Returned: none)."),
        ("when is AB-103 due?", "AB-103 – loans, row 4: Due 2026-03-13."),
        ("who has AB-102?", "1 row matches (Loan: AB-102; table: loans)."),
        ("Iris Bell's email", "Iris Bell – members, row 2: Email iris@example.org."),
        ("which genres do we have?", "By Genre: novel 2, fantasy 1, historical 1."),
        ("list authors", "By Author: Hilary Mantel 1, Richard Powers 1, Robert Seethaler 1, Susanna Clarke 1."),
        ("loans due in March", "1 row matches (table: loans; Due: from 2026-03-01 before 2026-04-01)."),
        ("what events are in April", "1 row matches (table: events; Date: from 2026-04-01 before 2026-05-01)."),
        ("next event", "Earliest Date: 2026-03-20 (Reading – events, row 2)."),
        ("biggest event", "Highest Guests: 90 (Fair – events, row 4)."),
        ("signed books", "4 rows match (table: books). I left out “signed”, which I could not use as a condition."),
        ("number of copies, by genre please", "Copies, sum, by Genre: novel 3, fantasy 4, historical 2."),
    ],
)
def test_a_message_is_read_with_the_columns_of_the_table_that_it_is_about(
    library: Desk, message: str, answer: str
) -> None:
    assert answer in library.said(message)[0]


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("holders enrolled in 2025", "2 rows match (table: holders; Enrolled on: from 2025-01-01 before 2026-01-01)."),
        ("who joined in 2025", "2 rows match (table: holders; Enrolled on: from 2025-01-01 before 2026-01-01)."),
        ("holders of 2025", "2 rows match (table: holders; Enrolled on: from 2025-01-01 before 2026-01-01)."),
        ("holders born in 2001", "1 row matches (table: holders; Year of birth: 2001)."),
        ("who hasnt paid everything yet", "2 rows match (table: holders; Balance: above 0)."),
        ("which tools are overdue", "1 row matches (table: tools; Back by: before 2026-03-01; Came back: none)."),
        ("which tools have not come back yet", "2 rows match (table: tools; Came back: none)."),
        ("what has Abel Stone borrowed", "1 row matches (Lent to: Abel Stone; table: tools)."),
        ("how many hours a week do the holders work altogether", "Hrs per week, sum: 25."),
        ("average cost of jobs by Dr. Root", "2 rows match (table: jobs; Done by: Dr. Root). Cost, average: 68."),
        ("cost of the jobs, split by who paid", "Cost, sum, by Paid by: society 296, holder 40."),
        ("how much came in for Mrs Quill", "Mrs E. Quill"),
        ("jobs without 2025", "I left out “not 2025”, which I could not use as a condition."),
        ("jobs not in February", "I left out “not in February”, which I could not use as a condition."),
        ("what should have been back by now", "table: tools; Back by: before 2026-03-01; Came back: none)."),
        ("who owes us more than 40?", "1 row matches (table: holders; Balance: above 40)."),
        ("who owes the most?", "Highest Balance: 50 (Abel Stone – holders, row 3)."),
        (
            "who still owes us money from 2025",
            "1 row matches (table: holders; Balance: above 0; Enrolled on: from 2025-",
        ),
        ("holders without a year of birth", "1 row matches (table: holders; Year of birth: none)."),
        ("what has Petra borrowed", "1 row matches (Lent to: Petra Nagy; table: tools)."),
        ("who didn't pay?", "2 rows match (table: holders; Balance: above 0)."),
        ("who owes nothing", "3 rows match (table: holders; Balance: to 0)."),
        ("number of jobs per village", "I left out “village”, which I could not use as a condition."),
    ],
)
def test_columns_are_known_by_the_words_of_those_who_ask(allotments: Desk, message: str, answer: str) -> None:
    assert answer in allotments.said(message)[0]


@pytest.mark.parametrize(
    ("messages", "answer"),
    [
        (
            ("events in the hall", "which of them had the fewest guests?"),
            "Lowest Guests: 40 (Reading – events, row 2).",
        ),
        (("events with over 50 guests", "where was the biggest one?"), "Highest Guests: 90 (Fair – events, row 4)."),
        (("events in the hall", "and the heaviest?"), "I left out “heaviest”, which I could not use as a condition."),
        (("loans that are returned", "which aren't?"), "2 rows match (table: loans; Returned: none)."),
        (("loans that are returned", "which cant"), "2 rows match (table: loans; Returned: none)."),
        (("books in English", "which aren't?"), "1 row matches (table: books; Row language: not English)."),
        (("copies by genre", "which has the most?"), "Copies, sum, by Genre: fantasy 4"),
        (("loans of Omar Haddad", "biggest event so far"), "Highest Guests: 90 (Fair – events, row 4)."),
    ],
)
def test_a_superlative_chooses_one_row_of_those_before_or_of_the_table_that_it_names(
    library: Desk, messages: tuple[str, ...], answer: str
) -> None:
    assert answer in library.said(messages[-1], before=messages[:-1])[0]


def test_a_word_of_a_value_is_no_superlative_and_pounds_may_be_a_weight() -> None:
    desk = Desk()
    desk.put("visits.csv", "Animal,Weight,Fee\nMax,50,20\nMax,52,90\nRex,20,60\n")
    assert desk.said("visits of Max")[0] == "2 rows match (table: visits; Animal: Max)."
    assert "Weight: above 40" in desk.said("visits over 40 pounds")[0]


def test_a_blank_value_of_a_sidecar_keeps_no_question_from_its_base() -> None:
    desk = Desk()
    desk.put("a.md", "Text", '{"metadataAttributes": {"owner": " ", "room": "Hall"}}')
    assert desk.said("how many documents are there")[0] == "1 document matches."


def test_an_amount_with_a_currency_is_of_the_column_of_money() -> None:
    desk = Desk()
    desk.put("orders.csv", "Order,Copies,Invoiced (GBP),Paid on\nA1,2000,500,2026-01-02\nA2,40,1500,\n")
    assert (
        desk.said("which orders are over 1000 pounds?")[0]
        == "1 row matches (table: orders; Invoiced (GBP): above 1,000)."
    )


def test_a_table_keeps_its_name_beside_a_column_of_another_table_that_is_called_so() -> None:
    desk = Desk()
    desk.put("vehicles.csv", "Sign,Built\nMB-1,2001\nMB-2,2015\n")
    desk.put("alarms.csv", 'Date,Vehicles\n2026-01-05,"MB-1, MB-2"\n2026-01-06,MB-1\n2026-01-09,"MB-1, MB-3"\n')
    assert desk.said("vehicles built before 2010")[0] == "1 row matches (table: vehicles; Built: below 2010)."
    biggest = desk.said("which is the biggest?", before=("vehicles built before 2020",))[0]
    assert biggest.endswith("I left out “biggest”, which I could not use as a condition.")
    assert desk.said("alarms with MB-1")[0] == "3 rows match (table: alarms; Vehicles: MB-1)."


def test_a_count_of_rows_of_several_tables_is_told_for_each() -> None:
    desk = Desk()
    desk.put("pets.csv", "Name,Kind\nTom,cat\nKit,cat\nRex,dog\n")
    desk.put("sold.csv", "Date,Kind\n2026-01-05,cat\n2026-01-06,dog\n2026-01-08,dog\n")
    assert desk.said("how many cats are there")[0] == "3 rows match (Kind: cat). By table: pets 2, sold 1."


@pytest.mark.parametrize(
    "message",
    [
        "What happens when a book is overdue?",
        "does it cost me anything",
        "what happens if a book is not returned?",
        "who do I tell if a book was not returned",
    ],
)
def test_what_asks_for_no_rows_is_asked_of_the_texts(library: Desk, message: str) -> None:
    schema = base_of(library.bases, ANN, "desk").schema
    plan = PLANNER.plan(PlanRequest(message, "desk", NOW, schema=schema))
    assert plan.shape is not Shape.METADATA_ONLY


PLOTS = "Plot,Tenant,Size m2,Water\n7,Jonas Weber,240,yes\n8,Tom Ashby,350,yes\n9,Tom Weller,150,no\n"


@pytest.mark.parametrize(
    ("messages", "answer"),
    [
        (("how many plots are there",), "3 rows match (table: plots)."),
        (("how many plots have water",), "2 rows match (table: plots; Water: yes)."),
        (("who has plot 7?",), "1 row matches (table: plots; Plot: 7). 7 – plots, row 2: Tenant Jonas Weber."),
        (("which plots does Tom have",), "2 rows match (table: plots; Tenant: Tom Ashby or Tom Weller)."),
        (("who has the largest plot?", "and the smallest?"), "3 rows match (table: plots). Lowest Size m2: 150"),
        (("who has the smallest plot?", "and the largest?"), "3 rows match (table: plots). Highest Size m2: 350"),
        (("which plots have water", "and without?"), "1 row matches (table: plots; Water: no)."),
    ],
)
def test_plots_are_counted_called_by_number_compared_and_denied(messages: tuple[str, ...], answer: str) -> None:
    desk = Desk()
    desk.put("plots.csv", PLOTS)
    assert desk.said(messages[-1], before=messages[:-1])[0].removeprefix(f"{DOUBT} ").startswith(answer)


def asked_of(desk: Desk, message: str, shown: tuple[ShownDocument, ...], table: str = "") -> Plan:
    """The plan of a message after the row of this table was listed, or else after passages were quoted."""
    conditions = (AnyOf(TABLE, frozenset({table})),)
    schema = base_of(desk.bases, ANN, "desk").schema
    request = PlanRequest(message, "desk", NOW, schema=schema, messages=("a row",), shown=Shown("desk", shown))
    listing = ListedPage("desk", "desk", conditions, of_rows=True) if table else None
    return PLANNER.plan(replace(request, listing=listing))


LOAN = ShownDocument(1, "loans.csv", row=2, values=("AB-101", "Wolf Hall", "Iris Bell", "2026-01-05", "Vera"))


@pytest.mark.parametrize(
    ("message", "conditions", "fields"),
    [
        ("her email?", {TABLE: "members", "Name": "Iris Bell"}, ("Email",)),
        ("and its price", {TABLE: "books", "Row title": "Wolf Hall"}, ("Price",)),
    ],
)
def test_what_another_table_has_of_a_row_is_looked_up_there(
    library: Desk, message: str, conditions: dict[str, str], fields: tuple[str, ...]
) -> None:
    plan = asked_of(library, message, (LOAN,), "loans")
    stated = {each.field: next(iter(each.values)) for each in plan.filters if isinstance(each, AnyOf)}
    assert (plan.shape, stated, plan.fields) == (Shape.METADATA_ONLY, conditions, fields)


def test_what_its_own_table_has_of_a_row_is_read_from_the_row(library: Desk) -> None:
    plan = asked_of(library, "when was it returned?", (LOAN,), "loans")
    assert (plan.filters[0], plan.fields) == (AnyOf(ROW, frozenset({2.0})), ("Returned",))


def test_who_stands_in_all_rows_of_a_list_is_spoken_of(library: Desk) -> None:
    other = ShownDocument(2, "loans.csv", row=3, values=("AB-102", "Piranesi", "Iris Bell", "2026-01-20"))
    plan = asked_of(library, "her email?", (LOAN, other), "loans")
    assert AnyOf("Name", frozenset({"Iris Bell"})) in plan.filters
    third = ShownDocument(3, "loans.csv", row=4, values=("AB-103", "The Overstory", "Omar Haddad"))
    assert not any(each.field == "Name" for each in asked_of(library, "her email?", (LOAN, third), "loans").filters)


def test_words_that_no_column_has_are_asked_of_the_row_by_its_name(library: Desk) -> None:
    named = replace(LOAN, values=("Wolf Hall", *LOAN.values))
    before = ("the loan of Wolf Hall",)
    schema = base_of(library.bases, ANN, "desk").schema
    listing = ListedPage("desk", "desk", (AnyOf(TABLE, frozenset({"loans"})),), of_rows=True)
    asked = PlanRequest("and what did they decide?", "desk", NOW, schema=schema, messages=before, listing=listing)
    plan = PLANNER.plan(replace(asked, shown=Shown("desk", (named,))))
    assert (plan.unknown, plan.as_search.search_value) == (("decide",), "and what did they decide? (Wolf Hall AB-101)")


def test_what_quoted_rows_share_is_what_is_spoken_of(library: Desk) -> None:
    kinds = "Member: Iris Bell; Volunteer on duty: Vera"
    rows = (f"Loan: AB-101; Book: Wolf Hall; {kinds}", f"Loan: AB-102; Book: Piranesi; {kinds}")
    quoted = tuple(ShownDocument(at, "loans.csv", row, cited=True) for at, row in enumerate(rows, 1))
    plan = asked_of(library, "when did she join?", quoted)
    assert AnyOf("Name", frozenset({"Iris Bell"})) in plan.filters
    texts = asked_of(library, "when did she join?", (ShownDocument(1, "minutes.md", rows[0], cited=True),))
    assert texts.shape is Shape.CONTENT_ONLY


@pytest.mark.parametrize(
    ("asked", "said", "message", "name"),
    [
        ("and then?", "Piranesi was returned by Iris Bell.", "her email?", "Iris Bell"),
        ("and then?", "Piranesi was returned by Iris Bell.", "its email?", ""),
        ("and then?", "Iris Bell met Omar Haddad.", "her email?", ""),
        ("how old is Iris Bell?", "Omar Haddad sells books.", "her email?", "Iris Bell"),
        ("how old is Ada Stone?", "Omar Haddad sells books.", "her email?", ""),
        ("and then?", "", "her email?", ""),
    ],
)
def test_who_is_spoken_of_is_named_in_the_question_before_or_alone_in_what_was_quoted(
    library: Desk, asked: str, said: str, message: str, name: str
) -> None:
    schema = base_of(library.bases, ANN, "desk").schema
    quoted = Shown("desk", (ShownDocument(1, "minutes.md", said, cited=True),))
    turn = Turn(asked, f'"{said}" — Minutes [1]')
    request = PlanRequest(message, "desk", NOW, schema=schema, messages=(asked,), turns=(turn,), shown=quoted)
    found = [each.values for each in PLANNER.plan(request).filters if isinstance(each, AnyOf) and each.field != TABLE]
    assert found == ([frozenset({name})] if name else [])


@pytest.mark.parametrize(("message", "shape"), [("price?", Shape.CONTENT_ONLY), ("all books?", Shape.METADATA_ONLY)])
def test_after_a_text_a_word_of_a_column_lists_no_table(library: Desk, message: str, shape: Shape) -> None:
    schema = base_of(library.bases, ANN, "desk").schema
    quoted = Shown("desk", (ShownDocument(1, "minutes.md", "The oven is bought.", cited=True),))
    asked = PlanRequest(message, "desk", NOW, schema=schema, messages=("did we get the oven?",), shown=quoted)
    plan = PLANNER.plan(asked)
    assert plan.shape is shape
    assert plan.carried == (("oven",) if shape is Shape.CONTENT_ONLY else ())


def test_a_letter_that_is_to_be_summed_up_adds_nothing_up(library: Desk) -> None:
    schema = base_of(library.bases, ANN, "desk").schema
    plan = PLANNER.plan(PlanRequest("sum up the letter of March 2025 to Iris Bell pls", "desk", NOW, schema=schema))
    assert (plan.shape, plan.aggregates) == (Shape.CONTENT_ONLY, ())


def test_all_rows_of_a_table_are_no_answer_on_one_person(library: Desk) -> None:
    schema, before = base_of(library.bases, ANN, "desk").schema, ("list all members",)
    asked = PlanRequest("her email?", "desk", NOW, schema=schema, messages=before)
    assert PLANNER.plan(asked).shape is Shape.CONTENT_ONLY
    assert PLANNER.plan(replace(asked, message="their emails?")).shape is Shape.METADATA_ONLY


@pytest.mark.parametrize(
    ("message", "shape"),
    [
        ("when does the membership end?", Shape.CONTENT_ONLY),
        ("when is the book sale?", Shape.CONTENT_ONLY),
        ("when do the loans end?", Shape.METADATA_ONLY),
        ("which members are there?", Shape.METADATA_ONLY),
    ],
)
def test_what_is_asked_of_one_thing_lists_no_table(library: Desk, message: str, shape: Shape) -> None:
    schema = base_of(library.bases, ANN, "desk").schema
    assert PLANNER.plan(PlanRequest(message, "desk", NOW, schema=schema)).shape is shape


def test_a_column_of_a_year_is_found_in_another_table() -> None:
    desk = Desk()
    desk.put("tasks.csv", "Task,Done by\nTower,Iris Bell\nOffice,Omar Haddad\n")
    desk.put("members.csv", "Name,Joined,Hours 2024,Hours 2025\nIris Bell,2019,30,40\nOmar Haddad,2025,12,9\n")
    task = ShownDocument(1, "tasks.csv", row=2, values=("Tower", "Iris Bell"))
    plan = asked_of(desk, "what hours did she do in 2025?", (task,), "tasks")
    assert (AnyOf("Name", frozenset({"Iris Bell"})) in plan.filters, plan.fields) == (True, ("Hours 2025",))
