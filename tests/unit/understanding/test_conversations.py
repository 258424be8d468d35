"""What messages mean after others, read by the packaged heads."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.documents.catalogue import DOCUMENTS, Aggregate, Sort
from cicada.documents.model import Scalar
from cicada.understanding.asking_back import another_name, chosen, completed
from cicada.understanding.meaning import Bounds
from cicada.understanding.plan import Shape
from cicada.understanding.schema_planner import SchemaReader
from tests.unit.understanding.planned import SCHEMA, planned
from tests.unit.understanding.test_meanings import understood
from tests.unit.understanding.workshop import NOW

LIST = "charters of Bakers or Rope Makers"
CHARTERS = ("charter",)
YEAR = Bounds(gte="2025-01-01", lt="2026-01-01")
GUILDS = ("Bakers", "Rope Makers")


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("and the lapsed ones?", {"kind": CHARTERS, "guild": GUILDS, "stage": ("lapsed",)}),
        ("only the secret ones", {"kind": CHARTERS, "guild": GUILDS, "is_secret": (True,)}),
        ("the same for ledgers", {"kind": ("ledger",), "guild": GUILDS}),
        ("and for Glass Works?", {"kind": CHARTERS, "guild": ("Glass Works",)}),
        ("no, I meant Glass Works", {"kind": CHARTERS, "guild": ("Glass Works",)}),
    ],
)
def test_conditions_are_kept_but_for_those_on_the_same_field(
    message: str, wanted: dict[str, tuple[Scalar, ...]]
) -> None:
    found = understood(LIST, message)
    assert (found.strategy, found.continues, found.meaning.wanted) == ("M", True, wanted)


def test_what_was_listed_is_counted_computed_with_and_sorted() -> None:
    kept = understood(LIST).meaning.wanted
    counted, computed, sorted_ = (
        understood(LIST, each).meaning for each in ("how many are there?", "and their average fee?", "sort them by fee")
    )
    assert counted.wanted == computed.wanted == sorted_.wanted == kept
    assert (counted.aggregates, computed.aggregates) == ((DOCUMENTS,), (Aggregate("avg", "fee"),))
    assert (sorted_.order, sorted_.aggregates) == (Sort("fee"), ())


def test_another_period_is_of_the_date_that_was_spoken_of() -> None:
    found = understood("charters expiring in 2026", "and in 2027?").meaning
    assert found.bounds == {"expiry_date": Bounds(gte="2027-01-01", lt="2028-01-01")}


def test_a_corrected_period_is_of_the_date_that_was_spoken_of_unless_another_is_named() -> None:
    year = Bounds(gte="2027-01-01", lt="2028-01-01")
    assert understood("charters expiring in 2026", "no, I meant 2027").meaning.bounds == {"expiry_date": year}
    assert understood("charters expiring in 2026", "and sealed in 2027?").meaning.bounds["sealed_on"] == year


def test_words_that_say_nothing_of_a_list_are_said_to_be_left_out() -> None:
    found = understood(LIST, "extra pay on nights").meaning
    assert (found.wanted, found.unknown) == (understood(LIST).meaning.wanted, ("extra pay on nights",))


@pytest.mark.parametrize(
    ("message", "days"),
    [
        ("only those before July", Bounds(gte="2025-01-01", lt="2025-07-01")),
        ("only those until December", YEAR),
        ("and in March?", Bounds(gte="2025-03-01", lt="2025-04-01")),
        ("and in 2027?", Bounds(gte="2027-01-01", lt="2028-01-01")),
    ],
)
def test_a_month_without_a_year_is_of_the_year_that_was_spoken_of(message: str, days: Bounds) -> None:
    assert understood("charters expiring in 2025", message).meaning.bounds == {"expiry_date": days}


@pytest.mark.parametrize(
    ("before", "message", "changed"),
    [
        ("charters with a fee over 100", "no, 200", {"bounds": {"fee": Bounds(gt=200)}}),
        ("charters with a fee between 100 and 500", "sorry, up to 900", {"bounds": {"fee": Bounds(gte=100, lte=900)}}),
        ("charters sealed in 2025", "no, expiring in 2025", {"bounds": {"expiry_date": YEAR}}),
        ("charters sealed in 2025", "scrap the date", {"bounds": {}}),
        (LIST, "no, without Bakers", {"wanted": {"kind": CHARTERS, "guild": ("Rope Makers",)}}),
        ("lapsed charters", "no, not those, the ledgers", {"wanted": {"stage": ("lapsed",), "kind": ("ledger",)}}),
        ("charters by fee, highest first", "no, the other way round", {"order": Sort("fee")}),
    ],
)
def test_a_correction_replaces_what_it_is_about(before: str, message: str, changed: dict[str, object]) -> None:
    found, earlier = understood(before, message).meaning, understood(before).meaning
    assert found == replace(earlier, **changed)


@pytest.mark.parametrize("message", ["who sealed it?", "is it lapsed?", "and when does it expire?"])
def test_it_is_the_document_that_was_named(message: str) -> None:
    found = understood("Open CH-0042", message)
    assert (found.strategy, found.continues, found.meaning.named) == ("M", True, ("CH-0042",))


def test_the_same_field_has_the_value_before() -> None:
    found = understood("charters of the Bakers", "and which letters does that guild have?")
    assert found.meaning.wanted == {"kind": ("letter",), "guild": ("Bakers",)}


def test_an_order_is_turned_however_politely() -> None:
    by_fee = ("charters of the Bakers", "and of Glass Works?", "sort them by fee, the highest first")
    assert understood(*by_fee, "the other way round please").meaning.order == Sort("fee", descending=False)


def test_after_a_question_on_texts_a_number_is_of_them_too() -> None:
    found = understood("who may sell bread at the harbour?", "and over 100,000?")
    assert (found.strategy, found.continues, found.meaning.restricted) == ("C", True, frozenset())


def test_what_lacks_its_object_speaks_of_what_was_listed() -> None:
    found = understood(LIST, "the newest of those?").meaning
    assert (found.wanted, found.order) == (understood(LIST).meaning.wanted, Sort("sealed_on", descending=True))


def test_a_reply_chooses_among_the_documents_of_one_description() -> None:
    found = understood("who keeps the charter?", "the Kestrel one", "and when does it expire?")
    assert (found.meaning.named, found.meaning.fields) == (("Kestrel charter",), ("expiry_date",))


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("what does the Kestrel charter say about bread?", "how many ledgers are there per guild?"),
        (LIST, "what does the Kestrel charter say about bread?"),
    ],
)
def test_what_names_all_that_it_wants_begins_anew(before: str, message: str) -> None:
    assert understood(before, message).meaning == understood(message).meaning


def test_a_subject_of_its_own_is_nothing_that_a_message_keeps() -> None:
    plan = planned("what happened at the fair in the rain?", "what was the main complaint there?")
    assert (plan.shape, plan.continues, plan.carried) == (Shape.CONTENT_ONLY, True, ())


def test_a_new_request_keeps_nothing() -> None:
    message = "list all letters of Glass Works"
    found = understood(LIST, message)
    assert not found.continues
    assert found.meaning == understood(message).meaning


@pytest.mark.parametrize("reply", ["the Bakers charter", "I mean CH-0042"])
def test_a_reply_completes_what_was_asked_back(reply: str) -> None:
    asked = "what does it say about bread?"
    found = understood(asked, reply)
    assert understood(asked).question.startswith('What does "it" stand for?')
    assert (found.completes, found.meaning.topic) == (asked, "bread")
    assert found.meaning.named == (reply.split(maxsplit=1 if reply.startswith("the") else 2)[-1],)


def test_a_request_is_no_reply() -> None:
    alone = understood("Which letters are lapsed?")
    assert replace(understood("what does it say?", alone.message), confidence=alone.confidence) == alone


@pytest.mark.parametrize(
    ("question", "reply", "whole"),
    [
        ("When does the lease end?", "the Kestrel Park one", "When does the Kestrel Park lease end?"),
        ("When does the lease end?", "Kestrel Park.", "When does the Kestrel Park lease end?"),
        ("When does the lease end?", "I mean the old lease", "When does the old lease end?"),
        ("When does it end?", "It's the lease", "When does the lease end?"),
        ("Which one?", "the lease", "Which one? the lease"),
        (r"Is it \1?", r"\g<0>", r"Is \g<0> \1?"),
    ],
)
def test_a_reply_takes_the_place_of_what_was_open(question: str, reply: str, whole: str) -> None:
    assert completed(question, reply) == whole


@pytest.mark.parametrize("reply", ["the ſecond one", "fırst", "0", "the 9th", "the last, please"])
def test_a_choice_is_in_plain_letters_and_among_what_was_shown(reply: str) -> None:
    assert chosen(reply, 3) == (2 if reply.startswith("the last") else None)


def test_a_value_beside_them_restricts_what_was_listed() -> None:
    found = understood(LIST, "which of them is lapsed?")
    assert (found.strategy, found.meaning.wanted) == ("M", {"kind": CHARTERS, "guild": GUILDS, "stage": ("lapsed",)})
    rest = understood(LIST, "which from them is not lapsed")
    assert (rest.strategy, rest.meaning.unwanted) == ("M", {"stage": ("lapsed",)})


@pytest.mark.parametrize(
    ("named", "message", "other"),
    [
        (("canteen contract",), "and the industrial cleaning one?", "industrial cleaning contract"),
        (("canteen contract",), "what about the lease", ""),
        (("CH-0042",), "and the other one?", ""),
        ((), "and the cleaning one?", ""),
    ],
)
def test_a_fragment_names_another_document_of_the_kind(named: tuple[str, ...], message: str, other: str) -> None:
    assert another_name(named, message) == other


def test_an_ordinal_is_one_of_what_was_listed_and_not_the_name_of_another() -> None:
    found = understood("charters, highest fee first", "who keeps the fourth?")
    assert (found.continues, found.meaning.named, found.meaning.fields) == (True, (), ("keeper",))
    assert found.meaning.wanted == {"kind": CHARTERS}


def test_another_month_is_the_latest_or_the_next_that_the_date_before_has() -> None:
    months = {"sealed_on": frozenset({"2025-10", "2026-05"}), "expiry_date": frozenset({"2026-10"})}
    known = {name: replace(each, months=months.get(name, frozenset())) for name, each in SCHEMA.fields.items()}
    reader = SchemaReader.of(replace(SCHEMA, fields=known))
    found = reader.understand(["how many charters were sealed this month?", "and in october?"], NOW).meaning
    assert found.bounds == {"sealed_on": Bounds(gte="2025-10-01", lt="2025-11-01")}
    found = reader.understand(["how many charters expire this month?", "and in october?"], NOW).meaning
    assert found.bounds == {"expiry_date": Bounds(gte="2026-10-01", lt="2026-11-01")}


def test_a_month_after_a_month_is_the_one_nearest_to_it() -> None:
    found = understood("how many charters were sealed in march 2025?", "and in april?")
    assert found.meaning.bounds == {"sealed_on": Bounds(gte="2025-04-01", lt="2025-05-01")}


def test_a_month_of_which_only_earlier_years_have_days_is_the_latest_of_these() -> None:
    months = frozenset({"2023-04", "2024-04", "2024-06"})
    fields = {**SCHEMA.fields, "sealed_on": replace(SCHEMA.fields["sealed_on"], months=months)}
    reader = SchemaReader.of(replace(SCHEMA, fields=fields))
    found = reader.understand(["how many charters were sealed in april?"], NOW).meaning
    assert found.bounds == {"sealed_on": Bounds(gte="2024-04-01", lt="2024-05-01")}


def test_the_whole_is_no_part_of_what_was_spoken_of_before() -> None:
    found = understood("charters of the Bakers guild", "what is the total fee of the whole archive?")
    assert (found.meaning.wanted, [each.field for each in found.meaning.aggregates]) == ({}, ["fee"])
