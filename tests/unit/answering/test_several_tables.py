"""A base of several tables that share words: a library's books, their loans, members and events."""

from __future__ import annotations

import pytest

from cicada.permissions import base_of
from cicada.understanding.plan import PlanRequest, Shape
from tests.unit.answering.desk import ANN, NOW, PLANNER, Desk

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
        ("signed books", "4 rows match (table: books). No field here has “signed” as a value, so that was left out."),
        ("number of copies, by genre please", "Copies, sum, by Genre: novel 3, fantasy 4, historical 2."),
    ],
)
def test_a_message_is_read_with_the_columns_of_the_table_that_it_is_about(
    library: Desk, message: str, answer: str
) -> None:
    assert answer in library.said(message)[0]


@pytest.mark.parametrize(
    ("messages", "answer"),
    [
        (
            ("events in the hall", "which of them had the fewest guests?"),
            "Lowest Guests: 40 (Reading – events, row 2).",
        ),
        (("events with over 50 guests", "where was the biggest one?"), "Highest Guests: 90 (Fair – events, row 4)."),
        (("events in the hall", "and the heaviest?"), "No field here has “heaviest” as a value, so that was left out."),
        (("loans of Omar Haddad", "biggest event so far"), "Highest Guests: 90 (Fair – events, row 4)."),
    ],
)
def test_a_superlative_chooses_one_row_of_those_before_or_of_the_table_that_it_names(
    library: Desk, messages: tuple[str, ...], answer: str
) -> None:
    assert answer in library.said(messages[-1], before=messages[:-1])[0]


@pytest.mark.parametrize("message", ["What happens when a book is overdue?", "does it cost me anything"])
def test_what_asks_for_no_rows_is_asked_of_the_texts(library: Desk, message: str) -> None:
    schema = base_of(library.bases, ANN, "desk").schema
    plan = PLANNER.plan(PlanRequest(message, "desk", NOW, schema=schema))
    assert plan.shape is not Shape.METADATA_ONLY
