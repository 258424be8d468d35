"""What a message surely mentions."""

from __future__ import annotations

from datetime import date

import pytest

from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.understanding.facts import MentionKind, facts_of, number_of
from cicada.understanding.periods import DateRange
from cicada.understanding.vocabulary import Kind, compiled
from cicada.understanding.words import MAX_TOKENS
from tests.unit.understanding.workshop import NOW, facts, texts


def named(message: str, kind: Kind) -> list[str]:
    return [name for each in facts(message).mentions for name in each.fields(kind)]


def test_the_longest_phrase_wins() -> None:
    assert texts("date of birth of the tea pots", MentionKind.FIELD) == ["date of birth"]
    assert texts("a tea pot of Ada Brook", MentionKind.VALUE) == ["tea pot", "Ada Brook"]


@pytest.mark.parametrize("phrase", ["number of the products", "number of products", "number products"])
def test_the_words_of_a_name_may_have_fillers_between_them(phrase: str) -> None:
    assert texts(f"what is the {phrase} here", MentionKind.FIELD) == [phrase]
    assert named(phrase, Kind.FIELD) == ["number_of_products"]


def test_a_typing_error_is_corrected_and_marked() -> None:
    (mention,) = (each for each in facts("all ketles").mentions if each.kind is MentionKind.VALUE)
    assert (mention.text, mention.corrected, mention.meanings[0].value) == ("ketles", True, "Kettle")


@pytest.mark.parametrize(
    ("mistyped", "word"),
    [("avarage", "average"), ("cheepest", "cheapest"), ("minimun", "minimum"), ("latset", "latest")],
)
def test_a_mistyped_word_for_what_is_computed_is_mended(mistyped: str, word: str) -> None:
    assert facts(f"the {mistyped} price").tokens[1].text == word


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,250", 1250),
        ("1.250.000", 1_250_000),
        ("2.5", 2.5),
        ("2,5", 2.5),
        ("30k", 30_000),
        ("12kg", 12),
        ("acht", 8),
        ("1.234,5", 1234.5),
    ],
)
def test_a_number_is_read_with_separators_units_and_as_a_word(text: str, number: float) -> None:
    assert number_of(text) == number


@pytest.mark.parametrize("text", ["a", "one", "b2", "1.2.3.4x", "٣", "²", "12abc"])
def test_other_words_are_no_numbers(text: str) -> None:
    assert number_of(text) is None


@pytest.mark.parametrize("text", ["2 million", "two million", "2 M", "2 mio"])
def test_a_scale_belongs_to_its_number(text: str) -> None:
    (mention,) = (each for each in facts(f"price over {text}").mentions if each.kind is MentionKind.NUMBER)
    assert mention.number == 2_000_000


@pytest.mark.parametrize(("text", "number"), [("200 000 EUR", 200_000), ("1 250 000", 1_250_000), ("200 m", 200)])
def test_a_number_may_be_written_in_groups_and_with_a_unit(text: str, number: float) -> None:
    (mention,) = (each for each in facts(f"price over {text}").mentions if each.kind is MentionKind.NUMBER)
    assert mention.number == number


def test_a_value_in_a_name_and_a_stressed_word_are_no_facts() -> None:
    assert texts("what does Spain Zebra cost", MentionKind.VALUE) == ["Spain"]
    assert texts("what does Packed Away Zebra say", MentionKind.VALUE) == ["Packed Away"]
    assert "NOT" not in texts("those that Ada Brook did NOT make", MentionKind.NAME)


def test_a_period_is_a_date_and_not_a_number() -> None:
    (mention,) = (each for each in facts("kettles since March 2024").mentions if each.kind is MentionKind.DATE)
    assert (mention.text, texts("since March 2024", MentionKind.NUMBER)) == ("since March 2024", [])
    assert mention.days is not None
    assert mention.days.days == DateRange(date(2024, 3, 1), None)


def test_a_short_quotation_is_a_name() -> None:
    assert texts('what does "the blue line" mean', MentionKind.NAME) == ["the blue line"]
    assert texts(f'what does "{"word " * 12}" mean', MentionKind.NAME) == []


def test_no_word_of_a_quotation_is_a_value_by_itself_but_all_of_it_may_be_one() -> None:
    assert texts('what does "Kettles and Dogs" say?', MentionKind.VALUE) == []
    assert texts('all "tea pot" things', MentionKind.NAME) == []


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("kettles from Port Ellen", ["Port Ellen"]),
        ("kettles from the UK", ["UK"]),
        ("model X200 please", ["X200"]),
        ("kettles from port ellen", []),
        ("Which kettles are there?", []),
        ("Show kettles. List prices.", []),
    ],
)
def test_a_name_is_written_with_capitals_or_digits(message: str, names: list[str]) -> None:
    assert texts(message, MentionKind.NAME) == names


@pytest.mark.parametrize("number", ["SOP-QA-003", "WI-0123", "ab-12/7", "sop-qa-003.md"])
def test_a_number_of_a_document_is_one_mention(number: str) -> None:
    assert texts(f"what does {number} say?", MentionKind.DOCUMENT) == [number]


@pytest.mark.parametrize(
    ("message", "asker"),
    [("my kettles", ["my"]), ("kettles by me", ["me"]), ("tell me the price", []), ("show me mine", ["mine"])],
)
def test_the_asker_is_who_owns_and_not_who_is_told(message: str, asker: list[str]) -> None:
    assert texts(message, MentionKind.ASKER) == asker


