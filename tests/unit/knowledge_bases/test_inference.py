from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest
from msgspec.structs import replace

from cicada.documents.model import TABLE, MetadataValue
from cicada.knowledge_bases.inference import as_observed, completed, conflict_of, type_of
from cicada.knowledge_bases.observed_fields import (
    MAX_TABLES,
    MAX_VALUES,
    Observed,
    merged,
    observed_in,
    observed_with,
    observed_with_records,
)
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.table_names import table_field

Values = Mapping[str, MetadataValue]


def observed(*documents: Values) -> Observed:
    found: Observed = ()
    for each in documents:
        found = observed_with(found, each)
    return found


def field(*values: MetadataValue, name: str = "field") -> SchemaField:
    (found,) = completed(Schema(), observed(*({name: value} for value in values)), "minutes").fields.values()
    return found


@pytest.mark.parametrize(
    ("values", "type"),
    [
        (("12", "1,250", "-3.5"), FieldType.NUMBER),
        (("2024-03-04", "4 March 2024", "2024/3/4"), FieldType.DATE),
        (("yes", "no"), FieldType.BOOLEAN),
        ((("a", "b"), "c"), FieldType.KEYWORDS),
        (("007", "12"), FieldType.KEYWORD),
        (("12", "unknown"), FieldType.KEYWORD),
        (("2024-03-04", "12"), FieldType.KEYWORD),
    ],
)
def test_the_type_is_that_of_all_values(values: tuple[MetadataValue, ...], type: FieldType) -> None:
    assert field(*values).type == type


@pytest.mark.parametrize("name", ["case_number", "Id", "zip", "version"])
def test_the_digits_of_a_code_are_no_quantity(name: str) -> None:
    assert field("12", "13", name=name).type is FieldType.KEYWORD


@pytest.mark.parametrize(
    ("name", "values", "type"),
    [
        ("chair", ("Petra Lindqvist", "Omar Haddad"), FieldType.PERSON),
        ("approved by", ("Jean-Luc d'Arcy",), FieldType.PERSON),
        ("contact", ("Dr. Ines Moreau", "the office"), FieldType.KEYWORD),
        ("signed", ("Dr. Ines Moreau", "Mr. Omar Haddad"), FieldType.PERSON),
        ("region", ("North West", "South East"), FieldType.KEYWORD),
    ],
)
def test_persons_are_known_by_the_fields_name_and_the_form_of_its_values(
    name: str, values: tuple[str, ...], type: FieldType
) -> None:
    assert field(*values, name=name).type is type


def test_values_that_recur_are_known_and_texts_of_each_documents_own_are_not() -> None:
    standings = ["approved", "draft", "approved", "rejected"]
    assert field(*standings).values == ("approved", "draft", "rejected")
    assert field(*(f"A subject of its own, number {number}" for number in range(5))).values == ()
    assert field(*(f"v{number}" for number in range(MAX_VALUES + 1)), *["v1"] * 200).values == ()
    assert field("x" * 61, "x").values == ()


