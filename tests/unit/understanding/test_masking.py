"""Messages of one form are one line, whatever they speak of."""

from __future__ import annotations

import pytest

from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.understanding.facts import facts_of
from cicada.understanding.features import Line, masked, message_features
from cicada.understanding.heads import packaged_heads
from cicada.understanding.vocabulary import compiled
from tests.unit.understanding.workshop import NOW


def line(message: str, name: str, values: str, number: str, item: str) -> Line:
    """The line of a message to a schema with one keyword, one number and one word for its records."""
    fields = (SchemaField(name, FieldType.KEYWORD, tuple(values.split())), SchemaField(number, FieldType.NUMBER))
    vocabulary, heads = compiled(Schema({each.name: each for each in fields}, items=(item,))), packaged_heads()
    return masked(facts_of(message, vocabulary, NOW, heads.common), vocabulary, heads.known)


def ships(message: str) -> Line:
    return line(message, "harbour", "Zeebrugge Vlissingen", "draught", "barge")


def beers(message: str) -> Line:
    return line(message, "hop", "Citra Mosaic", "bitterness", "ale")


@pytest.mark.parametrize(
    ("of_ships", "of_beers"),
    [
        ("barges of Zeebrugge or Vlissingen", "ales of Citra or Mosaic"),
        ("top 5 barges by draught", "top 12 ales by bitterness"),
        ("How many barges per harbour since 2024?", "How many ales per hop in May 2025?"),
        ("my barges with a draught over 3", "my ales with a bitterness over 60"),
        ("does caulking matter", "does sparging matter"),
    ],
)
def test_messages_of_one_form_have_one_line_in_all_domains(of_ships: str, of_beers: str) -> None:
    assert ships(of_ships).symbols == beers(of_beers).symbols
    assert message_features(ships(of_ships)) == message_features(beers(of_beers))


def test_a_line_shows_the_types_of_facts_and_known_words() -> None:
    symbols = ships("Which barges of Zeebrugge have a draught of 3?").symbols
    assert symbols == ("which", "Item", "of", "Vkeyword", "have", "a", "Fnumber", "of", "Num", "?")