def test_a_value_that_is_a_word_of_grammar_is_written_in_capitals_or_before_its_field() -> None:
    assert texts("kettles of IT", MentionKind.VALUE) == ["kettles", "IT"]
    assert texts("is it a kettle", MentionKind.VALUE) == ["kettle"]
    assert texts("kettles of the it department", MentionKind.VALUE) == ["kettles", "it"]


def test_a_word_for_documents_may_be_a_verb() -> None:
    assert texts("must we brewer it at once?", MentionKind.VALUE) == []
    assert texts("do brewer prices rise?", MentionKind.VALUE) == ["brewer"]


def test_a_first_name_that_is_a_word_is_written_with_a_capital() -> None:
    assert texts("kettles by Rose", MentionKind.VALUE) == ["kettles", "Rose"]
    assert texts("kettles with a rose", MentionKind.VALUE) == ["kettles"]


@pytest.mark.parametrize("text", ["kettle ", "?!. ", '"', "a-", "’ ", "\u0000", "３ ", "がぎ", "é"])
def test_any_text_of_8000_characters_has_few_facts(text: str) -> None:
    found = facts((text * 8000)[:8000])
    assert len(found.tokens) <= MAX_TOKENS
    assert all(a.end <= b.start for a, b in zip(found.mentions, found.mentions[1:], strict=False))


def test_of_a_long_message_the_beginning_and_the_end_are_read() -> None:
    assert texts(f"kettles {'so ' * 2600} tea pot", MentionKind.VALUE) == ["kettles", "tea pot"]


@pytest.mark.parametrize(
    ("word", "value"), [("marketed", "market"), ("electrical", "elec"), ("painted", "painting"), ("plumbers", "plumb")]
)
def test_a_value_of_one_word_may_be_in_another_form(word: str, value: str) -> None:
    trade = SchemaField("trade", FieldType.KEYWORD, ("elec", "plumb", "painting", "market", "market hall"))
    found = facts_of(f"all {word} ones", compiled(Schema({"trade": trade})), NOW, frozenset()).mentions
    assert [each.meanings[0].value for each in found if each.kind is MentionKind.VALUE] == [value]


@pytest.mark.parametrize("word", ["pluck", "elegant", "paint", "marble", "boathouse", "come"])
def test_a_word_that_is_only_alike_is_no_value(word: str) -> None:
    trade = SchemaField("trade", FieldType.KEYWORD, ("plumber", "electric", "pain relief", "markets", "boats", "comet"))
    found = facts_of(f"all {word} ones", compiled(Schema({"trade": trade})), NOW, frozenset()).mentions
    assert not any(each.kind is MentionKind.VALUE for each in found)


def test_who_and_where_ask_for_persons_and_places() -> None:
    assert named("who made it?", Kind.FIELD) == ["designer"]
    assert named("where is it made?", Kind.FIELD) == ["country", "town"]


def test_a_superlative_may_mean_any_field_that_it_fits_with_its_direction() -> None:
    of_people = compiled(
        Schema(
            {
                "joined": SchemaField("joined", FieldType.DATE),
                "age": SchemaField("age", FieldType.KEYWORD),
                "born": SchemaField("born", FieldType.DATE),
            },
            date="born",
        )
    )
    assert [(each.field, each.polarity) for each in of_people.phrases["newest"]] == [("born", 1), ("joined", 1)]
    oldest = of_people.phrases["oldest"]
    assert {each.field: each.polarity for each in oldest} == {"age": 1, "born": -1, "joined": -1}
    assert oldest[0].field == "age"
    assert [each.is_opposed(oldest[0]) for each in oldest] == [False, True, True]


def test_a_field_that_is_called_who_is_asked_for_by_it() -> None:
    of_jobs = compiled(Schema({name: SchemaField(name, FieldType.KEYWORD) for name in ("customer", "Who")}))
    assert [each.field for each in of_jobs.phrases["who"]] == ["Who"]


def test_without_persons_who_asks_for_names() -> None:
    names = compiled(Schema({name: SchemaField(name, FieldType.KEYWORD) for name in ("title", "colour")}))
    assert [each.field for each in names.phrases["who"]] == ["title"]


@pytest.mark.parametrize(
    ("columns", "number"),
    [(("pages", "price"), "price"), (("year", "pages"), "pages"), (("sold", "annual cost"), "annual cost"), ((), None)],
)
def test_how_much_means_money_or_else_the_first_number(columns: tuple[str, ...], number: str | None) -> None:
    fields = {name: SchemaField(name, FieldType.NUMBER) for name in columns}
    assert compiled(Schema(fields)).number == number


def test_a_day_of_the_week_is_a_value_where_a_field_has_it() -> None:
    of_days = compiled(
        Schema(
            {
                "held_on": SchemaField("held_on", FieldType.DATE),
                "day": SchemaField("day", FieldType.KEYWORD, ("Friday",)),
            }
        )
    )
    found = facts_of("what is on friday", of_days, NOW, frozenset()).mentions
    assert MentionKind.DATE not in [each.kind for each in found]
    assert texts("what is on friday", MentionKind.DATE) == ["on friday"]


def test_days_behind_the_name_of_a_field_keep_their_preposition() -> None:
    message = "what was released on 5 May 2026"
    assert texts(message, MentionKind.FIELD) == ["released"]
    assert texts(message, MentionKind.DATE) == ["on 5 May 2026"]
