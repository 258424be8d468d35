"""Tables that share words: a message is read with the columns of the one that it is about."""

from __future__ import annotations

from datetime import date

import pytest
from msgspec.structs import replace

from cicada.documents.catalogue import DOCUMENTS, Aggregate, Sort
from cicada.documents.model import TABLE, AnyOf
from cicada.knowledge_bases.inference import completed
from cicada.knowledge_bases.observed_fields import observed_in, observed_with, observed_with_records
from cicada.knowledge_bases.schema import Schema
from cicada.understanding.meaning import Bounds, Meaning
from cicada.understanding.plan import Intent, Plan, Shape, contradiction
from cicada.understanding.schema_planner import SchemaReader
from cicada.understanding.tables import TablesReader

NAMES = (
    "Kormoran Otter Biber Seeadler Wespe Libelle Moewe Marie Eisvogel Reiher Hecht Aal Zander Lachs Krebs Barsch "  # noqa: SIM905
    "Stint Wels Karpfen Rotauge".split()
)
MEMBERS = [
    {
        TABLE: "members",
        "name": f"Member {n}",
        "licence": "ABC"[n % 3],
        "paid": "yes",
        "fee_eur": str(n),
        "born": "1990-01-01",
    }
    for n in range(20)
]
BOATS = [
    {
        TABLE: "boats",
        "Name": NAMES[n],
        "Licence needed": "ABC"[n % 3],
        "Built": str(1990 + n),
        "Weight kg": str(50 + n),
    }
    for n in range(20)
]
DAMAGES = [
    {
        TABLE: "damage_log",
        "boat": NAMES[n % 4],
        "cost": str(n),
        "what": "oar",
        "date": "2026-02-01",
        "Repaired on": "2026-03-01",
    }
    for n in range(20)
]
CONTRACT = {"type": "contract", "expires": "2027-01-01", "annual value": "1200"}


def reader() -> TablesReader:
    known = observed_with((), CONTRACT)
    for rows in (MEMBERS, BOATS, DAMAGES):
        known = observed_with_records(known, observed_in(rows))
    return TablesReader(SchemaReader.of(completed(Schema(), known, "club")))


CLUB = reader()


def meaning(*messages: str) -> Meaning:
    return CLUB.understand(messages, date(2026, 11, 27)).meaning


@pytest.mark.parametrize(
    ("message", "table", "column"),
    [
        ("Which boats can I take with licence C?", "boats", "Licence needed"),
        ("Which members have licence C?", "members", "licence"),
    ],
)
def test_a_value_of_two_tables_is_of_the_one_that_is_named(message: str, table: str, column: str) -> None:
    assert meaning(message).wanted == {TABLE: (table,), column: ("C",)}


def test_the_columns_that_are_spoken_of_tell_the_table() -> None:
    found = meaning("average fee of those with licence A")
    assert (found.aggregates, found.wanted) == (
        (Aggregate("avg", "fee_eur"),),
        {TABLE: ("members",), "licence": ("A",)},
    )


def test_what_is_asked_of_a_row_by_its_name_is_looked_for_where_rows_have_it() -> None:
    found = meaning("What is the weight of the Kormoran?")
    assert found.fields == ("Weight kg",)
    assert found.wanted == {"name": ("Kormoran",), TABLE: ("boats",)}


def test_a_kind_of_documents_names_what_is_no_table() -> None:
    found = meaning("Which contracts end before 2028?")
    assert (found.wanted, found.bounds) == ({"type": ("contract",)}, {"expires": Bounds(lt="2028-01-01")})


def test_another_field_of_the_document_that_was_named_is_asked_for() -> None:
    found = meaning("When does the cleaning contract run out?", "and the annual value?")
    assert (found.named, found.fields, found.topic) == (("cleaning contract",), ("annual value",), "")


def test_an_adjective_is_of_a_column_of_the_table_and_stays_so() -> None:
    assert meaning("Which is our oldest boat?").order == Sort("Built", descending=False)
    assert meaning("Which is our oldest boat?", "and the newest?").order == Sort("Built", descending=True)


def test_what_goes_on_stays_with_its_table() -> None:
    found = meaning("How many members have licence A?", "which of them havent paid")
    assert found.wanted == {TABLE: ("members",), "licence": ("A",), "paid": (False,)}
    assert meaning("Which contracts expire before 2028?", "what do they cost altogether").aggregates == (
        Aggregate("sum", "annual value"),
    )


@pytest.mark.parametrize("message", ["unpaid members", "members that havent paid", "Which members have not paid?"])
def test_a_boolean_is_denied(message: str) -> None:
    assert meaning(message).wanted == {TABLE: ("members",), "paid": (False,)}


