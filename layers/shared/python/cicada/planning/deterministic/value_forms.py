"""The values of a schema as people write them: plurals, spellings, names of persons."""

from __future__ import annotations

from collections.abc import Iterator

from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.planning.deterministic.english import phrase
from cicada.planning.deterministic.field_names import own_names
from cicada.planning.deterministic.inflection import plurals
from cicada.planning.deterministic.lexicon import VALUED, Reading

_TITLES = ("mr", "mrs", "ms", "dr", "prof")


def forms_of(schema: Schema) -> Iterator[tuple[tuple[str, ...], Reading]]:
    for name, each in schema.fields.items():
        if each.type is FieldType.BOOLEAN:
            for form in own_names(name, each):
                yield form, Reading(name, "true")
        if each.type not in VALUED:
            continue
        for value in each.values:
            for text in (value, *each.synonyms.get(value, ())):
                yield from _value_forms(name, value, text, is_person=each.type is FieldType.PERSON)
            if each.type is FieldType.PERSON:
                yield from _person_forms(name, value)


def _value_forms(name: str, value: str, text: str, *, is_person: bool) -> Iterator[tuple[tuple[str, ...], Reading]]:
    form = phrase(text)
    if not form:
        return
    for variant in _variants(form):
        yield variant, Reading(name, value)
        if not is_person:
            for plural in plurals(variant[-1]) if len("".join(variant)) > 2 or not text.islower() else ():
                yield (*variant[:-1], plural), Reading(name, value, plural=True)


def _variants(form: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Also without "and" and without punctuation, and with "&" for "and"."""
    variants = {form, tuple(word for word in form if word[0].isalnum())}
    if len(form) > 2:
        variants.add(tuple(word for word in form if word not in {"and", "&"}))
        variants.add(tuple("&" if word == "and" else word for word in form))
        variants.add(tuple("and" if word == "&" else word for word in form))
    return {variant for variant in variants if variant}


def _person_forms(name: str, value: str) -> Iterator[tuple[tuple[str, ...], Reading]]:
    """Surname, first name; M. Lopez; each name alone."""
    words = [form for part in value.split() if (form := phrase(part)) and form[0] not in _TITLES]
    if len(words) < 2:
        return
    first, last = words[0], words[-1]
    full, part = Reading(name, value), Reading(name, value, part=True)
    yield (*last, ",", *first), full
    yield (*first, *last), full
    yield (first[0][0], ".", *last), full
    yield (first[0][0], *last), full
    yield first, part
    yield last, part
    for title in _TITLES:
        yield (title, *last), full
        yield (title, ".", *last), full
