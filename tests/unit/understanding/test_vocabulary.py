"""What the words of a schema may mean."""

from __future__ import annotations

import pytest

from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.understanding.vocabulary import Kind, Level, Vocabulary, compiled, field_kind
from cicada.understanding.words import split_words
from tests.unit.understanding.workshop import WORKSHOP


def means(phrase: str, vocabulary: Vocabulary = WORKSHOP) -> set[tuple[str, str, Level]]:
    """Fields, and values as "field=value", with how surely they are meant."""
    found = vocabulary.phrases.get("".join(split_words(phrase)), ())
    return {(f"{each.field}={each.value}" if each.value else each.field, each.kind.value, each.level) for each in found}


def of_field(name: str, type: FieldType, *values: str) -> Vocabulary:
    return compiled(Schema({name: SchemaField(name, type, values)}))


@pytest.mark.parametrize(
    ("phrase", "field", "level"),
    [
        ("product type", "product_type", Level.WHOLE),
        ("number of products", "number_of_products", Level.WHOLE),
        ("released", "released_on", Level.WHOLE),
        ("Launch", "released_on", Level.WHOLE),
        ("birth", "date_of_birth", Level.PART),
        ("id", "product_id", Level.PART),
        ("prices", "price", Level.WHOLE),
    ],
)
def test_a_field_is_called_by_its_name_a_part_of_it_or_another_name(phrase: str, field: str, level: Level) -> None:
    assert (field, "field", level) in means(phrase)


@pytest.mark.parametrize("phrase", ["number", "of", "on", "is"])
def test_a_word_that_says_little_names_no_field(phrase: str) -> None:
    assert means(phrase) == set()


def test_the_owner_of_an_id_is_only_implied() -> None:
    assert ("product_id", "field", Level.IMPLIED) in means("product")


@pytest.mark.parametrize("phrase", ["on display", "display"])
def test_a_boolean_is_called_by_its_name(phrase: str) -> None:
    assert any(name == "is_on_display=true" for name, _, _ in means(phrase))
    assert means("packed away") == {("is_on_display=false", "value", Level.WHOLE)}


@pytest.mark.parametrize(
    ("phrase", "level"),
    [
        ("Ada Brook", 3),
        ("Brook, Ada", 3),
        ("A. Brook", 3),
        ("Dr Brook", 3),
        ("Mrs. Brook", 3),
        ("Ada", 2),
        ("Brook", 2),
    ],
)
def test_a_person_is_called_by_names_initial_and_title(phrase: str, level: int) -> None:
    assert means(phrase) == {("designer=Ada Brook", "value", Level(level))}


def test_a_day_is_called_by_its_whole_name_and_cut_short() -> None:
    days = compiled(Schema({"day": SchemaField("day", FieldType.KEYWORD, ("Fri", "Saturday"))}))
    assert [days.phrases[word][0].value for word in ("friday", "sat")] == ["Fri", "Saturday"]


def test_a_name_of_two_words_is_known_by_a_short_first_one_that_says_nothing_else() -> None:
    brewers = SchemaField("brewer", FieldType.KEYWORD, ("Tom Hadley", "Bea Collins", "Old Raven", "Top 10"))
    phrases = compiled(Schema({"brewer": brewers})).phrases
    assert {word: [each.value for each in phrases.get(word, ())] for word in ("tom", "bea", "old", "top")} == {
        "tom": ["Tom Hadley"],
        "bea": ["Bea Collins"],
        "old": [],
        "top": [],
    }


def test_of_three_words_the_last_two_name_what_nothing_else_is_called() -> None:
    rooms = SchemaField("room", FieldType.KEYWORD, ("Cat room A", "Cat room B", "Old cat room"))
    phrases = compiled(Schema({"room": rooms})).phrases
    assert [each.value for each in phrases["rooma"]] == ["Cat room A"]


@pytest.mark.parametrize(
    ("phrase", "value"),
    [
        ("French", "country=France"),
        ("Sales Marketing", "department=Sales and Marketing"),
        ("brewers", "product_type=Tea Pot"),
    ],
)
def test_a_value_is_called_by_its_demonym_its_synonyms_and_without_and(phrase: str, value: str) -> None:
    assert [name for name, _, _ in means(phrase)] == [value]


@pytest.mark.parametrize(
    ("name", "type", "word", "polarity"),
    [
        ("age", FieldType.NUMBER, "oldest", 1),
        ("age", FieldType.NUMBER, "youngest", -1),
        ("birth_date", FieldType.DATE, "oldest", -1),
        ("birth_date", FieldType.DATE, "youngest", 1),
        ("year_built", FieldType.NUMBER, "old", -1),
        ("signed_on", FieldType.DATE, "newest", 1),
        ("unit_price", FieldType.NUMBER, "cheapest", -1),
    ],
)
def test_an_adjective_implies_a_field_and_whether_it_asks_for_much(
    name: str, type: FieldType, word: str, polarity: int
) -> None:
    implied = of_field(name, type).phrases[split_words(word)[0]]
    assert [(each.field, each.level, each.polarity) for each in implied] == [(name, Level.IMPLIED, polarity)]


def test_records_are_called_by_the_schemas_words_and_by_those_of_all() -> None:
    assert means("garden tools") == means("document") == {("", "record", Level.WHOLE)}
    assert means("tools") == {("", "record", Level.PART)}


def test_a_field_without_values_takes_any() -> None:
    assert WORKSHOP.open == {"product_id", "town"}
    assert (WORKSHOP.date, WORKSHOP.kind_fields) == ("released_on", frozenset({"product_type"}))
    assert all(
        Kind.VALUE not in {each.kind for each in known}
        for known in of_field("town", FieldType.KEYWORD).phrases.values()
    )


@pytest.mark.parametrize(
    ("name", "type", "kind"),
    [
        ("price", FieldType.NUMBER, "number"),
        ("author", FieldType.KEYWORD, "person"),
        ("signed_by", FieldType.KEYWORD, "person"),
        ("author_id", FieldType.KEYWORD, "code"),
        ("birth_town", FieldType.KEYWORD, "place"),
        ("song_title", FieldType.KEYWORD, "name"),
        ("languages", FieldType.KEYWORDS, "other"),
        ("colour", FieldType.KEYWORD, "other"),
    ],
)
def test_the_name_of_a_field_tells_what_its_values_are(name: str, type: FieldType, kind: str) -> None:
    assert field_kind(name, type) == kind
