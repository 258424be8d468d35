"""Makes the lexicon of a schema."""

from __future__ import annotations

from cicada.knowledge_bases.schema import Schema
from cicada.planning.deterministic.english import english
from cicada.planning.deterministic.field_names import date_cues_of, field_words_of, owner_field, type_field
from cicada.planning.deterministic.lexicon import Lexicon, Reading
from cicada.planning.deterministic.value_forms import forms_of


def compiled(schema: Schema) -> Lexicon:
    """The lexicon of a schema."""
    words = english()
    values: dict[str, list[Reading]] = {}
    vocabulary: dict[str, set[str]] = {}
    longest = 1
    for form, reading in forms_of(schema):
        readings = values.setdefault("".join(form), [])
        if all((known.field, known.value) != (reading.field, reading.value) for known in readings):
            readings.append(reading)
        longest = max(longest, 2 * len(form))
        for word in form:
            vocabulary.setdefault(word[0], set()).add(word)
    names, cues = field_words_of(schema, words), date_cues_of(schema, words)
    return Lexicon(
        schema=schema,
        values={key: _unambiguous(readings) for key, readings in values.items() if _unambiguous(readings)},
        vocabulary={letter: tuple(sorted(found)) for letter, found in vocabulary.items()},
        field_words=names,
        date_cues=cues,
        types=type_field(schema, words),
        owner=owner_field(schema),
        first_words=frozenset(form[0] for form in (*names, *cues)),
        longest=min(longest, 12),
    )


def _unambiguous(readings: list[Reading]) -> tuple[Reading, ...]:
    """A first name or a surname that two persons share means none of them."""
    parts = [reading for reading in readings if reading.part]
    if len({reading.value for reading in parts}) > 1:
        return tuple(reading for reading in readings if not reading.part)
    return tuple(readings)