def test_what_was_not_done_since_a_day_was_done_before_it_or_said_to_be_unknown() -> None:
    assert meaning("damages not dated since May 2026").bounds == {"date": Bounds(lt="2026-05-01")}
    assert meaning("damages not dated in 2026").unknown == ("not in 2026",)


@pytest.mark.parametrize("message", ["members without a licence", "members with no licence"])
def test_an_article_is_no_value(message: str) -> None:
    assert meaning(message).bounds == {"licence": Bounds(present=False)}


def test_a_mistyped_operation_is_computed() -> None:
    assert meaning("avarage weight of the boats").aggregates == (Aggregate("avg", "Weight kg"),)


@pytest.mark.parametrize(
    "message", ["damages that have not been repaired", "damages that havent been repaired", "unrepaired damages"]
)
def test_what_has_no_day_was_not_done(message: str) -> None:
    found = meaning(message)
    assert (found.wanted, found.bounds) == ({TABLE: ("damage_log",)}, {"Repaired on": Bounds(present=False)})


def test_a_clause_of_its_own_is_not_denied() -> None:
    found = meaning("members without licence A that have paid")
    assert (found.wanted["paid"], found.unwanted) == ((True,), {"licence": ("A",)})


def test_a_sum_of_rows_is_of_their_one_column_of_money() -> None:
    assert meaning("sum of the damages by boat").aggregates == (Aggregate("sum", "cost"),)
    assert meaning("number of damages by boat").aggregates == (Aggregate("count"),)


def test_what_was_paid_in_all_is_the_total_of_the_column_of_money() -> None:
    found = meaning("How much have the members with licence A paid in total?")
    assert (found.aggregates, found.wanted["licence"]) == ((Aggregate("sum", "fee_eur"),), ("A",))
    found = meaning("members who have not paid", "how much do they owe altogether?")
    assert (found.aggregates, found.wanted["paid"]) == ((Aggregate("sum", "fee_eur"),), (False,))
    assert meaning("How much does a glass of beer cost?").aggregates == ()


def test_the_best_of_groups_and_the_row_with_the_highest_number_are_orders() -> None:
    best = meaning("average fee of members by licence", "and the best one?")
    assert (best.group, best.order) == (("licence",), Sort("fee_eur", descending=True, of="avg"))
    highest = meaning("which boat had the highest cost of damage?").order
    assert highest is not None and (highest.field, highest.descending) == ("cost", True)


def test_all_documents_are_no_rows() -> None:
    assert TABLE not in meaning("list all documents of Ann Lee").wanted


def test_a_currency_behind_a_number_is_no_subject() -> None:
    assert meaning("damages that cost more than 12 pounds").bounds == {"cost": Bounds(gt=12)}


def test_a_month_is_a_value_where_no_column_has_days_and_a_year_is_said_to_be_left_out() -> None:
    rows = [{TABLE: "visitors", "Month": month, "Adults": "12"} for month in ("April", "May", "August")]
    known = observed_with_records((), observed_in(rows))
    visitors = TablesReader(SchemaReader.of(completed(Schema(), known, "museum")))
    found = visitors.understand(["how many visitors did we have in august 2024"], date(2026, 11, 27)).meaning
    assert (found.wanted["Month"], found.unknown) == (("August",), ("2024",))


def test_a_word_of_the_tables_own_name_names_no_row_of_it() -> None:
    rows = [{TABLE: "Pirates bookings", "Name": f"Mrs {at}", "Seats": "2", "Band": "full"} for at in range(30)]
    known = observed_with_records((), observed_in(rows))
    bookings = TablesReader(SchemaReader.of(completed(Schema(), known, "theatre")))
    found = bookings.understand(["Pirates bookings: seats per band"], date(2026, 11, 27)).meaning
    assert (found.bounds, found.group) == ({}, ("Band",))
    named = bookings.understand(["Pirates seats per band"], date(2026, 11, 27)).meaning
    assert named.bounds == {}


def test_a_count_leaves_no_name_out_in_silence() -> None:
    found = meaning("Wie viele members kommen aus Deutschland?")
    assert (*found.unknown, *(each.contains for each in found.bounds.values())) == ("Deutschland",)


def test_who_goes_on_means_the_columns_of_the_same_table() -> None:
    """The contract has a value too."""
    found = meaning("damages of the Otter", "what is the total cost?")
    assert (found.wanted[TABLE], found.aggregates) == (("damage_log",), (Aggregate("sum", "cost"),))