@pytest.mark.parametrize("character", ["x", '"', "\\", "\x01", "値"])
def test_a_value_counts_with_the_bytes_in_which_it_is_kept(character: str) -> None:
    size = len(msgspec.json.encode(character)) - 2
    kept, too_long = character * (48 // size), character * (48 // size + 1)
    assert field(kept, kept).values == (kept,)
    assert field(too_long, too_long).values == ()


def test_a_value_of_a_document_that_is_gone_is_forgotten_unless_two_others_have_it() -> None:
    gone: Values = {"room": "Hall A"}
    assert observed_with(observed(gone, gone), {}, gone)[0].values == {}
    assert observed_with(observed(gone, gone, gone), {}, gone)[0].values == {"Hall A": 2}


def test_a_field_is_one_whatever_its_case() -> None:
    found = observed({"Case_No": "A"}, {"case no": "B"})
    assert [(each.name, tuple(each.values)) for each in found] == [("Case_No", ("A", "B"))]
    assert as_observed({"case no": "B"}, Schema(), found) == {"Case_No": "B"}


def test_values_are_kept_in_the_type_of_their_field() -> None:
    found = observed({"budget": "1,250", "day": "4 March 2024", "open": "yes", "tags": ("a",), "room": "5", "x": "1"})
    found = merged([found, observed({"room": "Hall A", "tags": "b"})])
    given: Values = {"budget": "1,250", "day": "4 March 2024", "open": "yes", "tags": "b", "room": "5", "x": "1"}
    declared = Schema({"x": SchemaField("x", FieldType.KEYWORD)})
    assert as_observed(given, declared, found) == {
        "budget": 1250.0,
        "day": "2024-03-04",
        "open": True,
        "tags": ("b",),
        "room": "5",
        "x": "1",
    }


def test_types_that_conflict_are_text_and_that_is_said() -> None:
    found = observed({"budget": "12", "tags": "a"}, {"budget": "unknown", "tags": ("b",)})
    said = [conflict_of(each) for each in found]
    assert said == ["Values of 'budget' look like number and text, so all are taken as text.", ""]


@pytest.mark.parametrize(
    ("table", "column", "type"),
    [
        ("plots", "Plot", FieldType.KEYWORD),
        ("allotments 2026 › Plots", "plot", FieldType.KEYWORD),
        ("visitors", "Visitors", FieldType.NUMBER),
        ("scores", "Score", FieldType.NUMBER),
        ("prices", "Price", FieldType.NUMBER),
    ],
)
def test_the_numbers_by_which_the_rows_are_called_are_no_quantities(table: str, column: str, type: FieldType) -> None:
    rows = observed_in([{TABLE: table, column: number} for number in (1.0, 2.0, 3.0)])
    assert next(type_of(each) for each in rows if each.name == column) is type


def test_the_rows_of_tables_say_the_type_where_most_values_are_theirs() -> None:
    rows = [{TABLE: "bookings", "From": day} for day in ("2026-05-02", "2026-05-09")]
    (found,) = (each for each in merged([observed({"from": "Mrs Kent"}), observed_in(rows)]) if each.name != TABLE)
    assert type_of(found) is FieldType.DATE
    assert conflict_of(found).endswith("As those of rows are dates, others stay texts that no condition finds.")
    letters = observed({"from": "Mrs Kent"}, {"from": "Mr Lee"})
    (found,) = (each for each in merged([letters, (found,)]) if each.name != TABLE)
    assert type_of(found) is FieldType.KEYWORD


def test_what_every_document_has_is_no_field() -> None:
    assert observed({"title": "t", "readers": "r", "*": "x", "language": "en", "episode_id": "e", "empty": ""}) == ()


def test_what_is_declared_of_a_field_stands_and_the_rest_is_inferred() -> None:
    declared = Schema(
        {
            "Standing": SchemaField(
                "Standing", FieldType.KEYWORD, synonyms={"approved": ("in force",)}, shown=True, inferred=True
            ),
            "budget": SchemaField("budget", FieldType.KEYWORD),
        }
    )
    documents = [{"standing": "approved", "budget": "12", "date": "2024-01-01"}, {"standing": "draft"}]
    found = completed(declared, observed(*documents), "minutes")
    standing = found.fields["standing"]
    assert (standing.values, standing.synonyms, standing.shown) == (
        ("approved", "draft"),
        {"approved": ("in force",)},
        True,
    )
    assert found.fields["budget"] == SchemaField("budget", FieldType.KEYWORD)
    assert (list(found.fields), found.date) == (["standing", "budget", "date"], "date")


def test_a_record_is_called_as_its_base_until_something_else_is_declared() -> None:
    found = observed({"room": "Hall A"})
    words = Schema({"room": SchemaField("room", FieldType.KEYWORD, words=("place",), inferred=True)})
    for declared in (Schema(), words):
        assert completed(declared, found, "minutes").items == ("minutes",)
    assert completed(Schema(items=("protocol",)), found, "minutes").items == ("protocol",)
    assert completed(Schema(), (), "minutes") == Schema()


def test_the_first_short_fields_are_shown_where_nothing_is_declared_to_be() -> None:
    numbers = {f"f{number}": str(number) for number in range(6)}
    found = observed({"tags": ("a",), "story": "x" * 61, **numbers})
    fields = completed(Schema(), found, "minutes").fields.values()
    assert [each.name for each in fields if each.shown] == ["f0", "f1", "f2", "f3", "f4"]
    declared = Schema({"room": SchemaField("room", FieldType.KEYWORD, shown=True)})
    assert [each.name for each in completed(declared, found, "minutes").fields.values() if each.shown] == ["room"]


def test_what_is_set_of_an_inferred_field_does_not_hide_it() -> None:
    declared = Schema({"state": SchemaField("state", FieldType.KEYWORD, synonyms={"due": ("open",)}, inferred=True)})
    fields = completed(declared, observed({"state": "due", "cost": "1"}), "minutes").fields.values()
    assert [each.name for each in fields if each.shown] == ["state", "cost"]


def test_a_date_or_an_order_by_a_field_that_is_none_is_left_out() -> None:
    declared = Schema(date="room")
    assert completed(declared, observed({"room": "Hall A"}), "minutes").date is None


def test_the_records_of_a_table_are_observed_as_documents_are() -> None:
    records = [{"status": state, "hours": "7"} for state in ("open", "shut", "open")]
    assert observed_in(records) == observed(*records)


@pytest.mark.parametrize(
    ("table", "nouns"),
    [
        ("deliveries", ("deliveries",)),
        ("supplier_invoices 2026-Q3", ("supplier invoices", "invoices")),
        ("export › Customer list", ("customer",)),
        ("tickets › Sheet1", ("tickets",)),
        ("rehearsals Snow White", ("rehearsals snow white", "rehearsals")),
        ("Übersicht Verträge", ("verträge",)),
        ("data › Tabelle1", None),
    ],
)
def test_the_rows_of_a_table_are_called_by_its_name(table: str, nouns: tuple[str, ...] | None) -> None:
    found = completed(Schema(), observed_in([{TABLE: table, "status": "open"}]), "minutes").fields[TABLE]
    assert (found.synonyms.get(table), found.values) == (nouns, (table,) if nouns else ())
    assert not found.shown


def test_a_table_that_changes_or_goes_takes_with_it_what_it_had() -> None:
    before = observed_in({"status": state, "owner": "Ann"} for state in ("open", "shut"))
    now = observed_in([{"status": "open"}])
    known = observed_with_records(observed({"status": "binding"}), before)
    changed = observed_with_records(known, now, before)
    assert {each.name: dict(each.values) for each in changed} == {"status": {"binding": 1, "open": 1}}
    assert observed_with_records(changed, now, now) == changed
    assert observed_with_records(changed, (), now) == observed({"status": "binding"})


def test_a_table_that_is_ingested_again_brings_back_what_was_forgotten() -> None:
    table = observed_in([{"status": "open"}])
    assert observed_with_records((), table, table) == table


def columns(tables: int, of: str = "table {}") -> Observed:
    found: Observed = ()
    for number in range(tables):
        found = observed_with_records(found, observed_in([{TABLE: of.format(number), "name": f"Row {number}"}]))
    return found


def test_a_column_is_of_the_tables_that_have_it_and_of_any_where_they_are_many() -> None:
    few, many = (completed(Schema(), columns(each), "club").fields["name"].tables for each in (2, MAX_TABLES + 1))
    assert (few, many) == (frozenset({"table 0", "table 1"}), frozenset())


@pytest.mark.parametrize("name", ["table {}", "{:03}" + "表" * 19, "表" * 100 + "{}", "{}" + "\x01" * 500])
def test_what_is_counted_of_tables_leaves_room_in_the_row_of_a_base(name: str) -> None:
    # A base has MAX_FIELDS columns, and an item of DynamoDB 400 KB for them, their values and the settings.
    assert max(len(msgspec.json.encode(columns(each, name)[0].tables)) for each in (MAX_TABLES, 60)) < 2_000


@pytest.mark.parametrize(("table", "nouns"), [("stock", ("stock",)), ("loan register 2026", ("loan",)), ("data", ())])
def test_a_word_for_a_collection_calls_the_rows_only_where_a_table_has_no_other_name(
    table: str, nouns: tuple[str, ...]
) -> None:
    assert table_field([table]).synonyms.get(table, ()) == nouns


def test_the_months_of_a_columns_days_are_known() -> None:
    known = observed_in([{"Due": "2026-12-01"}, {"Due": "2026-12-24"}, {"Due": "2027-01-05"}])
    assert completed(Schema(), known, "desk").fields["Due"].months == {"2026-12", "2027-01"}
    counted_without_months = tuple(replace(each, documents=9) for each in known)
    assert completed(Schema(), counted_without_months, "desk").fields["Due"].months == frozenset()
