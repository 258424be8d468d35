"""What a person who edits a file is told when it is wrong."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from msgspec import Meta, field

from cicada.errors import ConfigurationError
from cicada.validation import Check, Form, checked, parse_toml


def _not_latin(name: str) -> str:
    return "" if name.isascii() else "is not Latin"


KEYS = "age, beds, evergreen, height, light, name, names, species, yields."


class Bed(Form, frozen=True):
    row: int


class Plant(Form, frozen=True):
    name: str
    height: float
    light: Literal["sun", "half", "shade"] = "sun"
    age: Annotated[int, Meta(ge=1, le=300)] = 1
    yields: Annotated[dict[str, float], Meta(max_length=2)] = field(default_factory=dict)
    species: Annotated[str, Check(_not_latin)] | None = None
    names: dict[Annotated[str, Check(_not_latin)], tuple[str, ...]] = field(default_factory=dict)
    evergreen: bool = False
    beds: list[Bed] = field(default_factory=list)


def plant(**settings: object) -> dict[str, object]:
    return {"name": "oak", "height": 2.5} | settings


def test_what_is_right_is_read_and_a_whole_number_stands_for_a_number() -> None:
    assert checked(Plant, plant(height=3, light="half"), "[oak]") == Plant(name="oak", height=3.0, light="half")


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (3, "[oak] is not a table; write its settings on lines of their own below [oak]."),
        (plant(colour="green"), "[oak] has the unknown key 'colour'; use one of " + KEYS),
        ({"name": "oak"}, "[oak] lacks height; add it."),
        ({}, "[oak] lacks name, height; add them."),
        ({"nmae": "oak", "height": 2}, "[oak] has the unknown key 'nmae'; use one of " + KEYS),
        (plant(name=3), "[oak] name is not text; write text in quotes."),
        (plant(light=True), "[oak] light is not text; write text in quotes."),
        (plant(light="dark"), "[oak] light is 'dark'; use one of sun, half, shade."),
        (plant(height="2"), "[oak] height is not a number; write a number such as 2 or 1.5."),
        (plant(age=True), "[oak] age is True; write a whole number from 1 to 300."),
        (plant(age=2.0), "[oak] age is 2.0; write a whole number from 1 to 300."),
        (plant(age=301), "[oak] age is 301; write a whole number from 1 to 300."),
        (plant(yields={"2025": "much"}), "[oak] yields.2025 is not a number; write a number such as 2 or 1.5."),
        (plant(yields=3), "[oak] yields is not a table."),
        (plant(species="Дуб"), "[oak] species is not Latin."),
        (plant(species=3), "[oak] species is not text; write text in quotes."),
        (plant(names={"Дуб": ["oak"]}), "[oak] names.Дуб is not Latin."),
        (plant(names={"oak": "x"}), "[oak] names.oak should be a list."),
        (plant(names={"oak": ["x", 3]}), "[oak] names.oak.1 is not text; write text in quotes."),
        (plant(evergreen="yes"), "[oak] evergreen should be true or false, without quotes."),
        (plant(beds=[{"row": 1}, {"line": 2}]), "[oak] beds.1 has the unknown key 'line'; use one of row."),
        (plant(beds=[{}]), "[oak] beds.0 lacks row; add it."),
        (plant(beds=[3]), "[oak] beds.0 is not a table."),
    ],
)
def test_a_mistake_is_named_with_its_place_and_what_to_write(table: object, sentence: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        checked(Plant, table, "[oak]")
    assert str(caught.value) == sentence


def test_a_place_in_words_is_told_apart_from_the_key() -> None:
    with pytest.raises(ConfigurationError, match=r"^Plant 2: age is 0; "):
        checked(Plant, plant(age=0), "Plant 2")


def test_what_is_no_toml_is_refused_with_its_line() -> None:
    with pytest.raises(ConfigurationError, match=r"^The plants are not TOML: .*line 2.*; correct that line\.$"):
        parse_toml("a = 1\nb = \n", "The plants are not TOML")


def test_a_key_that_stands_twice_in_toml_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="Cannot overwrite a value"):
        parse_toml("a = 1\na = 2", "The plants are not TOML")