def test_a_number_with_a_unit_is_no_year() -> None:
    assert meaning("damages that cost 2000 eur or more").bounds == {"cost": Bounds(gte=2000)}


def test_a_count_that_leaves_the_subject_out_is_none() -> None:
    assert CLUB.understand(["Wie viele Kajaks sind versichert?"], date(2026, 11, 27)).strategy == "C"


def test_columns_that_no_table_has_together_are_refused() -> None:
    """A model that plans may mix them too."""
    plan = Plan(Intent.SCRIPT_QUERY, Shape.METADATA_ONLY, "", filters=(AnyOf("boat", frozenset({"Otter"})),))
    assert contradiction(replace(plan, aggregates=(Aggregate("sum", "cost"),)), CLUB.schema) is None
    said = "has conditions and numbers on columns that no table has together"
    assert contradiction(replace(plan, aggregates=(Aggregate("avg", "Weight kg"),)), CLUB.schema) == said
    members = AnyOf(TABLE, frozenset({"members"}))
    assert contradiction(replace(plan, filters=(*plan.filters, members)), CLUB.schema) == said


def test_a_column_that_is_called_as_a_word_of_sentences_is_not_asked_for_by_it() -> None:
    assert meaning("what colour is the club blazer").fields == ()


def test_tables_whose_columns_are_not_known_are_read_as_one() -> None:
    """Rows that were counted before tables were are of any."""
    old = tuple(replace(each, tables={}) for each in observed_in(BOATS))
    schema = completed(Schema(), observed_with_records((), old), "club")
    assert schema.of_table("members").fields == schema.fields


def test_a_kind_of_documents_that_is_also_a_field_of_theirs_names_no_table() -> None:
    known = observed_with((), {"kind": "instrument", "state": "in service"})
    known = observed_with(known, {"kind": "log", "instrument": "Cooke refractor"})
    known = observed_with_records(known, observed_in(BOATS))
    observatory = TablesReader(SchemaReader.of(completed(Schema(), known, "observatory")))
    found = observatory.understand(["Which instruments are in service?"], date(2026, 11, 27))
    assert found.meaning.wanted == {"kind": ("instrument",), "state": ("in service",)}


@pytest.mark.parametrize(
    ("message", "group", "aggregates"),
    [
        ("How much did each boat cost us?", ("boat",), (Aggregate("sum", "cost"),)),
        ("damage per month", ("date@month",), (DOCUMENTS,)),
        ("what different licences do members have?", ("licence",), ()),
    ],
)
def test_rows_are_grouped(message: str, group: tuple[str, ...], aggregates: tuple[Aggregate, ...]) -> None:
    found = meaning(message)
    assert (found.group, found.aggregates) == (group, aggregates)


def test_whether_a_row_has_a_value_is_answered_by_the_value_that_it_has() -> None:
    found = meaning("Is Member 3 still paid?")
    assert (found.wanted, found.fields) == ({"name": ("Member 3",), TABLE: ("members",)}, ("paid",))


@pytest.mark.parametrize(
    ("message", "bounds", "unknown"),
    [
        ("members older than 40", {"born": Bounds(lt="1986-11-27")}, ()),
        ("boats younger than ten", {"Built": Bounds(gt=2016)}, ()),
        ("damage older than ten", {}, ("older than ten",)),
    ],
)
def test_an_age_is_counted_from_the_day_or_year_of_birth(
    message: str, bounds: dict[str, Bounds], unknown: tuple[str, ...]
) -> None:
    found = meaning(message)
    assert (found.bounds, found.unknown) == (bounds, unknown)


def test_a_measure_that_no_column_has_is_not_computed_of_another_one() -> None:
    found = meaning("average length of the boats")
    assert (found.aggregates, found.unknown) == ((), ("length",))
    assert meaning("average weight of the boats").aggregates == (Aggregate("avg", "Weight kg"),)


def test_an_amount_that_looks_like_a_year_is_an_amount() -> None:
    assert meaning("damage over 5", "and over 2000?").bounds == {"cost": Bounds(gt=2000)}


def test_an_amount_of_money_tells_the_table() -> None:
    known = observed_with((), {"author": "Ann Lee", "written": "2026-01-01"})
    for rows in (BOATS, DAMAGES):
        known = observed_with_records(known, observed_in(rows))
    base = TablesReader(SchemaReader.of(completed(Schema(), known, "club")))
    found = base.understand(["Who caused 3 euros or more this year?"], date(2026, 11, 27)).meaning
    assert (found.wanted, found.bounds["cost"]) == ({TABLE: ("damage_log",)}, Bounds(gte=3))


