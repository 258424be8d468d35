"""Words for rows that are no values of their table: of states, of years in the names of columns, of nothing in it."""

from __future__ import annotations

import pytest

from tests.unit.answering.desk import Desk

REPAIRS = """Job,Boat,Mechanic,Status
R1,Kittiwake,Sven Lund,done
R2,Nordlys,Dot Harman,in progress
R3,Seehund,Sven Lund,waiting for parts
R4,Morwenna,Dot Harman,cancelled
R5,Lotus,Sven Lund,done
"""
BERTHS = "Berth,Length,Holder,Fee\nA1,8,Ann Lee,900\nA2,9,,950\nA3,10,Bo Ray,990\n"
MEMBERS = "Name,Joined,Town,Hours\nAnn Lee,2013,Saltby,40\nBo Ray,1988,Saltby,20\nCy Dee,2020,Oldhaven,12\n"
JOBS = "Job,Role\nJ1,Head Cook\nJ2,Cook\nJ3,Cook\n"


@pytest.fixture(scope="module")
def marina() -> Desk:
    desk = Desk()
    for name, content in {"repairs": REPAIRS, "berths": BERTHS, "members": MEMBERS, "jobs": JOBS}.items():
        desk.put(f"{name}.csv", content)
    return desk


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("completed repairs", "2 rows match (table: repairs; Status: done)."),
        ("which repairs are not finished yet?", "2 rows match (table: repairs; Status: not cancelled or done)."),
        (
            "open repairs of Sven Lund",
            "1 row matches (table: repairs; Mechanic: Sven Lund; Status: not cancelled or done).",
        ),
        ("which berths are free at the moment?", "1 row matches (table: berths; Holder: none)."),
        ("how many berths are taken", "2 rows match (table: berths; Holder: any)."),
        ("how many berths aren't free", "2 rows match (table: berths; Holder: any)."),
        ("cancelled repairs", "1 row matches (Status: cancelled; table: repairs)."),
    ],
)
def test_a_state_is_told_by_the_values_that_the_table_has_for_it(marina: Desk, message: str, answer: str) -> None:
    assert marina.said(message)[0] == answer


def test_rows_are_counted_and_not_the_one_value_that_they_have(marina: Desk) -> None:
    assert marina.said("how many of them live in Saltby?", before=("all members",))[0].startswith(
        "2 rows match (table: members; Town: Saltby)"
    )
    assert "different values" not in marina.said("how many Sven Lund repairs are there")[0]


def test_who_asks_how_many_has_them_counted(marina: Desk) -> None:
    assert marina.said("how many people live in Saltby?")[0].startswith("2 rows match (Town: Saltby; table: members)")


def test_a_value_that_is_written_out_comes_before_one_that_only_has_the_word(marina: Desk) -> None:
    assert marina.said("how many cooks are there")[0] == "2 rows match (Role: Cook; table: jobs)."


def test_a_count_says_what_state_it_leaves_out(marina: Desk) -> None:
    said = "3 rows match (table: members). I left out “retired”, which I could not use as a condition."
    assert marina.said("how many members are retired?")[0] == said
    assert marina.said("how many members are there?")[0] == "3 rows match (table: members)."


def test_who_was_there_longest_came_first(marina: Desk) -> None:
    said = marina.said("which member has been here the longest?")[0]
    assert said.endswith("Lowest Joined: 1988 (Bo Ray – members, row 3).")
    assert "Highest Hours: 40" in marina.said("which member has the longest hours?")[0]


@pytest.mark.parametrize(
    ("message", "left_out"),
    [("which colour is it?", " I left out “colour”, which I could not use as a condition."), ("show them again", "")],
)
def test_the_same_rows_again_are_said_to_leave_out_what_was_asked(marina: Desk, message: str, left_out: str) -> None:
    said = marina.said(message, before=("repairs by Dot Harman",))[0]
    assert said == f"2 rows match (table: repairs; Mechanic: Dot Harman).{left_out}"


HOURS = "Helper,Joined,Hours 2024,Hours 2025\nAnn Lee,2013,40,12\nBo Ray,2025,20,60\nCy Dee,2024,12,9\n"


@pytest.fixture(scope="module")
def helpers() -> Desk:
    desk = Desk()
    desk.put("helpers.csv", HOURS)
    return desk


@pytest.mark.parametrize(
    ("messages", "answer"),
    [
        (("which helper did the most hours in 2025?",), "Highest Hours 2025: 60 (Bo Ray – helpers, row 3)."),
        (("which helper did the most hours in 2025?", "and in 2024?"), "Highest Hours 2024: 40 (Ann Lee"),
        (("total hours in 2025", "and the year before?"), "Hours 2024, sum: 72."),
        (("which helpers joined in 2025?",), "1 row matches (table: helpers; Joined: 2025)."),
    ],
)
def test_a_column_of_a_year_is_meant_by_the_year(helpers: Desk, messages: tuple[str, ...], answer: str) -> None:
    *before, message = messages
    assert answer in helpers.said(message, before=tuple(before))[0]


def test_what_conditions_describe_is_listed_for_who_asks_which(marina: Desk) -> None:
    assert marina.said("which repairs were executed by Sven Lund?")[0].startswith("3 rows match")


def test_a_word_of_another_table_is_no_slip_for_a_name(marina: Desk) -> None:
    marina.put("donors.csv", "Donor,Sum\nOlga Quill,20\nJan Marsh,30\n")
    marina.put("things.csv", "Thing,Place\nQuilt,Hall\nLamp,Attic\n")
    assert "Quill" not in marina.said("how many sums for the quilt?")[0]
