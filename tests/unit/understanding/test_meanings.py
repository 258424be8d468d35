"""What single messages mean, read by the packaged heads."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from cicada.documents.catalogue import DOCUMENTS, Aggregate, Sort
from cicada.documents.model import KnowledgeBaseKey, Scalar
from cicada.knowledge_bases.file import load_knowledge_bases
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField, StandingRule
from cicada.understanding.meaning import Bounds, Meaning
from cicada.understanding.schema_planner import SchemaReader
from cicada.understanding.understood import Understood
from tests.unit.understanding.planned import SCHEMA
from tests.unit.understanding.workshop import NOW

READER = SchemaReader.of(SCHEMA)


def understood(*messages: str, asker: str = "") -> Understood:
    return READER.understand(messages, NOW, asker)


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("charters of the Bakers guild", {"kind": ("charter",), "guild": ("Bakers",)}),
        ("list all statutes in use", {"kind": ("charter",), "stage": ("ratified",)}),
        ("letters kept by Will Tanner", {"kind": ("letter",), "keeper": ("Will Tanner",)}),
        ("charters of Bakers or Rope Makers", {"kind": ("charter",), "guild": ("Bakers", "Rope Makers")}),
        ("sketch or lapsed reports", {"stage": ("sketch", "lapsed"), "kind": ("report",)}),
        ("secret letters", {"is_secret": (True,), "kind": ("letter",)}),
        ("letters that are not secret", {"kind": ("letter",), "is_secret": (False,)}),
        ("all non-secret letters", {"kind": ("letter",), "is_secret": (False,)}),
    ],
)
def test_values_are_conditions(message: str, wanted: dict[str, Sequence[Scalar]]) -> None:
    found = understood(message)
    assert (found.strategy, found.meaning.wanted, found.meaning.unwanted) == ("M", wanted, {})


@pytest.mark.parametrize(
    ("message", "unwanted"),
    [
        ("show ledgers that are not lapsed", {"stage": ("lapsed",)}),
        ("charters that are not of the Bakers", {"guild": ("Bakers",)}),
        ("all documents except letters", {"kind": ("letter",)}),
        ("neither letters nor reports", {"kind": ("letter", "report")}),
        ("letters tagged tolls but not flour", {"tags": ("flour",)}),
        ("letters that dont belong to Will Tanner", {"keeper": ("Will Tanner",)}),
        ("letters that Will Tanner doesn't keep", {"keeper": ("Will Tanner",)}),
        ("all charters, leave out anything with stage lapsed", {"stage": ("lapsed",)}),
    ],
)
def test_what_is_negated_is_unwanted(message: str, unwanted: dict[str, Sequence[Scalar]]) -> None:
    assert understood(message).meaning.unwanted == unwanted


@pytest.mark.parametrize(
    ("message", "conditions"),
    [
        ("ledgers tagged both flour and tolls", 3),
        ("reports with flour and tolls", 3),
        ("reports tagged flour or tolls", 2),
    ],
)
def test_tags_that_are_joined_by_and_are_all_wanted(message: str, conditions: int) -> None:
    meaning = understood(message).meaning
    assert meaning.wanted["tags"] == ("flour", "tolls")
    assert len(meaning.conditions()) == conditions


def test_a_word_that_no_field_explains_is_searched_for_rather_than_left_out_of_a_list() -> None:
    found = understood("list charters snorfled")
    assert (found.strategy, found.meaning.topic) == ("H", "snorfled")


def test_a_tag_beside_the_topic_is_a_part_of_it_unless_tags_are_spoken_of() -> None:
    assert understood("charters about flour mills on rivers").meaning.topic == "flour mills on rivers"
    assert understood("charters tagged flour about mills").meaning.wanted["tags"] == ("flour",)


def test_a_common_word_before_a_rare_one_is_a_part_of_the_name_and_before_a_kind_it_is_none() -> None:
    assert understood("when was the warehouse ditty sealed?").meaning.named == ("warehouse ditty",)
    assert understood("the usual report please").meaning.named == ()


def test_a_field_is_asked_of_one_document_whatever_words_describe_it() -> None:
    found = understood("who is the keeper of the usual price document?")
    assert (found.single, found.meaning.named, found.meaning.fields) == (True, ("usual price document",), ("keeper",))


def test_what_is_asked_of_a_named_document_is_searched_for_in_it() -> None:
    found = understood("how many days of notice does the Marsh Road charter give?")
    assert (found.strategy, found.meaning.named) == ("H", ("Marsh Road charter",))
    assert "days of notice" in found.meaning.topic


def test_what_is_asked_of_a_named_document_restricts_no_others() -> None:
    found = understood("Under the Rope Makers charter, what may Ada Brook sell at the harbour?")
    assert (found.meaning.named, found.meaning.restricted) == (("Rope Makers charter",), frozenset())


def test_a_document_beside_those_that_are_listed_is_none_of_them() -> None:
    meaning = understood("for the flour record: list all letters tagged tolls").meaning
    assert (meaning.named, meaning.wanted["tags"]) == ((), ("tolls",))


def test_a_document_is_named_with_the_value_of_its_kind() -> None:
    assert understood("who keeps the Kestrel statute?").meaning.named == ("Kestrel charter",)


def test_a_question_with_a_subject_is_searched_for_and_lists_nothing() -> None:
    assert understood("how long are the granary papers stored?").strategy in ("C", "H")


def test_what_a_document_is_for_names_it() -> None:
    found = understood("what is the penalty for late delivery in the charter for the zeppelin?")
    assert (found.strategy, found.meaning.named) == ("H", ("zeppelin charter",))


@pytest.mark.parametrize(
    ("message", "field", "bounds"),
    [
        ("reports with a fee above 1,500", "fee", Bounds(gt=1500)),
        ("charters with a fee of at most 50", "fee", Bounds(lte=50)),
        ("charters with a fee between 100 and 200", "fee", Bounds(gte=100, lte=200)),
        ("reports with a fee below 2 million", "fee", Bounds(lt=2_000_000)),
        ("ledgers without a fee", "fee", Bounds(present=False)),
        ("charters sealed in 2024", "sealed_on", Bounds(gte="2024-01-01", lt="2025-01-01")),
        ("letters sealed before 2023", "sealed_on", Bounds(lt="2023-01-01")),
        ("letters expiring in 2027", "expiry_date", Bounds(gte="2027-01-01", lt="2028-01-01")),
        ("charters expiring within 90 days", "expiry_date", Bounds(gte="2026-05-20", lt="2026-08-19")),
    ],
)
def test_numbers_and_periods_are_bounds_of_the_field_that_is_named(message: str, field: str, bounds: Bounds) -> None:
    assert understood(message).meaning.bounds == {field: bounds}


def test_of_two_periods_the_second_is_joined_if_it_follows_the_first_and_else_left_out() -> None:
    joined, apart = understood("charters sealed in March or April 2025"), understood("charters sealed in 2023 or 2025")
    assert joined.meaning.bounds == {"sealed_on": Bounds(gte="2025-03-01", lt="2025-05-01")}
    assert apart.meaning.bounds == {"sealed_on": Bounds(gte="2023-01-01", lt="2024-01-01")}
    assert apart.meaning.unknown == ("2025",)


def test_who_tells_much_is_not_asked_back_for_that_with_which_something_is_done() -> None:
    assert understood("I lost the key stick that I log in with. What must I do?").strategy == "C"
    assert understood("Does it still apply?").strategy == "A"


@pytest.mark.parametrize(
    ("message", "order"),
    [
        ("List the fees in descending order.", Sort("fee", descending=True)),
        ("the fees of the charters, ascending", Sort("fee")),
        ("keepers in alphabetical order", Sort("keeper")),
    ],
)
def test_a_direction_without_a_field_sorts_by_the_one_that_is_shown(message: str, order: Sort) -> None:
    assert understood(message).meaning.order == order
    assert understood("what are the fees of the charters?", "in descending order").meaning.order == Sort("fee", True)


def test_a_year_restricts_the_field_of_years_rather_than_days() -> None:
    fields = {
        "name": SchemaField("name", FieldType.KEYWORD),
        "opened": SchemaField("opened", FieldType.DATE),
        "year": SchemaField("year", FieldType.NUMBER),
    }
    reader = SchemaReader.of(Schema(fields=fields, date="opened", items=("fair",)))
    found = reader.understand(["how many fairs were there in 2013 or 2016?"], NOW)
    assert (found.meaning.wanted, found.meaning.bounds) == ({"year": (2013, 2016)}, {})
    opened = reader.understand(["fairs opened before 2016"], NOW).meaning
    assert (opened.wanted, opened.bounds) == ({}, {"opened": Bounds(lt="2016-01-01")})


@pytest.mark.parametrize("message", ["Which makers are about Glasmere?", "makers that mention Glasmere"])
def test_a_name_that_records_are_about_is_searched_for(message: str) -> None:
    fields = {"name": SchemaField("name", FieldType.KEYWORD), "partner": SchemaField("partner", FieldType.KEYWORD)}
    meaning = SchemaReader.of(Schema(fields=fields, items=("maker",))).understand([message], NOW).meaning
    assert (meaning.topic, meaning.restricted) == ("Glasmere", frozenset())


def test_a_name_that_is_denied_is_unwanted_and_a_part_of_a_name_that_is_denied_is_left_out() -> None:
    fields = {"name": SchemaField("name", FieldType.KEYWORD), "nation": SchemaField("nation", FieldType.KEYWORD)}
    reader = SchemaReader.of(Schema(fields=fields, items=("maker",)))
    denied = reader.understand(['names of the makers whose nation is not "USA"'], NOW).meaning
    part = reader.understand(['makers whose name does not contain "Bob"'], NOW).meaning
    assert (denied.unwanted, denied.bounds) == ({"nation": ("USA",)}, {})
    assert (part.unwanted, part.bounds, part.unknown) == ({}, {}, ("not Bob",))


@pytest.mark.parametrize(
    ("message", "aggregate", "group"),
    [
        ("how many letters are there", DOCUMENTS, ()),
        ("how many charters per guild", DOCUMENTS, ("guild",)),
        ("number of documents per stage", DOCUMENTS, ("stage",)),
        ("what is the total fee of the charters", Aggregate("sum", "fee"), ()),
        ("average fee per guild", Aggregate("avg", "fee"), ("guild",)),
        ("lowest fee of the charters", Aggregate("min", "fee"), ()),
    ],
)
def test_numbers_are_asked_for_of_all_or_of_groups(message: str, aggregate: Aggregate, group: tuple[str, ...]) -> None:
    meaning = understood(message).meaning
    assert (meaning.aggregates, meaning.group, meaning.order) == ((aggregate,), group, None)


@pytest.mark.parametrize(
    ("message", "order", "limit"),
    [
        ("which charter has the highest fee", Sort("fee", descending=True), 1),
        ("the 3 cheapest ledgers", Sort("fee"), 3),
        ("top 5 charters by fee", Sort("fee", descending=True), 5),
        ("newest 3 letters", Sort("sealed_on", descending=True), 3),
        ("the latest report", Sort("sealed_on", descending=True), 1),
        ("ledgers sorted by fee", Sort("fee"), None),
        ("list charters by fee descending", Sort("fee", descending=True), None),
        ("which guild has the most charters", Sort("*", descending=True, of="count"), 1),
        ("which keeper has the fewest ledgers", Sort("*", of="count"), 1),
    ],
)
def test_extremes_and_orders(message: str, order: Sort, limit: int | None) -> None:
    meaning = understood(message).meaning
    assert (meaning.order, meaning.limit, meaning.aggregates) == (order, limit, ())


SHOW = SchemaReader.of(
    Schema(
        {
            "name": SchemaField("name", FieldType.KEYWORD, ("Rye Loaf", "Oat Cake")),
            "baker": SchemaField("baker", FieldType.PERSON),
            "judge": SchemaField("judge", FieldType.PERSON),
            "entered_on": SchemaField("entered_on", FieldType.DATE),
            "eaten_by": SchemaField("eaten_by", FieldType.DATE),
            "age": SchemaField("age", FieldType.NUMBER),
            "entry_fee": SchemaField("entry_fee", FieldType.NUMBER),
            "weight": SchemaField("weight", FieldType.NUMBER),
            "crumb": SchemaField("crumb", FieldType.KEYWORD, ("dense", "open")),
        },
        items=("bread", "breads"),
    )
)


def shown(*messages: str) -> Meaning:
    return SHOW.understand(messages, NOW).meaning


def test_the_conditions_of_a_series_are_on_one_field() -> None:
    ((_, names),) = shown("breads judged by Grete Haas or by Samuel Pinto").wanted.items()
    assert names == ("Grete Haas", "Samuel Pinto")
    assert shown("bakers aged from 18 to 25").bounds == {"age": Bounds(gte=18, lte=25)}


def test_each_number_is_computed_as_is_said_right_before_it() -> None:
    found = shown("total weight and maximum entry fee").aggregates
    assert found == (Aggregate("sum", "weight"), Aggregate("max", "entry_fee"))
    both = shown("What are the minimum and maximum weight?").aggregates
    assert set(both) == {Aggregate("min", "weight"), Aggregate("max", "weight")}


def test_an_extreme_needs_a_word_that_says_so() -> None:
    store = SchemaReader.of(load_knowledge_bases().of(KnowledgeBaseKey("default", "store")).schema)
    found = store.understand(["What is the value of the isolator contract?"], NOW).meaning
    assert (found.fields, found.aggregates, found.named) == (("value",), (), ("isolator contract",))


def test_a_number_for_groups_is_added_up() -> None:
    found = shown("weight of the breads for each crumb")
    assert (found.aggregates, found.group, found.fields) == ((Aggregate("sum", "weight"),), ("crumb",), ("crumb",))


def test_a_value_of_a_field_of_names_is_the_record_itself() -> None:
    found = shown("Give the weight of the Rye Loaf bread.")
    assert (found.wanted, found.named, found.fields) == ({"name": ("Rye Loaf",)}, (), ("weight",))


def test_what_has_words_of_its_own_is_searched_for_and_not_asked_back() -> None:
    assert understood("extra pay on nights").strategy == "C"
    assert understood("does it still apply?").strategy == "A"


def test_a_document_is_named_by_its_number() -> None:
    found = understood("What is the fee of CH-0042?")
    assert (found.strategy, found.meaning.named, found.meaning.fields) == ("M", ("CH-0042",), ("fee",))


@pytest.mark.parametrize("verb", ["Summarise", "Summarize", "Explain", "Unravel"])
@pytest.mark.parametrize("number", ["WI-0123", "SOP-QA-003"])
def test_what_is_asked_of_a_document_by_its_number_is_answered_from_its_text(verb: str, number: str) -> None:
    found = understood(f"{verb} {number}")
    assert found.strategy in ("C", "H")
    assert (found.meaning.named, found.meaning.restricted) == ((number,), frozenset())


def test_a_documents_number_alone_shows_it() -> None:
    found = understood("WI-0123")
    assert (found.strategy, found.meaning.named) == ("M", ("WI-0123",))


def test_a_definite_phrase_names_a_document_or_its_kind_alone() -> None:
    named = understood("what does the Kestrel charter say about bread?")
    assert (named.strategy, named.meaning.named, named.meaning.topic) == ("H", ("Kestrel charter",), "bread")
    kind = understood("What does the charter say about bread?")
    assert (kind.single, kind.meaning.named, kind.meaning.wanted) == (True, (), {"kind": ("charter",)})
    assert not understood("what do the ratified charters say about bread?").single


def test_my_documents_are_the_askers_if_the_name_is_known() -> None:
    for message in ("Which reports are mine?", "show my lapsed charters"):
        assert understood(message, asker="Ada Brook").meaning.wanted["keeper"] == ("Ada Brook",)
    unknown = understood("Which reports are mine?")
    assert (unknown.strategy, unknown.question.startswith("Whose documents")) == ("A", True)


@pytest.mark.parametrize(
    ("message", "descending"), [("which is the oldest letter we have?", False), ("the newest letter", True)]
)
def test_what_is_old_is_of_an_early_date(message: str, descending: bool) -> None:
    assert understood(message).meaning.order == Sort("sealed_on", descending)


@pytest.mark.parametrize(
    ("message", "order", "limit"),
    [
        ("which charters expire next?", Sort("expiry_date"), None),
        ("which of the charters expires first?", Sort("expiry_date"), 1),
        ("of all charters, which one expires first?", Sort("expiry_date"), 1),
        ("which charters do we have, newest first?", Sort("sealed_on", descending=True), None),
    ],
)
def test_the_nearest_in_time_are_several_where_several_are_asked_for(
    message: str, order: Sort, limit: int | None
) -> None:
    meaning = understood(message).meaning
    assert (meaning.order, meaning.limit) == (order, limit)


@pytest.mark.parametrize(
    ("message", "descending", "bounds"),
    [
        ("which charter expires first?", False, {}),
        ("which charter expires next?", False, {"expiry_date": Bounds(gte="2026-05-20")}),
        ("which charter expires last?", True, {}),
    ],
)
def test_the_nearest_in_time_is_one(message: str, descending: bool, bounds: dict[str, Bounds]) -> None:
    meaning = understood(message).meaning
    assert (meaning.order, meaning.limit, meaning.bounds) == (Sort("expiry_date", descending), 1, bounds)


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ('who keeps the charter "Bread and Salt"?', "Bread and Salt"),
        ("Is the Harbour Survey 2025 secret?", "Harbour Survey 2025"),
    ],
)
def test_a_document_is_named_by_its_title(message: str, named: str) -> None:
    meaning = understood(message).meaning
    assert (meaning.named, meaning.bounds) == ((named,), {})


@pytest.mark.parametrize(
    ("message", "meaning"),
    [
        ("what has replaced CH-0042?", Meaning(wanted={"tags": ("CH-0042",)})),
        ("CH-0042 was superseded by what?", Meaning(wanted={"tags": ("CH-0042",)})),
        ("what did CH-0042 replace?", Meaning(named=("CH-0042",), fields=("tags",))),
    ],
)
def test_what_replaced_a_document_names_it(message: str, meaning: Meaning) -> None:
    rule = StandingRule("stage", ("ratified",), replaces="tags")
    assert SchemaReader.of(replace(SCHEMA, in_force=rule)).understand((message,), NOW).meaning == meaning


@pytest.mark.parametrize("message", ["Is the Harbour Survey still in force?", "has our harbour survey been withdrawn"])
def test_whether_a_document_is_in_force_asks_for_the_field_that_says_so(message: str) -> None:
    reader = SchemaReader.of(replace(SCHEMA, in_force=StandingRule("stage", ("ratified",))))
    found = reader.understand((message,), NOW)
    assert (found.meaning.named[0].lower(), found.meaning.fields, found.strategy) == ("harbour survey", ("stage",), "M")
    found = reader.understand(("Is the Harbour Survey 2025 secret?", "is it still valid?"), NOW)
    assert (found.meaning.named, found.meaning.fields) == (("Harbour Survey 2025",), ("stage",))


def test_what_a_list_would_leave_out_is_searched_for() -> None:
    assert understood("How many days of notice does the miller have to give?").strategy == "C"
    assert understood("a tolls collector brought us geese, may we keep and roast those?").meaning.restricted == set()


def test_a_number_beside_its_field_is_a_condition() -> None:
    assert understood("list all charters with a fee of 0").meaning.wanted["fee"] == (0,)


def test_all_of_the_bases_own_are_listed() -> None:
    assert understood("List all lapsed charters").strategy == "M"


def test_what_names_nothing_lists_not_everything() -> None:
    assert understood("next page").strategy == "A"
    assert understood("list all documents").strategy == "M"


@pytest.mark.parametrize(
    ("message", "unknown"),
    [
        ("How many records with colour red are there?", ("colour red",)),
        ("Show the records whose stage is melted", ("stage is melted",)),
        ("Wie viele records mit Siegel rot gibt es?", ("Siegel",)),
        ("How many records with the highest fee?", ()),
        ("How many records with stage ratified?", ()),
        ("How many records without a fee?", ()),
    ],
)
def test_what_looks_like_a_condition_and_no_field_takes_is_said(message: str, unknown: tuple[str, ...]) -> None:
    assert understood(message).meaning.unknown == unknown


@pytest.mark.parametrize("verb", ["laufen 2027 aus", "laufen 2027 ab", "enden 2027"])
def test_a_german_verb_in_two_parts_names_the_field(verb: str) -> None:
    meaning = understood(f"Wie viele charters {verb}?").meaning
    assert meaning.bounds == {"expiry_date": Bounds(gte="2027-01-01", lt="2028-01-01")}
    assert meaning.wanted == {"kind": ("charter",)}


def test_what_has_a_subject_is_searched_for_where_a_list_is_a_guess_and_no_documents_are_named() -> None:
    assert understood("What does an additional Tunbridge oven cost per year?").strategy in ("C", "H")


@pytest.mark.parametrize("before", ["How is a bell cast?", "How many charters are lapsed?"])
def test_what_asks_a_field_of_a_thing_is_of_that_thing_whatever_was_asked_before(before: str) -> None:
    found = understood(before, "When does the lease expire?")
    assert (found.single, found.meaning.named, found.continues) == (True, ("lease",), False)


def test_a_reply_names_the_one_that_was_asked_for() -> None:
    asked = ("When does the lease expire?", "the Kestrel Park one")
    assert understood(*asked).meaning.named == ("Kestrel Park lease",)
    assert understood(asked[0], "the newest one").meaning.named != ("newest lease",)


def test_a_whole_question_after_documents_about_a_subject_is_of_all_documents() -> None:
    about = "Which records mention Glasmere?"
    assert not understood(about, "What is the shelf life of the drops?").continues
    assert understood(about, "what about Lacrima?").continues


def test_what_has_a_name_in_a_field_is_a_record_of_that_name_and_no_document() -> None:
    fields = [
        SchemaField("name", FieldType.KEYWORD),
        SchemaField("wearer", FieldType.PERSON, ("Ada Brook", "Will Tanner")),
        SchemaField("size", FieldType.KEYWORD, ("S", "M", "L")),
    ]
    reader = SchemaReader.of(Schema({each.name: each for each in fields}, items=("costume",)))
    of_one = reader.understand(["size of the green doublet"], NOW).meaning
    assert (of_one.wanted, of_one.fields, of_one.named) == ({"name": ("green doublet",)}, ("size",), ())
    assert understood("who keeps the mill charter?").meaning.named == ("mill charter",)


@pytest.mark.parametrize(
    ("message", "group"),
    [
        ("charters sealed per year", ("sealed_on@year",)),
        ("how many letters expire each month?", ("expiry_date@month",)),
        ("ledgers of the Bakers by quarter", ("sealed_on@quarter",)),
        ("number of letters per guild per year", ("guild", "sealed_on@year")),
    ],
)
def test_documents_are_counted_for_each_period_that_is_asked_for(message: str, group: tuple[str, ...]) -> None:
    found = understood(message)
    assert (found.strategy, found.meaning.group, found.meaning.aggregates) == ("M", group, (DOCUMENTS,))


def test_sums_are_of_each_period_and_the_one_with_the_most_may_be_asked_for() -> None:
    summed = understood("total fee of the charters per year").meaning
    assert (summed.group, summed.aggregates) == (("sealed_on@year",), (Aggregate("sum", "fee"),))
    most = understood("in which month were the most charters sealed?").meaning
    assert (most.group, most.order, most.limit) == (
        ("sealed_on@month",),
        Sort("*", descending=True, of="count"),
        1,
    )
    followed = understood("how many charters are there?", "and per year?").meaning
    assert (followed.group, followed.wanted) == (("sealed_on@year",), {"kind": ("charter",)})


@pytest.mark.parametrize(
    "message", ["what may a baker spend per year?", "charters sorted by year", "charters of this year"]
)
def test_a_period_that_is_not_of_documents_groups_nothing(message: str) -> None:
    assert understood(message).meaning.group == ()


@pytest.mark.parametrize(
    ("message", "order", "limit"),
    [
        ("the last three charters", Sort("sealed_on", descending=True), 3),
        ("last ledger of the Bakers", Sort("sealed_on", descending=True), 1),
        ("the first letter of Will Tanner", Sort("sealed_on"), 1),
        ("last letter that expired", Sort("expiry_date", descending=True), 1),
        ("letters of last year", None, None),
    ],
)
def test_the_last_records_are_those_of_the_latest_days(message: str, order: Sort | None, limit: int | None) -> None:
    found = understood(message)
    assert (found.strategy, found.meaning.order, found.meaning.limit) == ("M", order, limit)


def test_behind_a_but_after_a_not_nothing_is_denied() -> None:
    found = understood("letters that are not secret but ratified").meaning
    assert found.wanted == {"kind": ("letter",), "is_secret": (False,), "stage": ("ratified",)}
    assert understood("all letters but the lapsed ones").meaning.unwanted == {"stage": ("lapsed",)}


def test_a_superlative_is_no_form_of_a_value() -> None:
    fields = [
        SchemaField("kind", FieldType.KEYWORD, ("evening", "loan")),
        SchemaField("priority", FieldType.KEYWORD, ("high", "low")),
        SchemaField("topic", FieldType.KEYWORDS, ("comet", "moon")),
        SchemaField("takings", FieldType.NUMBER),
    ]
    reader = SchemaReader.of(Schema({each.name: each for each in fields}))
    found = reader.understand(["sort the evenings by takings, highest first"], NOW).meaning
    assert (found.order, found.topic, found.wanted) == (Sort("takings", descending=True), "", {"kind": ("evening",)})
    assert reader.understand(["loans that come back"], NOW).meaning.wanted == {"kind": ("loan",)}


def of_observatory(*messages: str) -> Meaning:
    """What messages mean to a base whose documents have several dates, of which `date` is that of the schema."""
    values = {"kind": ("loan", "log", "instrument", "list"), "state": ("returned", "overdue", "open")}
    fields = [SchemaField(name, FieldType.KEYWORD, each) for name, each in values.items()]
    fields += [SchemaField("tags", FieldType.KEYWORDS, ("meteors", "comets", "visitors"))]
    fields += [SchemaField(name, FieldType.NUMBER) for name in ("visitors", "cost_eur", "value_eur")]
    dates = ("date", "reviewed", "applied", "ends", "acquired", "lent", "due", "returned", "closed")
    fields += [SchemaField(name, FieldType.DATE) for name in dates]
    reader = SchemaReader.of(Schema({each.name: each for each in fields}, date="date"))
    return reader.understand(messages, NOW).meaning


def test_a_bare_period_is_of_the_schema_date_where_many_dates_might_be_meant() -> None:
    found = of_observatory("documents tagged meteors", "only those from 2026")
    assert (found.wanted, list(found.bounds)) == ({"tags": ("meteors",)}, ["date"])


def test_what_is_taken_out_of_a_list_is_denied_of_it_though_it_is_also_a_field() -> None:
    found = of_observatory("all loans", "without the returned one")
    assert (found.wanted, found.unwanted) == ({"kind": ("loan",)}, {"state": ("returned",)})


def test_a_verb_that_asks_for_a_list_is_no_kind_of_documents() -> None:
    assert of_observatory("list all loans").wanted == {"kind": ("loan",)}
    assert of_observatory("which lists are overdue?").wanted == {"kind": ("list",), "state": ("overdue",)}


def test_how_many_is_of_the_number_where_a_tag_is_called_like_it() -> None:
    assert of_observatory("how many visitors came in 2026?").aggregates == (Aggregate("sum", "visitors"),)
    assert of_observatory("documents tagged visitors").wanted == {"tags": ("visitors",)}


def test_what_things_are_worth_is_their_value_before_their_cost() -> None:
    assert of_observatory("what are the instruments worth in total?").aggregates == (Aggregate("sum", "value_eur"),)


@pytest.mark.parametrize(
    ("message", "order"),
    [("strongest beer", Sort("alcohol", descending=True)), ("the weakest beer", Sort("alcohol"))],
)
def test_strong_and_weak_are_of_alcohol(message: str, order: Sort) -> None:
    fields = [SchemaField("beer", FieldType.KEYWORD, ("Dunkel", "Stout")), SchemaField("alcohol", FieldType.NUMBER)]
    reader = SchemaReader.of(Schema({each.name: each for each in fields}, items=("beer",)))
    assert reader.understand([message], NOW).meaning.order == order


def test_a_tag_that_is_not_known_is_the_word_behind_tagged() -> None:
    fields = [SchemaField("kind", FieldType.KEYWORD, ("repair", "loan")), SchemaField("tags", FieldType.KEYWORDS)]
    reader = SchemaReader.of(Schema({each.name: each for each in fields}))
    for message in ("repairs tagged safety", "which repairs have the tag safety?"):
        assert reader.understand([message], NOW).meaning.wanted == {"kind": ("repair",), "tags": ("safety",)}
    known = (replace(fields[1], values=("audit", "safety")), SchemaField("replaces", FieldType.KEYWORDS))
    reader = SchemaReader.of(Schema({each.name: each for each in (fields[0], *known)}))
    assert reader.understand(["repairs with tag audit"], NOW).meaning.wanted == {
        "kind": ("repair",),
        "tags": ("audit",),
    }


def test_the_number_of_all_records_is_counted_however_it_is_asked_for() -> None:
    found = understood("List the number of all records sealed in 2025.").meaning
    assert (found.aggregates, list(found.bounds)) == ((DOCUMENTS,), ["sealed_on"])


def test_a_superlative_of_groups_in_the_singular_is_of_one() -> None:
    most = Sort("*", descending=True, of="count")
    one = understood("List the guild shared by the most number of records.").meaning
    assert (one.group, one.order, one.limit) == (("guild",), most, 1)
    each = understood("number of records of each guild, the guild with the most first").meaning
    assert (each.group, each.limit) == (("guild",), None)


def test_a_kind_of_documents_is_no_subject_of_a_list() -> None:
    found = understood("What statutes is Ada Brook responsible for as the keeper?")
    assert (found.strategy, found.meaning.wanted) == ("M", {"kind": ("charter",), "keeper": ("Ada Brook",)})