def test_the_one_that_is_there_longest_came_first() -> None:
    cats = [{TABLE: "cats", "Name": each, "Arrived": "2026-01-01", "Born": "2020-01-01"} for each in NAMES]
    known = observed_with_records(observed_with((), {"title": "House rules"}), observed_in(cats))
    base = TablesReader(SchemaReader.of(completed(Schema(), known, "shelter")))
    found = base.understand(["Which of the cats has been here the longest?"], date(2026, 11, 27)).meaning
    assert (found.order, found.limit, found.unknown) == (Sort("Arrived"), 1, ())


def shelter() -> TablesReader:
    donors = ("Hildegard Ott", "Rotary Club", "Bakery Lindner")
    donations = [
        {TABLE: "donations", "Donor": donors[n % 3], "Amount": str(n), "Date": "2026-02-01"} for n in range(30)
    ]
    known = observed_with((), {"responsible": "Cy Dunn", "reviewed": "2026-01-01"})
    known = observed_with_records(known, observed_in(donations))
    return TablesReader(SchemaReader.of(completed(Schema(), known, "shelter")))


def test_what_is_asked_of_a_row_is_a_column_of_its_table() -> None:
    base, today = shelter(), date(2026, 11, 27)
    assert base.understand(["who gave it?"], today).meaning.fields == ()
    assert base.of_row("who gave it?", "donations", today, "").meaning.fields == ("Donor",)


@pytest.mark.parametrize(
    ("message", "order"),
    [
        ("who was our biggest donor?", Sort("Amount", descending=True, of="sum")),
        ("who gave the most donations?", Sort("*", descending=True, of="count")),
    ],
)
def test_the_biggest_of_groups_is_that_with_the_most_money(message: str, order: Sort) -> None:
    found = shelter().understand([message], date(2026, 11, 27)).meaning
    assert (found.group, found.order, found.limit) == (("Donor",), order, 1)


def cooperative() -> TablesReader:
    """Invoices with a state that is also a part of another column's name, flats, and documents with persons."""
    states = ("paid", "open", "overdue")
    invoices = [
        {
            TABLE: "invoices",
            "Invoice no": f"R-10{n}",
            "Payment": states[n % 3],
            "Paid on": "2026-02-01",
            "Amount": str(n),
        }
        for n in range(10, 40)
    ]
    flats = [{TABLE: "flats", "Flat": f"L-{n}", "Monthly rent": str(500 + n), "Status": "let"} for n in range(10, 30)]
    known = observed_with((), {"kind": "minutes", "signed by": "Helen Marsh", "chair": "Helen Marsh"})
    known = observed_with(known, {"kind": "minutes", "signed by": "George Adeyemi", "chair": "George Adeyemi"})
    for rows in (invoices, flats):
        known = observed_with_records(known, observed_in(rows))
    return TablesReader(SchemaReader.of(completed(Schema(), known, "housing")))


def of_cooperative(*messages: str) -> Meaning:
    return cooperative().understand(messages, date(2026, 11, 27)).meaning


def test_what_is_denied_is_a_condition_and_no_subject() -> None:
    found = of_cooperative("unpaid invoices")
    assert (found.wanted, found.unwanted, found.topic) == ({TABLE: ("invoices",)}, {"Payment": ("paid",)}, "")


def test_the_code_of_a_row_is_a_condition_where_a_column_is_asked_for() -> None:
    found = of_cooperative("when was invoice R-1019 paid?")
    assert (found.wanted, found.fields) == ({TABLE: ("invoices",), "Invoice no": ("R-1019",)}, ("Paid on",))


def test_a_value_of_several_fields_is_of_the_one_that_was_spoken_of() -> None:
    found = of_cooperative("minutes chaired by Helen Marsh", "no, I meant by George Adeyemi")
    assert found.wanted == {"kind": ("minutes",), "chair": ("George Adeyemi",)}


def test_what_is_added_up_is_no_group() -> None:
    found = of_cooperative("let flats", "how much rent do they pay per month?")
    assert (found.aggregates, found.group) == ((Aggregate("sum", "Monthly rent"),), ())


CLINIC = [
    {TABLE: "patients", "Name": name, "Species": "dog", "Born": "2019-05-01", "Weight kg": "20"} for name in NAMES
]
CLINIC += [{TABLE: "medicines", "Medicine": f"{name}in", "For": "dog", "Expires": "2027-01-01"} for name in NAMES]


@pytest.mark.parametrize(("message", "order"), [("heaviest dog", ("Weight kg", True)), ("oldest dog", ("Born", False))])
def test_of_tables_with_a_value_the_one_is_meant_whose_columns_tell_the_rest(
    message: str, order: tuple[str, bool]
) -> None:
    clinic = TablesReader(
        SchemaReader.of(completed(Schema(), observed_with_records((), observed_in(CLINIC)), "clinic"))
    )
    found = clinic.understand([message], date(2026, 11, 27)).meaning
    assert found.wanted == {"Species": ("dog",), TABLE: ("patients",)}
    assert found.order and (found.order.field, found.order.descending) == order


HIRES = [
    {TABLE: "hires", "Hirer": f"Hirer {n % 4}", "Fee": str(5 + n), "Out": f"2025-0{1 + n % 6}-01", "Due": "2025-08-01"}
    for n in range(20)
]
STOCK = [{TABLE: "stock", "Thing": f"Thing {n}", "Value": str(n), "Kind": "wig" if n % 2 else "hat"} for n in range(20)]


def hired(*messages: str) -> Meaning:
    known = observed_with_records(observed_with((), CONTRACT), observed_in([*HIRES, *STOCK]))
    return (
        TablesReader(SchemaReader.of(completed(Schema(), known, "theatre")))
        .understand(messages, date(2026, 11, 27))
        .meaning
    )


def test_who_paid_most_is_summed_for_each_in_the_one_table_that_has_them() -> None:
    found = hired("which hirer paid most")
    assert (found.wanted, found.group, found.order) == ({TABLE: ("hires",)}, ("Hirer",), Sort("Fee", True, "sum"))


def test_a_column_compared_with_another_is_said_to_be_left_out() -> None:
    assert hired("which hires were out after the due date").unknown == ("after the due date",)
    assert hired("hires due after may 2025").unknown == ()


def test_a_question_with_the_value_of_a_person_is_of_the_rows_that_have_it() -> None:
    rows = [{TABLE: "pets", "Name": f"Pet {n}", "Owner": f"Ann Lee{'abcde'[n % 5]}"} for n in range(20)]
    pets = TablesReader(SchemaReader.of(completed(Schema(), observed_with_records((), observed_in(rows)), "clinic")))
    found = pets.understand(["Which animals belong to Ann Leeb?"], date(2026, 11, 27))
    assert (found.strategy, found.meaning.wanted["Owner"]) == ("M", ("Ann Leeb",))


VETS = ("Dr. Anna Lindqvist", "Dr. Paul Grady", "Dr. Mei Tanaka")
VISITS: list[dict[str, str]] = [
    {TABLE: "appointments", "Appt No": f"A-{n}", "Date": f"2025-0{1 + n % 6}-01", "Vet": VETS[n % 3]}
    | {"Treatment": "surgery" if n % 3 else "x-ray", "Fee EUR": str(20 + n), "State": "done" if n % 4 else "cancelled"}
    | ({"Paid on": "2025-06-01"} if n % 5 else {})
    for n in range(24)
]
ANIMALS: list[dict[str, str]] = [
    {TABLE: "patients", "Name": f"Pet {n}", "Species": "cat" if n % 2 else "dog", "Insured": "yes" if n % 2 else "no"}
    | {"Town": "Millbrook" if n % 3 else "Oakley"}
    | ({"Supplier": "Biovac"} if n % 4 else {})
    for n in range(24)
]


def treated(*messages: str) -> Meaning:
    known = observed_with_records(observed_with((), CONTRACT), observed_in([*VISITS, *ANIMALS, *STOCK]))
    clinic = TablesReader(SchemaReader.of(completed(Schema(), known, "clinic")))
    return clinic.understand(messages, date(2026, 11, 27)).meaning


def test_who_had_the_most_rows_is_counted_for_each() -> None:
    found = treated("which vet had the most appointments")
    assert (found.group, found.order, found.limit, found.unknown) == (("Vet",), Sort("*", True, "count"), 1, ())


def test_which_with_a_value_that_was_said_before_is_of_all_that_have_it() -> None:
    found = treated("surgeries over 25 euro", "only those not paid yet", "which surgeries were cancelled")
    assert (found.wanted["State"], found.bounds) == (("cancelled",), {})


def test_a_not_before_one_value_does_not_deny_the_place_behind_it() -> None:
    found = treated("cats not insured in Millbrook")
    assert (found.wanted["Insured"], found.wanted["Town"], found.unwanted) == ((False,), ("Millbrook",), {})


def test_those_without_a_value_are_no_group_of_it() -> None:
    found = treated("how many patients per supplier", "which has no supplier?")
    assert (found.group, found.bounds["Supplier"].present) == ((), False)
